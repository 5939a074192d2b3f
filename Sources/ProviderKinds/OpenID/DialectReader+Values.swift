import AuthModel
import OAuth
import UserConfiguration

/// The keys about tokens, the user and the provider's own pages.
extension DialectReader {
    /// Reads additional parameters at userinfo. One with the access token must have a name by which errors hide it.
    func userInfoParameters() throws(AuthFailure) -> [String: String] {
        let key = "userinfo_params"
        let clientID = try table.text("client_id") ?? ""
        let client = EndSessionRequest.Placeholder.clientID.rawValue
        return try texts(of: key) { (name, value, table) throws(AuthFailure) in
            let known = value == UserInfoPlaceholder.accessToken || value == client || UserInfoPlaceholder.path(in: value) != nil
            guard known || !value.contains("{") else {
                let placeholders = [UserInfoPlaceholder.accessToken, client, "{token.NAME}"].joined(separator: ", ")
                throw table.error(
                    UserMessage("config.unknown_placeholder", ["value": value]), at: name,
                    hint: UserMessage("hint.known_placeholders", ["placeholders": placeholders]))
            }
            guard value != UserInfoPlaceholder.accessToken || SecretRedactor.isSecret(name) else {
                throw table.error(
                    UserMessage("config.parameter_forbidden", ["key": key, "name": name]), at: name,
                    hint: UserMessage(
                        "hint.known_values",
                        ["values": ["access_token", "oauth_token", "token"].joined(separator: ", "), "suggestion": UserMessage.empty]))
            }
        }.mapValues { $0 == client ? clientID : $0 }
    }

    func tokenType() throws(AuthFailure) -> String? {
        let key = "token_type"
        guard let text = try table.text(key) else { return nil }
        guard text == "Bearer" else { throw table.unknownWord(key, text, known: ["Bearer"]) }
        return text
    }

    func identity() throws(AuthFailure) -> ProviderDialect.IdentityMembers {
        guard let members = try table.table("identity") else { return .init() }
        try members.refuseKeys(otherThan: ["subject", "name", "email"])
        return ProviderDialect.IdentityMembers(
            subject: try path("subject", in: members), name: try path("name", in: members), email: try path("email", in: members))
    }

    /// The issuers of the tenants must be at the origin of `issuer`, whose metadata says which one it is.
    func issuerPattern() throws(AuthFailure) -> IssuerPattern? {
        let key = "issuer_pattern"
        guard let text = try table.text(key) else { return nil }
        let hint = UserMessage("hint.issuer_pattern_form", ["placeholder": IssuerPattern.placeholder])
        guard let pattern = IssuerPattern(text) else {
            throw table.error(UserMessage("config.invalid_issuer_pattern", ["pattern": text]), at: key, hint: hint)
        }
        if let issuer = try table.issuer(), issuer.url.origin != pattern.origin {
            throw table.error(
                UserMessage("config.issuer_pattern_of_other_host", ["host": issuer.url.origin.authority]), at: key, hint: hint)
        }
        return pattern
    }

    func endSessionParameters() throws(AuthFailure) -> [String: String] {
        try texts(of: "end_session_params") { (name, value, table) throws(AuthFailure) in
            let rest = EndSessionRequest.Placeholder.allCases.reduce(value) { $0.replacing($1.rawValue, with: "") }
            guard !rest.contains(where: { $0 == "{" || $0 == "}" }) else {
                let known = EndSessionRequest.Placeholder.allCases.map(\.rawValue).joined(separator: ", ")
                throw table.error(
                    UserMessage("config.unknown_placeholder", ["value": value]), at: name,
                    hint: UserMessage("hint.known_placeholders", ["placeholders": known]))
            }
        }
    }
}
