import AuthEngine
import AuthModel
import UserConfiguration

/// The definition of `kind = "beyond-identity"`: two generations, the newer one without a backend (`mode = "secure-access"`).
struct BeyondIdentityKind: KindDefinition {
    let foreignSecrets = ["client_secret": UserMessage("hint.remove_secret")]

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        switch configuration.kindSettings {
        case let settings as BeyondIdentityConfiguration:
            BeyondIdentityAdapter(configuration: configuration, environment: environment, settings: settings)
        case let settings as SecureAccessConfiguration:
            SecureAccessAdapter(configuration: configuration, settings: settings, environment: environment)
        default: OpenIDAdapter(configuration: configuration, environment: environment)
        }
    }

    func redirectNote(of configuration: ProviderConfiguration) -> UserMessage? {
        guard case .mediated(let page)? = (configuration.kindSettings as? BeyondIdentityConfiguration)?.mode, page.path == .random else {
            return nil
        }
        return UserMessage("beyond_identity.callback_path_random")
    }

    // MARK: Reading

    private enum Mode: String, CaseIterable {
        case mediated = "rp-initiated"
        case direct
        case secureAccess = "secure-access"
    }

    private enum PKCEUse: String, CaseIterable {
        case required, auto
    }

    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading {
        guard let mode = try table.word("mode", as: Mode.self) else {
            throw table.missing("mode", hint: "hint.beyond_identity_add_mode")
        }
        if mode == .secureAccess {
            return KindReading(settings: try secureAccess(table), scopes: ["openid"], openIDHint: UserMessage("hint.add_scope_openid"))
        }
        try table.refuse(
            ["client_secret_file", "client_secret_command", "client_auth", "client_key_file", "client_certificate_file"],
            because: "phrase.only_backend_has_secret")
        try table.refuse(["invocation", "invoke_hosts", "tokens_url"], because: "phrase.mode_not_secure_access")
        let settings = BeyondIdentityConfiguration(
            mode: mode == .mediated ? .mediated(try mediated(table)) : .direct(try direct(table)), signUp: try signUp(table),
            recovery: try table.url("recover_url"),
            download: try table.url("download_url") ?? WebURL(BeyondIdentityConfiguration.standardDownload),
            sessionCheck: try table.url("session_check_url"), signOut: try table.url("sign_out_url"))
        // In mode rp-initiated, the backend is the client and chooses the scopes.
        return mode == .mediated
            ? KindReading(settings: settings, client: .none)
            : KindReading(settings: settings, client: .required, scopes: ["openid"])
    }

    private func secureAccess(_ table: ConfigurationSection) throws(AuthFailure) -> SecureAccessConfiguration {
        try table.refuse(
            [
                "url", "capture", "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "signup_url", "signup_kind",
                "signup_body", "recover_url", "download_url", "session_check_url", "sign_out_url", "callback_path",
            ], because: "phrase.mode_secure_access_no_backend")
        try requireProofKey(table)
        guard let issuer = try table.issuer() else {
            throw table.missing(
                "issuer",
                hint: "hint.beyond_identity_add_issuer")
        }
        let hosts = try table.texts("invoke_hosts")
        for text in hosts ?? [] {
            guard let url = WebURL("https://\(text)"), url.path.isEmpty, url.query == nil, url.fragment == nil else {
                throw table.error(
                    UserMessage("beyond_identity.invoke_host_invalid", ["value": text]), at: "invoke_hosts",
                    hint: "hint.beyond_identity_invoke_host_form")
            }
        }
        return SecureAccessConfiguration(
            invocation: try table.word("invocation", as: SecureAccessConfiguration.Invocation.self) ?? .automatic,
            invokeHosts: hosts?.map { $0.asciiLowercased() } ?? SecureAccessConfiguration.standardInvokeHosts,
            tokens: try table.url("tokens_url") ?? SecureAccessConfiguration.tokens(of: issuer))
    }

    private func mediated(_ table: ConfigurationSection) throws(AuthFailure) -> BeyondIdentityConfiguration.BackendSignIn {
        try table.refuse(
            [
                "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "client_id", "scopes", "authorization_endpoint",
                "pkce",
            ],
            because: "phrase.mode_mediated_backend_does_it")
        let text = try table.requiredText(
            "url", hint: "hint.beyond_identity_add_url")
        let page = BeyondIdentityConfiguration.BackendSignIn(
            page: text, capture: try table.texts("capture") ?? ["session"],
            path: try table.word("callback_path", as: BeyondIdentityConfiguration.BackendSignIn.Path.self) ?? .exact)
        guard page.url(returningTo: RedirectRule.standard.uri(port: 1)) != nil else {
            throw table.error("beyond_identity.url_refused", at: "url", hint: "hint.beyond_identity_url_must_be_https")
        }
        guard text.split(separator: "{redirect}", omittingEmptySubsequences: false).count == 2 else {
            throw table.error(
                UserMessage("beyond_identity.url_needs_redirect_once"), at: "url",
                hint: "hint.beyond_identity_write_redirect")
        }
        guard !page.capture.isEmpty else {
            throw table.error("beyond_identity.capture_empty", at: "capture", hint: "hint.beyond_identity_add_capture")
        }
        return page
    }

    private func direct(_ table: ConfigurationSection) throws(AuthFailure) -> BeyondIdentityConfiguration.Direct {
        try table.refuse(["url", "capture", "callback_path"], because: "phrase.mode_direct_yett_receives_code")
        try requireProofKey(table)
        guard let exchange = try table.url("exchange_url") else {
            throw table.missing("exchange_url", hint: "hint.beyond_identity_add_exchange_url")
        }
        guard table.has("authorization_endpoint") else {
            throw table.missing(
                "authorization_endpoint", hint: "hint.beyond_identity_add_authorization_url")
        }
        var direct = BeyondIdentityConfiguration.Direct(exchange: exchange)
        direct.session = try pointer("session_pointer", in: table) ?? direct.session
        direct.user = try pointer("user_pointer", in: table) ?? direct.user
        direct.lifetime = try pointer("expires_pointer", in: table) ?? direct.lifetime
        return direct
    }

    /// Checks `pkce`. Every request has a challenge, because a server without PKCE ignores it, so "off" is refused and the other values
    /// change nothing.
    private func requireProofKey(_ table: ConfigurationSection) throws(AuthFailure) {
        guard try table.text("pkce") != "off" else {
            throw table.error(
                UserMessage("beyond_identity.pkce_cannot_be_off"), at: "pkce",
                hint: "hint.beyond_identity_pkce_auto")
        }
        _ = try table.word("pkce", as: PKCEUse.self)
    }

    private func pointer(_ key: String, in table: ConfigurationSection) throws(AuthFailure) -> String? {
        guard let text = try table.text(key) else { return nil }
        guard text.hasPrefix("/") else {
            throw table.error(
                UserMessage("beyond_identity.not_a_json_pointer", ["value": text]), at: key, hint: "hint.beyond_identity_json_pointer_form")
        }
        return text
    }

    var keys: [KindKey] {
        [
            KindKey(
                "mode",
                """
                "rp-initiated": the backend does the sign-in; "direct": yett receives the code and sends it to the backend;
                "secure-access": the newer generation, with issuer and client_id of the application, and no backend.
                """),
            KindKey(
                "url",
                """
                For rp-initiated: the backend's page, with {redirect} in place of the redirect address. If it also contains {state}, the \
                backend must return that value as state, and all other responses are refused.
                """),
            KindKey(
                "callback_path",
                """
                For rp-initiated: "exact" uses the address that yett providers redirect prints. "random" adds a random part to its path for \
                each sign-in, for a backend that accepts every path below the address and returns no state. Default: "exact".
                """),
            KindKey(
                "capture", "For rp-initiated: required callback parameters; the first one is the session. Default: [\"session\"]."),
            KindKey("exchange_url", "For direct: the backend's URL for the code, which is sent as JSON."),
            KindKey("session_pointer", "For direct: the JSON pointer to the session in the response. Default: /session_id."),
            KindKey("user_pointer", "For direct: the JSON pointer to the user's claims. Default: /user."),
            KindKey("expires_pointer", "For direct: the JSON pointer to the session's lifetime in seconds. Default: /expires_in."),
            KindKey("signup_url", "The URL to which yett signup posts an e-mail address, or that it opens."),
            KindKey("signup_kind", "\"form\" or \"browser\". Default: \"form\"."),
            KindKey(
                "signup_body",
                """
                For form: the JSON object to post, with {email}, and with {display_name} to ask for a name, too; without a name, that member is \
                left out. Default: '{"email": "{email}"}'.
                """),
            KindKey("recover_url", "The URL to which yett recover posts an e-mail address."),
            KindKey("download_url", "The download page of the authenticator."),
            KindKey(
                "session_check_url",
                """
                The URL where the backend returns the user of a session as JSON. The session is sent as a bearer token, at the end of a sign-in \
                and by yett inspect. Without it, only the data from the sign-in is known.
                """),
            KindKey("sign_out_url", "The URL to which yett logout posts, with the session as a bearer token, to end it."),
            KindKey(
                "pkce",
                """
                For direct and secure-access: "required" or "auto". Both send a challenge (S256) with every request; a server without PKCE \
                ignores it. "off" is refused. Default: "required".
                """),
            KindKey(
                "invocation",
                "For secure-access: \"automatic\", or \"manual\" if the application responds with the URL for the browser. Default: \"automatic\"."
            ),
            KindKey("invoke_hosts", "For manual: the allowed hosts for the browser. Default: the vendor's own."),
            KindKey(
                "tokens_url",
                "For secure-access: the management API's token list, for yett sessions --remote. Default: derived from the vendor's own issuers."
            ),
        ]
    }
}

/// Reading of the sign-up settings.
extension BeyondIdentityKind {
    private enum SignUpKind: String, CaseIterable {
        case form, browser
    }

    func signUp(_ table: ConfigurationSection) throws(AuthFailure) -> BeyondIdentityConfiguration.SignUp? {
        guard let page = try table.url("signup_url") else {
            try table.refuse(["signup_kind", "signup_body"], because: "phrase.signup_url_not_set")
            return nil
        }
        guard try table.word("signup_kind", as: SignUpKind.self) == .browser else { return .form(page, try signUpBody(table)) }
        try table.refuse(["signup_body"], because: "phrase.signup_url_is_page")
        return .browser(page)
    }

    private func signUpBody(_ table: ConfigurationSection) throws(AuthFailure) -> SignUpBody {
        guard let text = try table.text("signup_body") else { return .standard }
        guard let template = try? JSONValue(strict: text), let body = SignUpBody(template) else {
            throw table.error(
                UserMessage("beyond_identity.signup_body_invalid"), at: "signup_body",
                hint: "hint.beyond_identity_signup_body_form")
        }
        return body
    }
}
