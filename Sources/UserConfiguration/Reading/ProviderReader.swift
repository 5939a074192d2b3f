package import AuthModel
import OAuth
import TOML

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
        "sign_in", "sign_up_url", "par", "dpop", "authorization_endpoint",
        "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "end_session_endpoint", "device_authorization_endpoint",
        "client_key_file", "client_key_id", "client_certificate_file", "resource", "policy", "session_lifetime", "sign_in_label",
        "sign_up_label", "registered_scopes", "sign_in_hosts", "hidden",
    ]

    package func read(_ name: ProviderName) throws(AuthFailure) -> ProviderConfiguration {
        let named = try section.text("kind").flatMap(ProviderKind.init)
        try refuseSecrets(kind: named)
        try section.refuseKeys(
            otherThan: Self.keys + ProviderKind.allCases.flatMap(rules.ownKeys), listing: (named.map(rules.ownKeys) ?? []) + Self.keys)
        let kindText = try section.requiredText("kind", hint: "hint.add_kind_oidc")
        guard let kind = ProviderKind(rawValue: kindText) else {
            throw section.unknownWord("kind", kindText, known: ProviderKind.allCases.map(\.rawValue))
        }
        try refuseForeignKeys(kind: kind)
        try refuseAlternatives()
        let definition = rules.kind(kind)
        let reading = try definition.read(section)
        let endpoints = try endpoints()
        let issuer = try section.issuer()
        try require(reading.address, issuer: issuer)
        let secret = try clientSecret()
        let authentication = try clientAuthentication(secret: secret)
        var configuration = ProviderConfiguration(
            name: name, kind: kind, issuer: issuer, clientID: try clientID(reading.client), scopes: try scopes(reading))
        configuration.endpoints = endpoints
        configuration.clientSecret = secret
        configuration.clientAuthentication = authentication
        configuration.redirects = try redirects()
        configuration.postLogoutRedirects = try postLogoutRedirects()
        configuration.caFile = try file("ca_file")
        configuration.apiHosts = try hosts("api_hosts")
        configuration.signInHosts = try hosts("sign_in_hosts")
        configuration.browser = try section.text("browser")
        configuration.isPrivate = try section.flag("private") ?? false
        configuration.loginTimeout = .seconds(try section.wholeNumber("login_timeout", within: 1...86_400) ?? 300)
        configuration.extraParameters = try extraParameters()
        configuration.signUpURL = try section.url("sign_up_url")
        configuration.pushedRequests = try section.word("par", as: PushedRequestMode.self) ?? .auto
        configuration.proofs = try proofs()
        configuration.clientKeyFile = try file("client_key_file")
        configuration.clientKeyID = try section.text("client_key_id")
        configuration.clientCertificateFile = try file("client_certificate_file")
        configuration.resources = try resources()
        configuration.policy = try section.word("policy", as: TokenPolicy.self) ?? .allow
        configuration.exchange = try definition.base(section)
        configuration.kindSettings = reading.settings
        configuration.labels = ProviderLabels(
            signIn: try section.text("sign_in_label"), signUp: try section.text("sign_up_label"),
            guestPrompt: reading.settings?.guestPrompt)
        if case .file(let text)? = configuration.exchange?.assertion {
            configuration.exchange?.assertion = .file(try path(text, key: "assertion_file"))
        }
        configuration.dialect = reading.dialect
        configuration.registeredScopes = try section.scopes("registered_scopes").map { ScopeSet($0) }
        configuration.signInMode = try section.word("sign_in", as: SignInMode.self) ?? .manual
        configuration.sessionLifetime = try section.word("session_lifetime", as: ProviderConfiguration.SessionLifetime.self) ?? .kept
        return configuration
    }

    private func clientID(_ client: KindReading.Client) throws(AuthFailure) -> String {
        switch client {
        case .none: ""
        case .optional: try section.text("client_id") ?? ""
        case .required: try section.requiredText("client_id", hint: "hint.add_client_id")
        }
    }

    private func require(_ address: KindReading.Address, issuer: Issuer?) throws(AuthFailure) {
        guard issuer == nil else { return }
        switch address {
        case .own: break
        case .issuer: throw section.missing("issuer", hint: "hint.add_issuer")
        case .endpoints(let keys):
            guard let key = keys.first(where: { !section.has($0) }) else { return }
            throw section.missing(key, hint: "hint.set_issuer_or_endpoint")
        }
    }

    private func endpoints() throws(AuthFailure) -> ProviderConfiguration.Endpoints {
        ProviderConfiguration.Endpoints(
            authorization: try section.url("authorization_endpoint"), token: try section.url("token_endpoint"),
            userInfo: try section.url("userinfo_endpoint"),
            revocation: try revocationEndpoint(), endSession: try section.url("end_session_endpoint"),
            deviceAuthorization: try section.url("device_authorization_endpoint"))
    }

    /// Reads the revocation endpoint, whose path may have the client's identifier.
    private func revocationEndpoint() throws(AuthFailure) -> WebURL? {
        let key = "revocation_endpoint"
        guard let text = try section.text(key), text.contains("{client_id}") else { return try section.url(key) }
        let clientID = FormEncoding.escape(try section.text("client_id") ?? "")
        guard let url = WebURL(text.replacing("{client_id}", with: clientID)), url.isRequestable, url.fragment == nil else {
            return try section.url(key)
        }
        return url
    }

    private func refuseAlternatives() throws(AuthFailure) {
        for group in AlternativeKeys.groups {
            let keys = group.filter(section.has)
            guard keys.count > 1 else { continue }
            throw section.error(
                UserMessage("config.keys_exclude_each_other", ["key": keys[0], "other": keys[1]]), at: keys[1],
                hint: "hint.remove_one_of_two")
        }
    }

    private func clientSecret() throws(AuthFailure) -> ProviderConfiguration.SecretSource? {
        if let file = try section.text("client_secret_file") { return .file(try path(file, key: "client_secret_file")) }
        return try section.command("client_secret_command", example: "[\"pass\", \"show\", \"work\"]").map { .command($0) }
    }

    private func proofs() throws(AuthFailure) -> ProofMode {
        // Older versions bound tokens whenever a provider offered it, which broke tools that send them as Bearer tokens.
        if try section.text("dpop") == "auto" {
            throw section.error(
                UserMessage("config.dpop_auto_unsupported"), at: "dpop", hint: "hint.remove_or_dpop_required")
        }
        return try section.word("dpop", as: ProofMode.self) ?? .off
    }

    private func clientAuthentication(
        secret: ProviderConfiguration.SecretSource?
    ) throws(AuthFailure) -> ProviderConfiguration.ClientAuthentication {
        guard let method = try section.word("client_auth", as: ProviderConfiguration.ClientAuthentication.self) else { return .auto }
        switch method {
        case .clientSecretBasic, .clientSecretBasicRaw, .clientSecretPost:
            guard secret != nil else {
                throw section.error(
                    UserMessage("config.client_auth_needs_secret", ["method": method.rawValue]), at: "client_auth",
                    hint: "hint.add_secret_source")
            }
        case .none where hasSecretField: break
        case .none, .clientSecretBasicEmpty:
            guard secret == nil else {
                throw section.error(
                    UserMessage("config.client_auth_has_secret", ["method": method.rawValue]), at: "client_auth",
                    hint: "hint.remove_one_of_two")
            }
        case .privateKeyJWT: try require("client_key_file", for: method, hint: "hint.name_client_key_file")
        case .tls: try require("client_certificate_file", for: method, hint: "hint.name_client_certificate_pem")
        case .auto: break
        }
        return method
    }

    /// Whether the client's secret is sent in a header field, so that a client that does not authenticate has one.
    private var hasSecretField: Bool {
        SecretPlaceholder.tables.contains { table in
            (section[table]?.members ?? []).contains { $0.value.string?.contains(SecretPlaceholder.text) == true }
        }
    }

    private func require(
        _ key: String, for method: ProviderConfiguration.ClientAuthentication, hint: UserMessage
    ) throws(AuthFailure) {
        guard !section.has(key) else { return }
        throw section.error(
            UserMessage("config.client_auth_needs", ["method": method.rawValue, "key": key]), at: "client_auth", hint: hint)
    }

    private func scopes(_ reading: KindReading) throws(AuthFailure) -> ScopeSet {
        let values = try section.scopes("scopes") ?? reading.scopes
        if let hint = reading.openIDHint, !values.contains("openid") {
            throw section.error("config.openid_scope_missing", at: "scopes", hint: hint)
        }
        return ScopeSet(values)
    }

    private func resources() throws(AuthFailure) -> [String] {
        let resources = try section.textOrTexts("resource") ?? []
        for text in resources {
            // RFC 8707 section 2: an absolute URI without a fragment. Yett sends tokens to these addresses, so they must be web addresses.
            guard let url = WebURL(text), url.fragment == nil else {
                throw section.error(
                    UserMessage("config.resource_not_a_url", ["resource": text]), at: "resource", hint: "hint.write_resource_url"
                )
            }
        }
        return resources
    }

    private func redirects() throws(AuthFailure) -> [RedirectRule] {
        if let page = try section.text("paste_redirect") {
            guard let rule = RedirectRule(page: page) else {
                throw section.error(
                    UserMessage("config.paste_redirect_refused", ["url": page]), at: "paste_redirect",
                    hint: "hint.paste_redirect_form")
            }
            return [rule]
        }
        guard let texts = try section.textOrTexts("redirect") else { return [.standard] }
        let rules = try texts.map { (text) throws(AuthFailure) -> RedirectRule in
            guard let rule = RedirectRule(text) else {
                throw section.error(
                    UserMessage("config.redirect_refused", ["url": text]), at: "redirect",
                    hint: UserMessage("hint.redirect_form", ["alternative": RedirectRule.outOfBand]))
            }
            return rule
        }
        guard !rules.isEmpty else {
            throw section.error("config.redirect_list_empty", at: "redirect", hint: "hint.remove_to_use_default_redirect")
        }
        return rules
    }

    private func postLogoutRedirects() throws(AuthFailure) -> [RedirectRule] {
        try (section.textOrTexts("post_logout_redirect") ?? []).map { (text) throws(AuthFailure) -> RedirectRule in
            guard let rule = RedirectRule(text), rule.redirectsToThisMachine else {
                throw section.error(
                    UserMessage("config.post_logout_redirect_refused", ["url": text]), at: "post_logout_redirect",
                    hint: "hint.loopback_redirect_form")
            }
            return rule
        }
    }

    private func hosts(_ key: String) throws(AuthFailure) -> [String] {
        try (section.texts(key) ?? []).map { (text) throws(AuthFailure) -> String in
            guard let url = WebURL("https://\(text)"), url.path.isEmpty, url.query == nil, url.fragment == nil else {
                throw section.error(UserMessage("config.not_a_host", ["host": text]), at: key, hint: "hint.host_form")
            }
            return text.asciiLowercased()
        }
    }

    private func extraParameters() throws(AuthFailure) -> [String: String] {
        guard let table = try section.table("extra_params") else { return [:] }
        var parameters: [String: String] = [:]
        for key in table.keys {
            if AuthorizationRequest.ownParameters.contains(key) {
                throw table.error(
                    UserMessage("config.extra_params_forbidden", ["key": key]), at: key, hint: "hint.yett_sets_it_itself")
            }
            parameters[key] = try table.text(key)
        }
        return parameters
    }

    private func file(_ key: String) throws(AuthFailure) -> String? {
        try section.text(key).map { text throws(AuthFailure) in try path(text, key: key) }
    }

    /// Returns the folder of the file that sets a key.
    private func folder(of key: String) -> String {
        let file = section.document.file(of: section.path + [key])
        guard file != section.document.name, let slash = file.lastIndex(of: "/") else { return directory }
        return String(file[..<slash])
    }

    /// Returns an absolute path: `~/` means the home folder, and a relative path starts at the folder of the file that sets it.
    private func path(_ text: String, key: String) throws(AuthFailure) -> String {
        if text.hasPrefix("/") { return text }
        guard text.hasPrefix("~/") else { return folder(of: key) + "/" + text }
        guard let home else { throw section.error(UserMessage("config.home_not_set", ["key": key]), at: key, hint: "hint.write_full_path") }
        return home + text.dropFirst()
    }
}

/// Checks for keys that are not allowed in this provider's table, with any value.
extension ProviderReader {
    /// Throws if the table contains a secret, because secrets never belong in the configuration; the hint says where they belong.
    package func refuseSecrets(kind: ProviderKind?) throws(AuthFailure) {
        func refusal(of key: String, hint: UserMessage) -> AuthFailure {
            section.error(UserMessage("config.secret_in_configuration", ["key": key]), at: key, hint: hint)
        }
        let secret = "client_secret"
        if section.has(secret) {
            let standardHint = UserMessage("hint.use_secret_file")
            throw refusal(of: secret, hint: kind.flatMap { rules.kind($0).foreignSecrets[secret] } ?? standardHint)
        }
        // A secret of another kind is not a key of any kind, so look for the secrets of all kinds.
        for kind in [kind].compactMap(\.self) + ProviderKind.allCases {
            let hints = rules.kind(kind).foreignSecrets.filter { $0.key != secret && section.has($0.key) }
            if let (key, hint) = hints.min(by: { $0.key < $1.key }) { throw refusal(of: key, hint: hint) }
        }
    }

    /// Throws if the table contains a key of another kind; the message names that kind.
    package func refuseForeignKeys(kind: ProviderKind) throws(AuthFailure) {
        let own = rules.ownKeys(of: kind)
        for key in section.keys where !own.contains(key) {
            let others = ProviderKind.allCases.filter { rules.ownKeys(of: $0).contains(key) }
            guard !others.isEmpty else { continue }
            let words = others.map { "\"\($0.rawValue)\"" }
            let names = [words.dropLast().joined(separator: ", ")].filter { !$0.isEmpty } + words.suffix(1)
            throw section.error(
                UserMessage("config.key_of_other_kind", ["key": key, "kinds": names.joined(separator: " and ")]), at: key,
                hint: "hint.remove_or_change_kind")
        }
    }
}
