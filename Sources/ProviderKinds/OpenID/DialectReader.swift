import AuthModel
import OAuth
import UserConfiguration

/// Reads how a service differs from the standards, from the table of its provider.
struct DialectReader {
    let table: ConfigurationSection

    /// Reads the dialect. Throws for values that are not valid, and for keys that contradict each other.
    func read() throws(AuthFailure) -> ProviderDialect {
        var dialect = ProviderDialect()
        dialect.scopeParameter = try parameter("scope_parameter") ?? dialect.scopeParameter
        dialect.scopeSeparator = try scopeSeparator() ?? dialect.scopeSeparator
        dialect.scopesInResponse = try word("scopes_in_response") ?? dialect.scopesInResponse
        dialect.renewalScopes = try word("renewal_scopes") ?? dialect.renewalScopes
        dialect.tokenRequest = try word("token_request") ?? dialect.tokenRequest
        dialect.identity = try identity()
        dialect.userInfo = try word("userinfo") ?? dialect.userInfo
        dialect.userInfoBody = try userInfoBody()
        dialect.userInfoParameters = try userInfoParameters()
        dialect.userInfoScheme = try scheme("userinfo_scheme") ?? dialect.userInfoScheme
        dialect.pkce = try pkce() ?? dialect.pkce
        dialect.clientParameter = try parameter("client_id_parameter") ?? dialect.clientParameter
        dialect.secretParameter = try word("client_secret_parameter") ?? dialect.secretParameter
        dialect.redirectName = try redirectName()
        dialect.redirectParameter = try word("redirect_parameter") ?? dialect.redirectParameter
        dialect.refreshEndpoint = try table.url("refresh_endpoint")
        dialect.longLivedGrant = try grant("long_lived_grant")
        dialect.longLivedEndpoint = try table.url("long_lived_endpoint")
        dialect.renewalGrant = try grant("renewal_grant")
        dialect.accessTokenParameter = try word("access_token_parameter") ?? dialect.accessTokenParameter
        dialect.codeParameter = try codeParameter() ?? dialect.codeParameter
        dialect.tokenCodeParameter = try word("token_code_parameter") ?? dialect.tokenCodeParameter
        dialect.callbackMembers = try callbackMembers(besides: dialect.codeParameter)
        dialect.userInfoHeaders = try headers("userinfo_headers")
        dialect.apiScheme = try scheme("api_scheme") ?? dialect.apiScheme
        dialect.tokenHeader = try tokenHeader()
        dialect.assertionAudience = try word("client_assertion_audience") ?? dialect.assertionAudience
        dialect.assertionIssuer = try table.text("client_assertion_issuer")
        dialect.assertionParameter = try word("client_assertion_parameter") ?? dialect.assertionParameter
        dialect.apiHeaders = try headers("api_headers")
        dialect.apiRefusedStatuses = try refusedStatuses()
        let meanings = ProviderDialect.APIError.allCases.map(\.rawValue)
        dialect.apiErrors = try texts(of: "api_errors") { (code, word, table) throws(AuthFailure) in
            guard meanings.contains(word) else { throw table.unknownWord(code, word, known: meanings) }
        }.compactMapValues(ProviderDialect.APIError.init)
        dialect.assertionAlgorithm = try table.text("client_assertion_algorithm")
        dialect.tokenParameters = try tokenParameters(repeating: dialect.callbackMembers)
        dialect.tokenRequestHeaders = try headers("token_headers")
        dialect.device = try device()
        dialect.accessLifetime = try table.wholeNumber("access_lifetime", within: 60...31_536_000)
        dialect.resourceParameter = try word("resource_parameter") ?? dialect.resourceParameter
        dialect.trustedAudiences = Set(try table.texts("trusted_audiences") ?? [])
        dialect.tokenType = try tokenType()
        dialect.zeroLifetime = try word("zero_lifetime") ?? dialect.zeroLifetime
        dialect.tokensPath = try path("tokens_at", in: table)
        dialect.issuerPattern = try issuerPattern()
        dialect.revocation = try word("revocation") ?? dialect.revocation
        dialect.revocationParameter = try parameter("revocation_parameter") ?? dialect.revocationParameter
        dialect.revokes = try word("revokes") ?? dialect.revokes
        dialect.endSessionParameters = try endSessionParameters()
        dialect.apiHostPath = try path("api_host_from", in: table)
        dialect.renewal = try word("renewal") ?? dialect.renewal
        dialect.discovery = try table.url("discovery")
        try refuseContradictions(dialect)
        return dialect
    }

    private func refuseContradictions(_ dialect: ProviderDialect) throws(AuthFailure) {
        let algorithms = SignatureAlgorithm.allCases.map(\.rawValue)
        if let algorithm = dialect.assertionAlgorithm, !algorithms.contains(algorithm) {
            throw table.unknownWord("client_assertion_algorithm", algorithm, known: algorithms)
        }
        // Without either, any program that sees the code could exchange it.
        let credentials = ["client_secret_file", "client_secret_command", "client_key_file", "client_certificate_file"]
        let sendsSecret = dialect.tokenRequestHeaders.values.contains { $0.contains(SecretPlaceholder.text) }
        let isPublic = try table.text("client_auth") == "none" && !sendsSecret
        if dialect.pkce == .refused, isPublic || !credentials.contains(where: table.has) {
            throw table.error("config.pkce_refused_needs_secret", at: "pkce", hint: "hint.add_secret_source")
        }
        if !dialect.userInfo.isRequested {
            let reason = UserMessage("phrase.because_of_setting", ["key": "userinfo", "value": dialect.userInfo.rawValue])
            try table.refuse(["userinfo_body", "userinfo_params", "userinfo_scheme", "userinfo_headers"], because: reason)
        }
        if dialect.revocation == .none {
            let isNone = UserMessage("phrase.because_of_setting", ["key": "revocation", "value": "none"])
            try table.refuse(["revokes", "revocation_parameter"], because: isNone)
        }
        // A query without grant_type would not be known to have a secret.
        if dialect.tokenRequest == .query, dialect.device.grantType == nil {
            let isQuery = UserMessage("phrase.because_of_setting", ["key": "token_request", "value": "query"])
            try table.refuse(["device_grant"], because: isQuery)
        }
        // The answer to it has no ID token.
        let becauseOfKind = UserMessage("phrase.because_of_setting", ["key": "kind", "value": "oidc"])
        if try table.text("kind") == "oidc" { try table.refuse(["long_lived_grant"], because: becauseOfKind) }
        if dialect.redirectName != nil, !table.has("paste_redirect") {
            throw table.error(
                UserMessage("config.key_needs_other", ["key": "redirect_name", "other": "paste_redirect"]), at: "redirect_name",
                hint: "hint.paste_redirect_form")
        }
        for key in ["issuer_pattern", "discovery"] where table.has(key) && !table.has("issuer") {
            throw table.error(UserMessage("config.key_needs_other", ["key": key, "other": "issuer"]), at: key, hint: "hint.add_issuer")
        }
    }

    private func word<Word: RawRepresentable & CaseIterable>(_ key: String) throws(AuthFailure) -> Word? where Word.RawValue == String {
        try table.word(key, as: Word.self)
    }

    private func pkce() throws(AuthFailure) -> ProviderDialect.PKCEUse? {
        let key = "pkce"
        guard try table.text(key) == "plain" else { return try word(key) }
        let known = ProviderDialect.PKCEUse.allCases.map(\.rawValue).joined(separator: ", ")
        throw table.error(
            UserMessage("config.unknown_value", ["key": key, "value": "plain"]), at: key,
            hint: UserMessage("hint.pkce_plain", ["values": known]))
    }

    func path(_ key: String, in table: ConfigurationSection) throws(AuthFailure) -> MemberPath? {
        guard let text = try table.text(key) else { return nil }
        if let path = MemberPath(text) { return path }
        throw table.error(UserMessage("config.not_a_member_path", ["path": text]), at: key, hint: "hint.member_path_form")
    }

    private func scopeSeparator() throws(AuthFailure) -> String? {
        let key = "scope_separator"
        guard let text = try table.text(key) else { return nil }
        let isOne = text.utf8.count == 1 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isOne, !text.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            throw table.error(UserMessage("config.invalid_separator", ["key": key]), at: key, hint: "hint.separator_form")
        }
        return text
    }

    private func userInfoBody() throws(AuthFailure) -> String? {
        let key = "userinfo_body"
        guard let text = try table.text(key) else { return nil }
        guard (try? JSONValue(strict: text)) != nil else {
            throw table.error(UserMessage("config.not_json", ["key": key]), at: key, hint: "hint.write_json_text")
        }
        return text
    }

    private func scheme(_ key: String) throws(AuthFailure) -> String? {
        guard let text = try table.text(key) else { return nil }
        guard text.utf8.count <= 32, text.utf8.allSatisfy(\.isHTTPTokenByte) else {
            throw table.error(UserMessage("config.not_a_word", ["key": key]), at: key, hint: "hint.authorization_scheme_form")
        }
        return text
    }

    /// Reads header fields. Those of credentials, those that requests have already, and those that decide how a request is read, may not be
    /// set. `{client_id}` in a value is replaced. `{client_secret}` stays until a request is built; a field that has it must have a name by
    /// which errors hide its value.
    private func headers(_ key: String) throws(AuthFailure) -> [String: String] {
        let clientID = try table.text("client_id") ?? ""
        func filled(_ value: String) -> String { value.replacing(EndSessionRequest.Placeholder.clientID.rawValue, with: clientID) }
        return try texts(of: key) { (name, value, table) throws(AuthFailure) in
            let sent = filled(value)
            guard name.utf8.count <= 64, name.isHTTPToken, sent.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw table.error(UserMessage("config.not_a_header", ["name": name]), at: name, hint: "hint.header_form")
            }
            guard !Self.ownHeaders.contains(name.asciiLowercased()) else {
                throw table.error(
                    UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: name, hint: "hint.yett_sets_it_itself")
            }
            guard value.contains(SecretPlaceholder.text) else { return }
            guard SecretRedactor.isCredential(name) else {
                throw table.error(UserMessage("config.secret_in_plain_header", ["name": name]), at: name, hint: "hint.secret_header_name")
            }
            guard self.table.has("client_secret_file") || self.table.has("client_secret_command") else {
                throw table.error(
                    UserMessage("config.key_needs_other", ["key": key, "other": "client_secret_file"]), at: name,
                    hint: "hint.add_secret_source")
            }
        }.mapValues(filled)
    }

    private static let ownHeaders: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "dpop", "host", "proxy-authorization",
        "transfer-encoding",
    ]

    private func tokenHeader() throws(AuthFailure) -> String? {
        let key = "token_header"
        guard let name = try table.text(key) else { return nil }
        guard name.utf8.count <= 64, name.isHTTPToken else {
            throw table.error(UserMessage("config.not_a_header", ["name": name]), at: key, hint: "hint.header_form")
        }
        // Authorization itself may have the token without a scheme.
        guard name.asciiLowercased() == "authorization" || !Self.ownHeaders.union(["accept"]).contains(name.asciiLowercased()) else {
            throw table.error(
                UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: key, hint: "hint.yett_sets_it_itself")
        }
        return name
    }

    /// Reads the service's name for the redirect page. It is no address, so that no other page gets the code.
    private func redirectName() throws(AuthFailure) -> String? {
        let key = "redirect_name"
        guard let text = try table.text(key) else { return nil }
        guard text.utf8.count <= 128, text.isHTTPToken else {
            throw table.error(UserMessage("config.not_a_word", ["key": key]), at: key, hint: "hint.parameter_name_form")
        }
        return text
    }

    /// The parameters of a callback that have a meaning.
    private static let callbackParameters = OAuthClient.ownParameters.union([
        "access_token", "error", "id_token", "iss", "response", "state", "sub",
    ])

    private func codeParameter() throws(AuthFailure) -> String? {
        let key = "code_parameter"
        guard let name = try parameter(key), name != "code" else { return nil }
        guard !Self.callbackParameters.contains(name), !name.hasPrefix("error_") else {
            throw table.error(
                UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: key, hint: "hint.yett_sets_it_itself")
        }
        return name
    }

    /// Reads the parameters of the callback to keep. The code is none of them.
    private func callbackMembers(besides code: String) throws(AuthFailure) -> [String] {
        let key = "callback_members"
        let own = Self.callbackParameters.union([code])
        var names: [String] = []
        for name in try table.textOrTexts(key) ?? [] where !names.contains(name) {
            guard name.utf8.count <= 64, name.isHTTPToken else {
                throw table.error(UserMessage("config.not_a_word", ["key": key]), at: key, hint: "hint.parameter_name_form")
            }
            guard !own.contains(name) else {
                throw table.error(
                    UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: key, hint: "hint.yett_sets_it_itself")
            }
            names.append(name)
        }
        return names
    }

    /// Reads additional parameters of token requests. One may name the client beside Basic authentication.
    private func tokenParameters(repeating members: [String]) throws(AuthFailure) -> [String: String] {
        let clientID = try table.text("client_id") ?? ""
        let placeholder = EndSessionRequest.Placeholder.clientID.rawValue
        return try parameters("token_params", repeating: members + [CallbackPlaceholder.state], allowing: ["client_id": placeholder])
            .mapValues { $0 == placeholder ? clientID : $0 }
    }

    /// Reads parameters of requests.
    ///
    /// - Parameters:
    ///   - members: the parameters of the callback that a placeholder may stand for.
    ///   - own: parameters that only Yett may set otherwise, with the value that they may have here.
    private func parameters(
        _ key: String, repeating members: [String] = [], allowing own: [String: String] = [:]
    ) throws(AuthFailure) -> [String: String] {
        try texts(of: key) { (name, value, table) throws(AuthFailure) in
            if let wanted = CallbackPlaceholder.name(in: value), !members.contains(wanted) {
                throw table.error(
                    UserMessage("config.unknown_placeholder", ["value": value]), at: name,
                    hint: UserMessage("hint.known_placeholders", ["placeholders": "{callback.NAME}"]))
            }
            guard !OAuthClient.ownParameters.contains(name) || own[name] == value else {
                throw table.error(
                    UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: name, hint: "hint.yett_sets_it_itself")
            }
        }
    }

    /// Reads one status or several.
    private func refusedStatuses() throws(AuthFailure) -> Set<Int> {
        let key = "api_refused_status"
        let statuses = try table.integers(key) ?? []
        if let bad = statuses.first(where: { $0 != 203 && $0 != 302 && !(400...499).contains($0) }) {
            throw table.error(
                UserMessage("config.number_is", ["key": key, "value": bad]), at: key,
                hint: UserMessage("hint.known_values", ["values": "203, 302, 400-499", "suggestion": UserMessage.empty]))
        }
        return Set(statuses.map { Int($0) })
    }

    private func device() throws(AuthFailure) -> DeviceDialect {
        var device = DeviceDialect()
        device.parameters = try parameters("device_params")
        device.lifetime = try table.wholeNumber("device_lifetime", within: 30...86_400)
        device.tokenEndpoint = try table.url("device_token_endpoint")
        if let grant = try self.grant("device_grant") { device.grantType = grant == DeviceDialect.noGrantType ? nil : grant }
        device.codeParameter = try parameter("device_code_parameter") ?? device.codeParameter
        device.pollParameters = try parameters("device_poll_params")
        device.pkce = try word("device_pkce") ?? device.pkce
        device.clientToken = try table.text("device_client_token")
        let known = DeviceDialect.Meaning.allCases.map(\.rawValue)
        device.meanings = try texts(of: "device_errors") { (code, word, table) throws(AuthFailure) in
            guard known.contains(word) else { throw table.unknownWord(code, word, known: known) }
        }.compactMapValues(DeviceDialect.Meaning.init)
        return device
    }

    /// Returns the texts of a table, each of which `check` has accepted.
    func texts(
        of key: String, check: (_ name: String, _ value: String, ConfigurationSection) throws(AuthFailure) -> Void
    ) throws(AuthFailure) -> [String: String] {
        guard let values = try table.table(key) else { return [:] }
        var texts: [String: String] = [:]
        for name in values.keys {
            guard let text = try values.text(name) else { continue }
            try check(name, text, values)
            texts[name] = text
        }
        return texts
    }

    func parameter(_ key: String, limit: Int = 32, with others: String = "") throws(AuthFailure) -> String? {
        guard let text = try table.text(key) else { return nil }
        guard text.utf8.count <= limit, text.utf8.allSatisfy({ $0.isHTTPTokenByte || others.utf8.contains($0) }) else {
            throw table.error(UserMessage("config.not_a_word", ["key": key]), at: key, hint: "hint.parameter_name_form")
        }
        return text
    }

    private func grant(_ key: String) throws(AuthFailure) -> String? { try parameter(key, limit: 128, with: "/:") }
}
