extension ProviderDialect {
    /// The settings that differ from the standards, by their configuration names, in display order.
    public var shown: [(name: String, value: JSONValue)] {
        let standard = ProviderDialect()
        let members = [("subject", identity.subject), ("name", identity.name), ("email", identity.email)]
        let all: [(name: String, isSet: Bool, value: JSONValue)] = [
            ("discovery", discovery != nil, JSONValue(discovery?.text)),
            ("issuer_pattern", issuerPattern != nil, JSONValue(issuerPattern?.text)),
            ("pkce", proofKey != standard.proofKey, .string(proofKey.rawValue)),
            ("scope_separator", scopeSeparator != standard.scopeSeparator, .string(scopeSeparator)),
            ("scopes_in_response", scopesInResponse != standard.scopesInResponse, .string(scopesInResponse.rawValue)),
            ("token_request", tokenRequest != standard.tokenRequest, .string(tokenRequest.rawValue)),
            ("token_type", tokenType != nil, JSONValue(tokenType)),
            ("tokens_at", tokensPath != nil, JSONValue(tokensPath?.text)),
            ("zero_lifetime", zeroLifetime != standard.zeroLifetime, .string(zeroLifetime.rawValue)),
            ("renewal", renewal != standard.renewal, .string(renewal.rawValue)),
            ("userinfo", userInfo != standard.userInfo, .string(userInfo.rawValue)),
            ("userinfo_body", userInfoBody != nil, JSONValue(userInfoBody)),
            ("userinfo_scheme", userInfoScheme != standard.userInfoScheme, .string(userInfoScheme)),
            (
                "identity", identity.isSet,
                .object(members.compactMap { name, path in path.map { JSONValue.Member(name, .string($0.text)) } })
            ),
            ("api_host_from", apiHostPath != nil, JSONValue(apiHostPath?.text)),
            ("revocation", revocation != standard.revocation, .string(revocation.rawValue)),
            ("revokes", revokes != standard.revokes, .string(revokes.rawValue)),
            (
                "end_session_params", !endSessionParameters.isEmpty,
                .object(endSessionParameters.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) })
            ),
        ]
        return all.filter(\.isSet).map { ($0.name, $0.value) }
    }
}
