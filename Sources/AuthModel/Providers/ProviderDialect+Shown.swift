extension ProviderDialect {
    /// The settings that differ from the standards, by their configuration names, in display order.
    public var shown: [(name: String, value: JSONValue)] {
        let standard = ProviderDialect()
        let members = [("subject", identity.subject), ("name", identity.name), ("email", identity.email)]
        let all: [(name: String, isSet: Bool, value: JSONValue)] = [
            ("discovery", discovery != nil, JSONValue(discovery?.text)),
            ("issuer_pattern", issuerPattern != nil, JSONValue(issuerPattern?.text)),
            ("resource_parameter", resourceParameter != standard.resourceParameter, .string(resourceParameter.rawValue)),
            ("trusted_audiences", !trustedAudiences.isEmpty, .array(trustedAudiences.sorted().map { .string($0) })),
            ("client_id_parameter", clientParameter != standard.clientParameter, .string(clientParameter)),
            ("client_secret_parameter", secretParameter != standard.secretParameter, .string(secretParameter.rawValue)),
            ("redirect_name", redirectName != nil, JSONValue(redirectName)),
            ("redirect_parameter", redirectParameter != standard.redirectParameter, .string(redirectParameter.rawValue)),
            ("pkce", pkce != standard.pkce, .string(pkce.rawValue)),
            ("scope_parameter", scopeParameter != standard.scopeParameter, .string(scopeParameter)),
            ("scope_separator", scopeSeparator != standard.scopeSeparator, .string(scopeSeparator)),
            ("scopes_in_response", scopesInResponse != standard.scopesInResponse, .string(scopesInResponse.rawValue)),
            ("renewal_scopes", renewalScopes != standard.renewalScopes, .string(renewalScopes.rawValue)),
            ("token_request", tokenRequest != standard.tokenRequest, .string(tokenRequest.rawValue)),
            ("client_assertion_audience", assertionAudience != standard.assertionAudience, .string(assertionAudience.rawValue)),
            ("client_assertion_issuer", assertionIssuer != nil, JSONValue(assertionIssuer)),
            ("client_assertion_algorithm", assertionAlgorithm != nil, JSONValue(assertionAlgorithm)),
            (
                "client_assertion_parameter", assertionParameter != standard.assertionParameter, .string(assertionParameter.rawValue)
            ),
            ("token_params", !tokenParameters.isEmpty, JSONValue(texts: tokenParameters)),
            ("token_headers", !tokenRequestHeaders.isEmpty, JSONValue(texts: tokenRequestHeaders)),
            ("code_parameter", codeParameter != standard.codeParameter, .string(codeParameter)),
            ("token_code_parameter", tokenCodeParameter != standard.tokenCodeParameter, .string(tokenCodeParameter.rawValue)),
            ("long_lived_grant", longLivedGrant != nil, JSONValue(longLivedGrant)),
            ("long_lived_endpoint", longLivedEndpoint != nil, JSONValue(longLivedEndpoint?.text)),
            ("renewal_grant", renewalGrant != nil, JSONValue(renewalGrant)),
            (
                "access_token_parameter", accessTokenParameter != standard.accessTokenParameter,
                .string(accessTokenParameter.rawValue)
            ),
            ("refresh_endpoint", refreshEndpoint != nil, JSONValue(refreshEndpoint?.text)),
            ("callback_members", !callbackMembers.isEmpty, .array(callbackMembers.map { .string($0) })),
            ("token_type", tokenType != nil, JSONValue(tokenType)),
            ("tokens_at", tokensPath != nil, JSONValue(tokensPath?.text)),
            ("zero_lifetime", zeroLifetime != standard.zeroLifetime, .string(zeroLifetime.rawValue)),
            ("access_lifetime", accessLifetime != nil, accessLifetime.map { .number(String($0)) } ?? .null),
            ("renewal", renewal != standard.renewal, .string(renewal.rawValue)),
            ("userinfo", userInfo != standard.userInfo, .string(userInfo.rawValue)),
            ("userinfo_params", !userInfoParameters.isEmpty, JSONValue(texts: userInfoParameters)),
            ("userinfo_body", userInfoBody != nil, JSONValue(userInfoBody)),
            ("userinfo_scheme", userInfoScheme != standard.userInfoScheme, .string(userInfoScheme)),
            ("userinfo_headers", !userInfoHeaders.isEmpty, JSONValue(texts: userInfoHeaders)),
            (
                "identity", identity.isSet,
                .object(members.compactMap { name, path in path.map { JSONValue.Member(name, .string($0.text)) } })
            ),
            ("token_header", tokenHeader != nil, JSONValue(tokenHeader)),
            ("api_scheme", apiScheme != standard.apiScheme, .string(apiScheme)),
            ("api_headers", !apiHeaders.isEmpty, JSONValue(texts: apiHeaders)),
            ("api_refused_status", !apiRefusedStatuses.isEmpty, .array(apiRefusedStatuses.sorted().map { .number(String($0)) })),
            ("api_errors", !apiErrors.isEmpty, JSONValue(texts: apiErrors.mapValues(\.rawValue))),
            ("api_host_from", apiHostPath != nil, JSONValue(apiHostPath?.text)),
            ("revocation", revocation != standard.revocation, .string(revocation.rawValue)),
            ("revocation_parameter", revocationParameter != standard.revocationParameter, .string(revocationParameter)),
            ("revokes", revokes != standard.revokes, .string(revokes.rawValue)),
            ("end_session_params", !endSessionParameters.isEmpty, JSONValue(texts: endSessionParameters)),
        ]
        return all.filter(\.isSet).map { ($0.name, $0.value) } + device.shown
    }
}
