internal import AuthModel

/// `kind = "beyond-identity"`.
extension ProviderReader {
    private enum Mode: String, CaseIterable {
        case mediated = "rp-initiated"
        case direct
        case secureAccess = "secure-access"
    }

    private enum ProofKeyUse: String, CaseIterable {
        case required, auto
    }

    private enum SignUpKind: String, CaseIterable {
        case form, browser
    }

    func beyondIdentity() throws(AuthFailure) -> KindSettings {
        let mode = try section.word("mode", as: Mode.self)
        guard let mode else {
            throw section.error(
                "'mode' is missing in \(ConfigurationSection.title(section.path))",
                hint: "add: mode = \"rp-initiated\", \"direct\" or \"secure-access\"")
        }
        if mode == .secureAccess { return .secureAccess(try secureAccess()) }
        try refuse(
            ["client_secret_file", "client_secret_command", "client_auth", "client_key_file", "client_certificate_file"],
            because: "the backend holds the secret, and nobody else")
        try refuse(["invocation", "invoke_hosts", "tokens_url"], because: "mode is not \"secure-access\"")
        return .beyondIdentity(
            BeyondIdentityConfiguration(
                mode: mode == .mediated ? .mediated(try mediated()) : .direct(try direct()), signUp: try signUp(),
                recovery: try url("recover_url"), download: try url("download_url") ?? WebURL(BeyondIdentityConfiguration.standardDownload),
                sessionCheck: try url("session_check_url"))
        )
    }

    private func secureAccess() throws(AuthFailure) -> SecureAccessConfiguration {
        try refuse(
            [
                "url", "capture", "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "signup_url", "signup_kind",
                "signup_body",
                "recover_url", "download_url", "session_check_url",
            ], because: "mode is \"secure-access\", which knows no backend")
        try requireProofKey()
        guard let issuer = try issuer() else {
            throw section.error(
                "'issuer' is missing in \(ConfigurationSection.title(section.path))",
                hint: "add the application's, such as https://auth-us.beyondidentity.com/v1/tenants/T/realms/R/applications/A")
        }
        let hosts = try section.texts("invoke_hosts")
        for text in hosts ?? [] {
            guard let url = WebURL("https://\(text)"), url.path.isEmpty, url.query == nil, url.fragment == nil else {
                throw section.error(
                    "'\(text)' in invoke_hosts is not a host", at: "invoke_hosts", hint: "write it as authenticator.example.org")
            }
        }
        return SecureAccessConfiguration(
            invocation: try section.word("invocation", as: SecureAccessConfiguration.Invocation.self) ?? .automatic,
            invokeHosts: hosts?.map { $0.lowercased() } ?? SecureAccessConfiguration.standardInvokeHosts,
            tokens: try url("tokens_url") ?? SecureAccessConfiguration.tokens(of: issuer))
    }

    private func mediated() throws(AuthFailure) -> BeyondIdentityConfiguration.Mediated {
        try refuse(
            [
                "exchange_url", "session_pointer", "user_pointer", "expires_pointer", "client_id", "scopes", "authorization_endpoint",
                "pkce",
            ],
            because: "in mode rp-initiated the backend does it")
        let text = try section.requiredText("url", hint: "add the backend's page: url = \"https://…/start?redirect={redirect}\"")
        let page = BeyondIdentityConfiguration.Mediated(page: text, capture: try section.texts("capture") ?? ["session"])
        guard page.url(returningTo: RedirectRule.standard.uri(port: 1)) != nil else {
            throw section.error("'url' is refused", at: "url", hint: "it must be an https URL without user name and fragment")
        }
        guard text.split(separator: "{redirect}", omittingEmptySubsequences: false).count == 2 else {
            throw section.error(
                "'url' has no place for {redirect}, or more than one", at: "url",
                hint: "write {redirect} where the address goes that the backend comes back to")
        }
        guard !page.capture.isEmpty else {
            throw section.error("'capture' is an empty list", at: "capture", hint: "name the parameter that is the session")
        }
        return page
    }

    private func direct() throws(AuthFailure) -> BeyondIdentityConfiguration.Direct {
        try refuse(["url", "capture"], because: "in mode direct the code comes here")
        try requireProofKey()
        guard let exchange = try url("exchange_url") else {
            throw section.error(
                "'exchange_url' is missing in \(ConfigurationSection.title(section.path))",
                hint: "add the backend's URL that takes the code")
        }
        guard section["authorization_endpoint"] != nil else {
            throw section.error(
                "'authorization_endpoint' is missing in \(ConfigurationSection.title(section.path))",
                hint: "add Beyond Identity's, such as https://auth.byndid.com/v2/authorize")
        }
        var direct = BeyondIdentityConfiguration.Direct(exchange: exchange)
        direct.session = try pointer("session_pointer") ?? direct.session
        direct.user = try pointer("user_pointer") ?? direct.user
        direct.lifetime = try pointer("expires_pointer") ?? direct.lifetime
        return direct
    }

    /// `pkce`: the challenge goes with every request, to servers that know nothing of it as well, so there is nothing to turn.
    private func requireProofKey() throws(AuthFailure) {
        guard try section.text("pkce") != "off" else {
            throw section.error(
                "PKCE is not switched off: a code that somebody took on its way would be theirs", at: "pkce",
                hint: "write \"auto\" for a server that knows nothing of it: it passes over the challenge")
        }
        _ = try section.word("pkce", as: ProofKeyUse.self)
    }

    private func pointer(_ key: String) throws(AuthFailure) -> String? {
        guard let text = try section.text(key) else { return nil }
        guard text.hasPrefix("/") else {
            throw section.error("'\(text)' is no JSON pointer", at: key, hint: "write it as /session/id")
        }
        return text
    }

    private func signUp() throws(AuthFailure) -> BeyondIdentityConfiguration.SignUp? {
        guard let page = try url("signup_url") else {
            try refuse(["signup_kind", "signup_body"], because: "there is no signup_url")
            return nil
        }
        guard try section.word("signup_kind", as: SignUpKind.self) == .browser else { return .form(page, try signUpBody()) }
        try refuse(["signup_body"], because: "signup_url is a page for the browser")
        return .browser(page)
    }

    private func signUpBody() throws(AuthFailure) -> SignUpBody {
        guard let text = try section.text("signup_body") else { return .standard }
        guard let template = try? JSONValue(strict: text), let body = SignUpBody(template) else {
            throw section.error(
                "'signup_body' is no JSON object with a place for {email}", at: "signup_body",
                hint: "write it like '{\"email\": \"{email}\", \"display_name\": \"{display_name}\"}'")
        }
        return body
    }
}
