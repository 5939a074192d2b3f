internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The identity of the user, according to the ID token, userinfo and the token response.
extension OpenIDAdapter {
    /// The result of a request to userinfo.
    enum UserInfoOutcome: Equatable {
        /// The claims.
        case claims(JSONValue)
        /// It was not requested.
        case none
        /// The provider refused the token. The ID token identifies the user.
        case refused
    }

    /// Whether userinfo is requested after a sign-in.
    func requestsUserInfo(_ metadata: ProviderMetadata) -> Bool {
        configuration.dialect.userInfo != .off && metadata.userInfoEndpoint != nil
    }

    /// Fetches userinfo, if the provider has it. A missing or different `sub` fails the sign-in (OpenID Connect Core section 5.3.2). A refusal
    /// does not, if there is a valid ID token: the access token may be for another resource.
    func userInfo(
        _ tokens: TokenSet, idToken: IDToken?, validator: IDTokenValidator?, signIn: OpenIDSignIn
    ) async throws(AuthFailure) -> UserInfoOutcome {
        let metadata = signIn.metadata
        let dialect = configuration.dialect
        guard dialect.userInfo != .off else { return .none }
        guard let endpoint = metadata.userInfoEndpoint else {
            guard dialect.userInfo == .required else { return .none }
            throw OAuthError(.userInfo, .noEndpoint(UserMessage("phrase.userinfo_endpoint")), host: metadata.issuer?.url.origin.authority)
                .failure
        }
        let request: WebRequest
        do { request = try UserInfo.request(tokens, at: metadata, dialect: dialect) } catch { throw error.failure }
        let response = try await fetch(request, with: tokens.accessToken, proving: signIn.prover)
        // A token for one resource is correctly refused at every other one (RFC 8707 section 2.2), and userinfo is another one.
        let refusals = signIn.resources.isEmpty ? [401, 403] : [400, 401, 403]
        let wantsNonce = response.tokenChallenges.contains { $0.error?.code == "use_dpop_nonce" }
        if dialect.userInfo == .optional, idToken != nil, refusals.contains(response.status), !wantsNonce { return .refused }
        let host = endpoint.origin.authority
        if UserInfo.isSigned(response), let idToken, let validator {
            return .claims(
                try await validated(metadata) { (keys) throws(OAuthError) in
                    try UserInfo.signedClaims(
                        response, subject: idToken.subject, validator: validator, announcedAlgorithms: metadata.userInfoAlgorithms,
                        keys: keys, host: host, now: environment.time.now)
                })
        }
        do {
            return .claims(
                try UserInfo.claims(
                    response, subject: idToken?.subject, requiresSubject: configuration.kind == .oidc, dialect: dialect, host: host,
                    now: environment.time.now))
        } catch {
            throw error.failure
        }
    }

    /// Returns the user's identity, and the label that the configuration chooses for the account.
    func user(
        idToken: IDToken?, info: UserInfoOutcome, answer: TokenAnswer, metadata: ProviderMetadata
    ) throws(AuthFailure) -> (identity: Identity, label: String?) {
        let members = configuration.dialect.identity
        var data = JSONValue.object([])
        switch info {
        case .claims(let claims): data = claims
        case .none where idToken == nil && configuration.dialect.userInfo == .off || members.isSet:
            data = TokenResponse.userData(answer.response)
            if idToken == nil, let path = members.subject, path.string(in: data) == nil {
                throw OAuthError(.codeExchange, .missingMember(path.text), host: metadata.tokenEndpoint?.origin.authority).failure
            }
        case .none, .refused: break
        }
        let label = members.name?.string(in: data).flatMap(SessionName.label(from:))
        let named = named(data)
        let issuer = issuer(metadata)
        if let idToken {
            return (Identity(issuer: issuer, subject: idToken.subject, idTokenClaims: idToken.claims, userInfo: named), label)
        }
        return (Identity(issuer: issuer, subject: subject(in: data), userInfo: named), label)
    }

    /// Returns the data with the configured places under their standard names as well, so that everything that reads claims finds them.
    private func named(_ data: JSONValue) -> JSONValue {
        let members = configuration.dialect.identity
        var named = data.members ?? []
        for case (let name, let text?) in [
            ("preferred_username", members.name?.string(in: data)), ("email", members.email?.string(in: data)),
        ] {
            named.removeAll { $0.name == name }
            named.append(.init(name, .string(text)))
        }
        return .object(named)
    }

    /// Returns the account's identifier. RFC 6749 defines none; these are common names for it, the stable ones first.
    private func subject(in data: JSONValue) -> String {
        if let path = configuration.dialect.identity.subject { return path.string(in: data) ?? "" }
        return ["sub", "id", "user_id", "login", "username", "email"].lazy.compactMap { name in
            data[name]?.string ?? data[name]?.integer.map { String($0) }
        }.first { !$0.isEmpty } ?? ""
    }

    /// Returns a warning about scopes that were requested and not granted.
    func missingScopes(_ tokens: TokenSet, identity: Identity, asked: ScopeSet) -> UserMessage? {
        let missing = ScopeNames.missing(
            from: tokens.scopes, requested: asked, hasRefreshToken: tokens.refreshToken != nil,
            claims: [identity.idTokenClaims, identity.userInfo])
        return missing.isEmpty ? nil : UserMessage("session.scopes_not_granted", ["scopes": missing.joined(separator: " ")])
    }
}
