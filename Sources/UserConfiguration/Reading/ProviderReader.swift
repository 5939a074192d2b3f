package import AuthModel
internal import OAuth
internal import TOML

/// Reads one `[providers.NAME]` table.
package struct ProviderReader {
    package let section: ConfigurationSection
    package let directory: String
    package let home: String?
    package let rules: ConfigurationRules

    /// The keys that all provider kinds share.
    package static let keys = [
        "kind", "issuer", "client_id", "client_secret_file", "client_secret_command", "client_auth", "scopes", "redirect",
        "paste_redirect", "post_logout_redirect", "ca_file", "api_hosts", "browser", "private", "login_timeout", "extra_params",
        "sign_up_url", "par", "dpop", "authorization_endpoint",
        "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint", "device_authorization_endpoint",
        "client_key_file", "client_key_id", "client_certificate_file", "resource", "policy", "session_lifetime", "sign_in_label",
        "sign_up_label", "registered_scopes",
    ]

    package func read(_ name: ProviderName) throws(AuthFailure) -> ProviderConfiguration {
        let named = try section.text("kind").flatMap(ProviderKind.init)
        try refuseSecrets(kind: named)
        try section.refuseKeys(
            otherThan: Self.keys + ProviderKind.allCases.flatMap(rules.ownKeys), listing: (named.map(rules.ownKeys) ?? []) + Self.keys)
        let kindText = try section.requiredText("kind", hint: "add: kind = \"oidc\"")
        guard let kind = ProviderKind(rawValue: kindText) else {
            throw section.unknownWord("kind", kindText, known: ProviderKind.allCases.map(\.rawValue))
        }
        try refuseForeignKeys(kind: kind)
        let definition = rules.kind(kind)
        let reading = try definition.read(section)
        let endpoints = try endpoints()
        let issuer = try section.issuer()
        try require(reading.address, issuer: issuer)
        let secret = try clientSecret()
        let authentication = try clientAuthentication(secret: secret)
        var configuration = ProviderConfiguration(
            name: name, kind: kind, issuer: issuer,
            clientID: try clientID(reading.client), endpoints: endpoints,
            clientSecret: secret, clientAuthentication: authentication, scopes: try scopes(reading),
            redirects: try redirects(),
            postLogoutRedirects: try postLogoutRedirects(),
            caFile: try file("ca_file"),
            apiHosts: try apiHosts(), browser: try section.text("browser"), isPrivate: try section.flag("private") ?? false,
            loginTimeout: .seconds(try section.wholeNumber("login_timeout", within: 1...86_400) ?? 300),
            extraParameters: try extraParameters(), signUpURL: try section.url("sign_up_url"),
            pushedRequests: try section.word("par", as: PushedRequestMode.self) ?? .auto,
            proofs: try proofs(), clientKeyFile: try file("client_key_file"),
            clientKeyID: try section.text("client_key_id"), clientCertificateFile: try file("client_certificate_file"),
            resources: try resources(), policy: try section.word("policy", as: TokenPolicy.self) ?? .allow,
            exchange: try definition.base(section), own: reading.settings,
            labels: ProviderLabels(
                signIn: try section.text("sign_in_label"), signUp: try section.text("sign_up_label"),
                guestPrompt: reading.settings?.guestPrompt))
        configuration.registeredScopes = try section.scopes("registered_scopes").map { ScopeSet($0) }
        configuration.sessionLifetime = try section.word("session_lifetime", as: ProviderConfiguration.SessionLifetime.self) ?? .kept
        return configuration
    }

    private func clientID(_ client: KindReading.Client) throws(AuthFailure) -> String {
        switch client {
        case .none: ""
        case .optional: try section.text("client_id") ?? ""
        case .required: try section.requiredText("client_id", hint: "add the client_id that the provider gave you")
        }
    }

    private func require(_ address: KindReading.Address, issuer: Issuer?) throws(AuthFailure) {
        guard issuer == nil else { return }
        switch address {
        case .own: break
        case .issuer: throw section.missing("issuer", hint: "add the provider's issuer, an https URL")
        case .endpoints(let keys):
            guard let key = keys.first(where: { !section.has($0) }) else { return }
            throw section.missing(key, hint: "set an issuer whose metadata has it, or set it here")
        }
    }

    private func endpoints() throws(AuthFailure) -> ProviderConfiguration.Endpoints {
        ProviderConfiguration.Endpoints(
            authorization: try section.url("authorization_endpoint"), token: try section.url("token_endpoint"),
            userInfo: try section.url("userinfo_endpoint"),
            revocation: try section.url("revocation_endpoint"), endSession: try section.url("end_session_endpoint"),
            deviceAuthorization: try section.url("device_authorization_endpoint"))
    }

    private func clientSecret() throws(AuthFailure) -> ProviderConfiguration.SecretSource? {
        let file = try section.text("client_secret_file")
        if file != nil, section.has("client_secret_command") {
            throw section.error(
                "the client secret has two sources", at: "client_secret_command",
                hint: "keep one of client_secret_file and client_secret_command")
        }
        if let file { return .file(try path(file, key: "client_secret_file")) }
        return try section.command("client_secret_command", example: "[\"pass\", \"show\", \"work\"]").map { .command($0) }
    }

    private func proofs() throws(AuthFailure) -> ProofMode {
        // Older versions bound tokens whenever a provider offered it, which broke tools that send them as Bearer tokens.
        if try section.text("dpop") == "auto" {
            throw section.error(
                "dpop 'auto' is no longer supported", at: "dpop", hint: "remove it, or write dpop = \"required\" to bind tokens to a key")
        }
        return try section.word("dpop", as: ProofMode.self) ?? .off
    }

    private func clientAuthentication(
        secret: ProviderConfiguration.SecretSource?
    ) throws(AuthFailure) -> ProviderConfiguration.ClientAuthentication {
        guard let method = try section.word("client_auth", as: ProviderConfiguration.ClientAuthentication.self) else { return .auto }
        switch method {
        case .clientSecretBasic, .clientSecretPost:
            guard secret != nil else {
                throw section.error(
                    "client_auth '\(method.rawValue)' needs a secret", at: "client_auth",
                    hint: "add client_secret_file or client_secret_command")
            }
        case .none:
            guard secret == nil else {
                throw section.error("client_auth 'none' does not use a secret", at: "client_auth", hint: "remove one of the two")
            }
        case .privateKeyJWT: try require("client_key_file", for: method, hint: "name a PEM file with the client's private key")
        case .tls: try require("client_certificate_file", for: method, hint: "name a PEM file with the client's certificate")
        case .auto: break
        }
        return method
    }

    private func require(
        _ key: String, for method: ProviderConfiguration.ClientAuthentication, hint: String
    ) throws(AuthFailure) {
        guard !section.has(key) else { return }
        throw section.error("client_auth '\(method.rawValue)' needs \(key)", at: "client_auth", hint: hint)
    }

    private func scopes(_ reading: KindReading) throws(AuthFailure) -> ScopeSet {
        let values = try section.scopes("scopes") ?? reading.scopes
        if let hint = reading.openIDHint, !values.contains("openid") {
            throw section.error("an OpenID provider needs the scope 'openid'", at: "scopes", hint: hint)
        }
        return ScopeSet(values)
    }

    private func resources() throws(AuthFailure) -> [String] {
        let resources = try section.textOrTexts("resource") ?? []
        for text in resources {
            // RFC 8707 section 2: an absolute URI without a fragment. Yett sends tokens to these addresses, so they must be web addresses.
            guard let url = WebURL(text), url.fragment == nil else {
                throw section.error(
                    "the resource '\(text)' is not a URL", at: "resource", hint: "write it as https://api.example.org/, without a fragment"
                )
            }
        }
        return resources
    }

    private func redirects() throws(AuthFailure) -> [RedirectRule] {
        if let page = try section.text("paste_redirect") {
            try section.refuse(["redirect"], because: "paste_redirect replaces the callback to this machine")
            guard let rule = RedirectRule(page: page) else {
                throw section.error(
                    "the paste_redirect '\(page)' is refused", at: "paste_redirect",
                    hint: "use an https page on another host, with a path, such as https://www.example.org/callback")
            }
            return [rule]
        }
        guard let texts = try section.textOrTexts("redirect") else { return [.standard] }
        var rules: [RedirectRule] = []
        for text in texts {
            guard let rule = RedirectRule(text) else {
                throw section.error(
                    "the redirect '\(text)' is refused", at: "redirect",
                    hint:
                        "use http on 127.0.0.1, [::1] or localhost, such as http://127.0.0.1/callback, or \(RedirectRule.outOfBand)")
            }
            rules.append(rule)
        }
        guard !rules.isEmpty else {
            throw section.error("'redirect' is an empty list", at: "redirect", hint: "remove it to use http://127.0.0.1/callback")
        }
        return rules
    }

    private func postLogoutRedirects() throws(AuthFailure) -> [RedirectRule] {
        var rules: [RedirectRule] = []
        for text in try section.textOrTexts("post_logout_redirect") ?? [] {
            guard let rule = RedirectRule(text), rule.redirectsToThisMachine else {
                throw section.error(
                    "the post_logout_redirect '\(text)' is refused", at: "post_logout_redirect",
                    hint: "use http on 127.0.0.1, [::1] or localhost, such as http://127.0.0.1/callback")
            }
            rules.append(rule)
        }
        return rules
    }

    private func apiHosts() throws(AuthFailure) -> [String] {
        var hosts: [String] = []
        for text in try section.texts("api_hosts") ?? [] {
            guard let url = WebURL("https://\(text)"), url.path.isEmpty, url.query == nil, url.fragment == nil else {
                throw section.error("'\(text)' is not a host", at: "api_hosts", hint: "write it as api.example.org or api.example.org:8443")
            }
            hosts.append(text.lowercased())
        }
        return hosts
    }

    private func extraParameters() throws(AuthFailure) -> [String: String] {
        guard let values = section["extra_params"] else { return [:] }
        let table = try ConfigurationSection(values, at: section.path + ["extra_params"], of: section.document)
        var parameters: [String: String] = [:]
        for key in table.keys {
            if AuthorizationRequest.ownParameters.contains(key) {
                throw table.error(
                    "extra_params may not set '\(key)'", at: key, hint: "Yett sets it itself in every sign-in; remove it")
            }
            parameters[key] = try table.text(key)
        }
        return parameters
    }

    private func file(_ key: String) throws(AuthFailure) -> String? {
        try section.text(key).map { text throws(AuthFailure) in try path(text, key: key) }
    }

    /// Returns an absolute path: `~/` means the home folder, and a relative path starts at the configuration's folder.
    private func path(_ text: String, key: String) throws(AuthFailure) -> String {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("~/") else { return directory + "/" + text }
        guard let home else { throw section.error("'\(key)' begins with ~, but HOME is not set", at: key, hint: "write the full path") }
        return home + text.dropFirst()
    }
}
