internal import AuthEngine
internal import AuthModel
internal import UserConfiguration

/// The definition of `kind = "beyond-identity"`: two generations, the newer one without a backend (`mode = "secure-access"`).
struct BeyondIdentityKind: KindDefinition {
    let foreignSecrets = ["client_secret": "remove it: only the backend has the secret"]

    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
        switch configuration.own {
        case let settings as BeyondIdentityConfiguration:
            BeyondIdentityAdapter(configuration: configuration, environment: environment, settings: settings)
        case let settings as SecureAccessConfiguration:
            SecureAccessAdapter(configuration: configuration, settings: settings, environment: environment)
        default: OpenIDAdapter(configuration: configuration, environment: environment)
        }
    }

    func redirectNote(of configuration: ProviderConfiguration) -> String? {
        guard case .mediated(let page)? = (configuration.own as? BeyondIdentityConfiguration)?.mode, page.path == .random else {
            return nil
        }
        return "callback_path is \"random\": each sign-in adds a part to the path, so the backend must accept every path below"
    }

    // MARK: Reading

    private enum Mode: String, CaseIterable {
        case mediated = "rp-initiated"
        case direct
        case secureAccess = "secure-access"
    }

    private enum ProofKeyUse: String, CaseIterable {
        case required, auto
    }

    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading {
        guard let mode = try table.word("mode", as: Mode.self) else {
            throw table.missing("mode", hint: "add: mode = \"rp-initiated\", \"direct\" or \"secure-access\"")
        }
        if mode == .secureAccess {
            return KindReading(settings: try secureAccess(table), scopes: ["openid"], openIDHint: "add it")
        }
        try table.refuse(
            ["client_secret_file", "client_secret_command", "client_auth", "client_key_file", "client_certificate_file"],
            because: "only the backend has the secret")
        try table.refuse(["invocation", "invoke_hosts", "tokens_url"], because: "mode is not \"secure-access\"")
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

    private func secureAccess(_ table: any SettingsTable) throws(AuthFailure) -> SecureAccessConfiguration {
        try table.refuse(
            [
                "url", "capture", "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "signup_url", "signup_kind",
                "signup_body", "recover_url", "download_url", "session_check_url", "sign_out_url", "callback_path",
            ], because: "mode is \"secure-access\", which has no backend")
        try requireProofKey(table)
        guard let issuer = try table.issuer() else {
            throw table.missing(
                "issuer",
                hint: "add the application's issuer, such as https://auth-us.beyondidentity.com/v1/tenants/T/realms/R/applications/A")
        }
        let hosts = try table.texts("invoke_hosts")
        for text in hosts ?? [] {
            guard let url = WebURL("https://\(text)"), url.path.isEmpty, url.query == nil, url.fragment == nil else {
                throw table.error(
                    "'\(text)' in invoke_hosts is not a host", at: "invoke_hosts", hint: "use a form like authenticator.example.org")
            }
        }
        return SecureAccessConfiguration(
            invocation: try table.word("invocation", as: SecureAccessConfiguration.Invocation.self) ?? .automatic,
            invokeHosts: hosts?.map { $0.lowercased() } ?? SecureAccessConfiguration.standardInvokeHosts,
            tokens: try table.url("tokens_url") ?? SecureAccessConfiguration.tokens(of: issuer))
    }

    private func mediated(_ table: any SettingsTable) throws(AuthFailure) -> BeyondIdentityConfiguration.BackendSignIn {
        try table.refuse(
            [
                "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "client_id", "scopes", "authorization_endpoint",
                "pkce",
            ],
            because: "in mode rp-initiated, the backend does this")
        let text = try table.requiredText(
            "url", hint: "add the backend's page: url = \"https://…/start?redirect={redirect}&state={state}\"")
        let page = BeyondIdentityConfiguration.BackendSignIn(
            page: text, capture: try table.texts("capture") ?? ["session"],
            path: try table.word("callback_path", as: BeyondIdentityConfiguration.BackendSignIn.Path.self) ?? .exact)
        guard page.url(returningTo: RedirectRule.standard.uri(port: 1)) != nil else {
            throw table.error("'url' is refused", at: "url", hint: "it must be an https URL without user name and fragment")
        }
        guard text.split(separator: "{redirect}", omittingEmptySubsequences: false).count == 2 else {
            throw table.error(
                "'url' must contain {redirect} exactly once", at: "url",
                hint: "write {redirect} in place of the redirect address")
        }
        guard !page.capture.isEmpty else {
            throw table.error("'capture' is an empty list", at: "capture", hint: "add the parameter that contains the session")
        }
        return page
    }

    private func direct(_ table: any SettingsTable) throws(AuthFailure) -> BeyondIdentityConfiguration.Direct {
        try table.refuse(["url", "capture", "callback_path"], because: "in mode direct, yett receives the code")
        try requireProofKey(table)
        guard let exchange = try table.url("exchange_url") else {
            throw table.missing("exchange_url", hint: "add the backend's URL that accepts the code")
        }
        guard table.has("authorization_endpoint") else {
            throw table.missing(
                "authorization_endpoint", hint: "add Beyond Identity's, such as https://auth.byndid.com/v2/authorize")
        }
        var direct = BeyondIdentityConfiguration.Direct(exchange: exchange)
        direct.session = try pointer("session_pointer", in: table) ?? direct.session
        direct.user = try pointer("user_pointer", in: table) ?? direct.user
        direct.lifetime = try pointer("expires_pointer", in: table) ?? direct.lifetime
        return direct
    }

    /// Checks `pkce`. Every request has a challenge, because a server without PKCE ignores it, so "off" is refused and the other values
    /// change nothing.
    private func requireProofKey(_ table: any SettingsTable) throws(AuthFailure) {
        guard try table.text("pkce") != "off" else {
            throw table.error(
                "PKCE cannot be turned off: without it, a stolen code could be used", at: "pkce",
                hint: "use \"auto\" for a server without PKCE, which ignores the challenge")
        }
        _ = try table.word("pkce", as: ProofKeyUse.self)
    }

    private func pointer(_ key: String, in table: any SettingsTable) throws(AuthFailure) -> String? {
        guard let text = try table.text(key) else { return nil }
        guard text.hasPrefix("/") else {
            throw table.error("'\(text)' is not a JSON pointer", at: key, hint: "use a form like /session/id")
        }
        return text
    }
}
