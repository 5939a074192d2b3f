import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Values that many tests start with.
enum Sample {
    static let now = Timestamp(milliseconds: 1_795_249_800_000)

    static func provider(
        _ name: String, address: String? = nil, signUp: Bool? = false, accounts: [String] = []
    ) throws -> ProviderSummary {
        ProviderSummary(
            name: try #require(ProviderName(name)), kind: .oidc, address: address ?? "id.\(name).example", scopes: ["openid", "profile"],
            offersSignUp: signUp, accounts: accounts)
    }

    static var settings: TerminalAppSettings { TerminalAppSettings(themes: themes, theme: "uncoloured", sheet: sheet) }

    /// The settings of a configuration that sets a theme and how long the agent keeps its keys.
    static let sheet = SettingsSheet(
        file: "~/.config/yett/config.toml",
        settings: [
            Setting(.theme, .word("uncoloured"), options: themes.map(\.name), isSet: true),
            Setting(.language, .word("auto"), options: ["auto", "en", "de", "es"]), Setting(.guestPrompt, .flag(true)),
            Setting(.mouse, .flag(true)),
            Setting(
                .seal, .word("auto"), options: ["auto", "passphrase", "secret-service", "system", "security-key", "key-file", "memory"]),
            Setting(.lockAfter, .span(900), isSet: true), Setting(.idleExit, .span(nil)), Setting(.notify, .flag(false)),
        ]
            + ["lab", "work"].compactMap(ProviderName.init).flatMap { name in
                [
                    Setting(.policy(name), .word("allow"), options: ["allow", "ask", "deny"]), Setting(.browser(name), .text("")),
                    Setting(.isPrivate(name), .flag(false)),
                ]
            })

    static let presets = ServiceChoices { [google, okta] }

    private static let google = {
        var choice = ProviderPresetChoice(name: "google", title: "Google", summary: "Google accounts and Workspace")
        choice.secret = .required
        choice.page = "https://console.cloud.google.com/auth/clients"
        choice.steps = ["Choose Create client, and Desktop app as Application type.", "Save the client secret in a file."]
        choice.redirects = ["http://127.0.0.1/callback"]
        return choice
    }()

    private static let okta = {
        var choice = ProviderPresetChoice(name: "okta", title: "Okta", summary: "identity provider of organizations")
        choice.place = .init(what: "your domain", example: "dev-1.okta.com")
        choice.page = "https://{place}/admin/apps"
        choice.steps = ["Choose a native application.", "Enter {redirect} as sign-in redirect URI."]
        choice.redirects = ["http://127.0.0.1:8400/callback"]
        return choice
    }()

    /// Returns what a provider answers to a draft, always the same; an address with `mcp` in it is a resource's.
    static func finding(_ draft: ProviderDraft) throws(AuthFailure) -> ProviderFinding {
        if draft.address.contains("mcp"), draft.authorizationServer == nil {
            return .servers(of: draft.address, ["https://id.example.org", "https://other.example"])
        }
        guard let name = ProviderName(draft.name ?? "example") else { throw AuthFailure(.usage, text: "that is no name") }
        return .offer(
            ProviderOffer(
                draft: draft, name: name, kind: .oidc, issuer: draft.authorizationServer ?? "https://id.example.org",
                endpoints: [.init(.signIn, host: "id.example.org"), .init(.tokens, host: "token.example.org")],
                redirects: ["http://127.0.0.1/callback"], scopes: ["openid", "profile"], abilities: ["pushed requests", "revocation"],
                hints: ["Untick \"Confidential\" for the application."]))
    }

    static func name(_ text: String) throws -> SessionName { try #require(SessionName(text)) }

    static func session(
        _ name: String, _ state: SessionState = .signedIn, left: Duration? = .seconds(2530), renewable: Bool = true,
        used: (by: String, ago: Duration)? = nil, warnings: [String] = []
    ) throws -> SessionSummary {
        SessionSummary(
            name: try Sample.name(name), issuer: "https://id.example.org", subject: "248289761001", recordedState: state,
            accessExpiresAt: left.map { now + $0 }, refreshExpiresAt: nil, isRenewable: renewable,
            nextRenewalAt: renewable ? left.map { now + $0 - .seconds(60) } : nil, scopes: ["openid", "profile", "offline_access"],
            grantedAt: now - .seconds(1070), receivedAt: now - .seconds(1070), lastUsedAt: used.map { now - $0.ago },
            lastUsedBy: (used?.by).map(UserMessage.verbatim),
            warnings: warnings.map(UserMessage.verbatim))
    }

    /// Sessions in several states.
    static func sessions() throws -> [SessionSummary] {
        [
            try session("lab/grace", .signedIn, left: .seconds(41), used: ("kubectl", .seconds(7200))),
            try session("old/marie", .needsSignIn, left: .seconds(-86_400), renewable: false),
            try session("work/ada@example.org", used: ("git", .seconds(180))),
            try session("work/admin", left: .seconds(-30)),
        ]
    }

    static let claims: JSONValue = [
        "iss": "https://id.example.org", "sub": "248289761001", "aud": "yett", "exp": 1_795_252_330, "iat": 1_795_248_730,
        "auth_time": 1_795_248_700, "amr": ["pwd", "otp"], "name": "Ada Lovelace", "email": "ada@example.org", "email_verified": true,
    ]

    static func detail(_ session: SessionSummary) -> SessionDetail {
        SessionDetail(
            summary: session,
            identity: Identity(
                issuer: "https://id.example.org", subject: "248289761001", idTokenClaims: claims,
                userInfo: ["sub": "248289761001", "locale": "en-GB"]),
            clientID: "yett",
            tokens: [
                TokenView(
                    kind: .access, redacted: "eyJhbG…", expiresAt: session.accessExpiresAt, header: nil, claims: nil,
                    verification: .unverified(reason: "it is meant for the API")),
                TokenView(
                    kind: .refresh, redacted: "64 characters", expiresAt: nil, header: nil, claims: nil, verification: .opaque),
                TokenView(
                    kind: .id, redacted: "eyJraW…", expiresAt: session.accessExpiresAt, header: ["alg": "RS256"], claims: claims,
                    verification: .verified(algorithm: "RS256", keyID: "2011-04-29")),
            ],
            apiHosts: ["api.example.org"])
    }

    static let passwordForm = SignInForm(
        title: "Sign in at gis.example.org",
        fields: [.init(id: "username", label: "User name", kind: .text), .init(id: "password", label: "Password", kind: .secret)])

    static let emailForm = SignInForm(
        title: "Create an account", fields: [.init(id: "email", label: "E-mail address", kind: .email)])

    static let choiceForm = SignInForm(
        title: "Choose an identity provider",
        fields: [
            .init(
                id: "idp", label: "Identity provider",
                kind: .choice([
                    .init("google", title: "google"), .init("microsoft", title: "microsoft"), .init("ask", title: "Let the server ask"),
                ]), suggestion: "google")
        ])

    static func url(_ text: String = authorization) throws -> WebURL { try #require(WebURL(text)) }

    static let authorization =
        "https://id.example.org/authorize?response_type=code&client_id=yett&redirect_uri=http%3A%2F%2F127.0.0.1%3A40123%2Fcallback"
        + "&scope=openid%20profile%20offline_access&state=GjQ3Yx0QnZ8m2Kq7fVd1sLwTtE5uRbHc6pAoNyXiM4k&nonce=f1c2d3"
        + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"

    static let themes = [
        Theme.uncoloured,
        Theme(name: "night", summary: "dark", roles: [.text: .init(color: nil, attributes: .dim, mono: .bold)], surfaces: [:]),
    ]
}
