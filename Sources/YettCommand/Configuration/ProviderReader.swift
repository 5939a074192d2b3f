internal import AuthModel
internal import OAuth
internal import TOML

/// Reads one `[providers.NAME]`.
struct ProviderReader {
    let section: ConfigurationSection
    let directory: String
    let home: String?

    /// Every key there may be.
    static let keys = [
        "kind", "issuer", "client_id", "client_secret_file", "client_secret_command", "client_auth", "scopes", "redirect",
        "paste_redirect", "post_logout_redirect", "ca_file", "api_hosts", "browser", "private", "login_timeout", "extra_params",
        "sign_up_url", "par", "dpop", "authorization_endpoint",
        "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint", "device_authorization_endpoint",
        "client_key_file", "client_key_id", "client_certificate_file", "resource", "policy", "session_lifetime", "sign_in_label",
        "sign_up_label",
    ]

    func read(_ name: ProviderName) throws(AuthFailure) -> ProviderConfiguration {
        let named = try section.text("kind").flatMap(ProviderKind.init)
        if section["client_secret"] != nil {
            let isTheBackends = named.map(Self.kindsWithBackend.contains) ?? false
            throw section.error(
                "a client_secret does not belong in the configuration", at: "client_secret",
                hint: isTheBackends
                    ? "remove it: the backend holds the secret, and nobody else"
                    : "put it in a file only you can read, and name that with client_secret_file")
        }
        if section["access_token"] != nil {
            throw section.error(
                "an access_token does not belong in the configuration", at: "access_token",
                hint: "OpenWeb's is the publisher's backend's alone; name that with codeb_url")
        }
        try section.refuseKeys(
            otherThan: Self.keys + ProviderKind.allCases.flatMap { Self.ownKeys[$0] ?? [] },
            listing: (named.flatMap { Self.ownKeys[$0] } ?? []) + Self.keys)
        let kindText = try section.requiredText("kind", hint: "add: kind = \"oidc\"")
        guard let kind = ProviderKind(rawValue: kindText) else {
            throw section.unknownWord("kind", kindText, known: ProviderKind.allCases.map(\.rawValue))
        }
        try refuseForeignKeys(kind: kind)
        let own = try ownSettings(kind: kind)
        let endpoints = try endpoints()
        let issuer = try issuer()
        if own == nil { try requireAddress(kind: kind, issuer: issuer, endpoints: endpoints) }
        let secret = try clientSecret()
        let authentication = try clientAuthentication(secret: secret)
        var configuration = ProviderConfiguration(
            name: name, kind: kind, issuer: issuer,
            clientID: try clientID(own: own), endpoints: endpoints,
            clientSecret: secret, clientAuthentication: authentication, scopes: try scopes(kind: kind, own: own),
            redirects: try redirects(),
            postLogoutRedirects: try postLogoutRedirects(),
            caFile: try file("ca_file"),
            apiHosts: try apiHosts(), browser: try section.text("browser"), isPrivate: try section.flag("private") ?? false,
            loginTimeout: .seconds(try section.wholeNumber("login_timeout", within: 1...86_400) ?? 300),
            extraParameters: try extraParameters(), signUpURL: try url("sign_up_url"),
            pushedRequests: try section.word("par", as: ProtectionUse.self) ?? .auto,
            proofs: try section.word("dpop", as: ProtectionUse.self) ?? .auto, clientKeyFile: try file("client_key_file"),
            clientKeyID: try section.text("client_key_id"), clientCertificateFile: try file("client_certificate_file"),
            resources: try resources(), policy: try section.word("policy", as: HandOutPolicy.self) ?? .allow,
            exchange: try exchange(kind: kind), own: own, labels: try labels(own: own))
        configuration.sessionLifetime = try section.word("session_lifetime", as: ProviderConfiguration.SessionLifetime.self) ?? .kept
        return configuration
    }

    private func labels(own: KindSettings?) throws(AuthFailure) -> ProviderLabels {
        var labels = ProviderLabels(signIn: try section.text("sign_in_label"), signUp: try section.text("sign_up_label"))
        if case .openWeb(let settings)? = own { labels.guestPrompt = settings.promptText }
        return labels
    }

    /// Some kinds learn the client from the provider, at every sign-in.
    private func clientID(own: KindSettings?) throws(AuthFailure) -> String {
        switch own {
        case .mapsIndoors(.solution)?, .openWeb?: return ""
        // The backend is the client.
        case .beyondIdentity(let settings)?: if case .mediated = settings.mode { return "" }
        // Without one, people sign in with user name and password.
        case .arcGIS?: return try section.text("client_id") ?? ""
        case .mapsIndoors(.booking)?, .secureAccess?, nil: break
        }
        return try section.requiredText("client_id", hint: "add the client_id that the provider gave you")
    }

    private func requireAddress(
        kind: ProviderKind, issuer: Issuer?, endpoints: ProviderConfiguration.Endpoints
    ) throws(AuthFailure) {
        guard issuer == nil else { return }
        switch kind {
        case .exchange:
            guard endpoints.token == nil else { return }
            throw section.error(
                "'token_endpoint' is missing in \(ConfigurationSection.title(section.path))",
                hint: "give an issuer whose metadata names it, or write it here")
        case .oidc, .mapsIndoors, .beyondIdentity, .arcGIS, .openWeb:
            throw section.error(
                "'issuer' is missing in \(ConfigurationSection.title(section.path))", hint: "add the provider's issuer, an https URL")
        case .oauth2:
            for (key, endpoint) in [("authorization_endpoint", endpoints.authorization), ("token_endpoint", endpoints.token)]
            where endpoint == nil {
                throw section.error(
                    "'\(key)' is missing in \(ConfigurationSection.title(section.path))",
                    hint: "give an issuer whose metadata names it, or write it here")
            }
        }
    }

    func issuer() throws(AuthFailure) -> Issuer? {
        guard let text = try section.text("issuer") else { return nil }
        if let issuer = Issuer(text) { return issuer }
        throw section.error(
            "the issuer '\(text)' is refused", at: "issuer",
            hint: Self.urlHint(text, plain: "an issuer is an https URL without query and fragment"))
    }

    func url(_ key: String) throws(AuthFailure) -> WebURL? {
        guard let text = try section.text(key) else { return nil }
        if let url = WebURL(text), url.isProtected, url.fragment == nil { return url }
        throw section.error("'\(key)' is refused", at: key, hint: Self.urlHint(text, plain: "it must be an https URL without fragment"))
    }

    private static func urlHint(_ text: String, plain: String) -> String {
        guard let url = WebURL(text), url.origin.scheme == .http, !url.isProtected else { return plain }
        return url.origin.host == "localhost"
            ? "http is taken only for a loopback literal: write 127.0.0.1 instead of localhost"
            : "http is taken only for a loopback literal such as 127.0.0.1; use https"
    }

    private func endpoints() throws(AuthFailure) -> ProviderConfiguration.Endpoints {
        ProviderConfiguration.Endpoints(
            authorization: try url("authorization_endpoint"), token: try url("token_endpoint"), userInfo: try url("userinfo_endpoint"),
            revocation: try url("revocation_endpoint"), endSession: try url("end_session_endpoint"),
            deviceAuthorization: try url("device_authorization_endpoint"))
    }

    private func clientSecret() throws(AuthFailure) -> ProviderConfiguration.SecretSource? {
        let file = try section.text("client_secret_file")
        let command = section["client_secret_command"]
        if file != nil, command != nil {
            throw section.error(
                "the client secret has two sources", at: "client_secret_command",
                hint: "keep one of client_secret_file and client_secret_command")
        }
        if let file { return .file(try path(file, key: "client_secret_file")) }
        guard let command else { return nil }
        let words: [String]
        if let line = command.string {
            words = line.split(separator: " ").map(String.init)
        } else {
            words = try section.texts("client_secret_command") ?? []
        }
        guard !words.isEmpty else {
            throw section.error(
                "'client_secret_command' names no command", at: "client_secret_command", hint: "write it as [\"pass\", \"show\", \"work\"]")
        }
        return .command(words)
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
                throw section.error("client_auth 'none' has no use for a secret", at: "client_auth", hint: "remove one of the two")
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
        guard section[key] == nil else { return }
        throw section.error("client_auth '\(method.rawValue)' needs \(key)", at: "client_auth", hint: hint)
    }

    private func scopes(kind: ProviderKind, own: KindSettings?) throws(AuthFailure) -> ScopeSet {
        var isOpenID = kind == .oidc
        if case .secureAccess? = own { isOpenID = true }
        let values = try scopeList("scopes") ?? (isOpenID || kind == .mapsIndoors ? ["openid"] : [])
        if isOpenID, !values.contains("openid") {
            let hint = kind == .oidc ? "add it, or use kind = \"oauth2\"" : "add it"
            throw section.error("an OpenID provider needs the scope 'openid'", at: "scopes", hint: hint)
        }
        return ScopeSet(values)
    }

    func scopeList(_ key: String) throws(AuthFailure) -> [String]? {
        let values = try section.texts(key)
        if let bad = values?.first(where: { !ScopeSet.isScope($0) }) {
            throw section.error("'\(bad)' is not a scope", at: key, hint: "one scope each: \(key) = [\"openid\", \"profile\"]")
        }
        return values
    }

    private func redirects() throws(AuthFailure) -> [RedirectRule] {
        if let page = try section.text("paste_redirect") {
            try refuse(["redirect"], because: "with paste_redirect nobody comes back to this machine")
            guard let rule = RedirectRule(page: page) else {
                throw section.error(
                    "the paste_redirect '\(page)' is refused", at: "paste_redirect",
                    hint: "it must be an https page elsewhere, with a path, such as https://www.example.org/callback")
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
                        "it must be http on 127.0.0.1, [::1] or localhost, such as http://127.0.0.1/callback, or \(RedirectRule.outOfBand)")
            }
            rules.append(rule)
        }
        guard !rules.isEmpty else {
            throw section.error("'redirect' is an empty list", at: "redirect", hint: "leave it out for http://127.0.0.1/callback")
        }
        return rules
    }

    private func postLogoutRedirects() throws(AuthFailure) -> [RedirectRule] {
        var rules: [RedirectRule] = []
        for text in try section.textOrTexts("post_logout_redirect") ?? [] {
            guard let rule = RedirectRule(text), rule.comesBackHere else {
                throw section.error(
                    "the post_logout_redirect '\(text)' is refused", at: "post_logout_redirect",
                    hint: "it must be http on 127.0.0.1, [::1] or localhost, such as http://127.0.0.1/callback")
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
                    "extra_params may not set '\(key)'", at: key, hint: "it belongs to the request itself, and is set with every sign-in")
            }
            parameters[key] = try table.text(key)
        }
        return parameters
    }

    private func file(_ key: String) throws(AuthFailure) -> String? {
        try section.text(key).map { text throws(AuthFailure) in try path(text, key: key) }
    }

    /// An absolute path: `~/` is the home, a relative one starts at the folder of the configuration.
    private func path(_ text: String, key: String) throws(AuthFailure) -> String {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("~/") else { return directory + "/" + text }
        guard let home else { throw section.error("'\(key)' begins with ~, and HOME is not set", at: key, hint: "write the whole path") }
        return home + text.dropFirst()
    }
}
