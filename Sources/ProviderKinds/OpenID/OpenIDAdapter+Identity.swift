import AuthEngine
import AuthModel
import OAuth

/// The user who signed in, according to the ID token, userinfo and the token response.
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
        configuration.dialect.userInfo.isRequested && metadata.userInfoEndpoint != nil && foreignUserInfo(metadata) == nil
    }

    /// The host of userinfo that a resource's server names elsewhere; `nil` for one that may get the token, or that the configuration
    /// requires.
    func foreignUserInfo(_ metadata: ProviderMetadata) -> String? {
        guard configuration.dialect.userInfo == .optional, let endpoint = metadata.userInfoEndpoint else { return nil }
        let sites = SignInSites(configuration, isKnown: environment.knowsSites)
        return sites.acceptsUserInfo(at: endpoint, tokens: metadata.tokenEndpoint) ? nil : endpoint.origin.authority
    }

    /// Fetches userinfo, if the provider has it. A missing or different `sub` fails the sign-in (OpenID Connect Core section 5.3.2). A
    /// refusal does not, if there is a valid ID token or the access token is for another resource than the userinfo endpoint.
    func userInfo(
        _ tokens: TokenSet, idToken: IDToken?, validator: IDTokenValidator?, answer: WebResponse, signIn: OpenIDSignIn
    ) async throws(AuthFailure) -> UserInfoOutcome {
        let metadata = signIn.metadata
        let dialect = configuration.dialect
        guard dialect.userInfo != .off else { return .none }
        if dialect.userInfo == .accessToken { return .claims(try claims(ofAccessToken: tokens, metadata)) }
        guard let endpoint = metadata.userInfoEndpoint, foreignUserInfo(metadata) == nil else {
            guard dialect.userInfo == .required else { return .none }
            throw OAuthError(.userInfo, .noEndpoint(UserMessage("phrase.userinfo_endpoint")), host: metadata.issuer?.url.origin.authority)
                .failure
        }
        let secret = try await configuration.secret(for: dialect.userInfoHeaders, environment: environment.commandEnvironment)
        let request: WebRequest
        do {
            request = try UserInfo.request(tokens, at: metadata, secret: secret, answer: answer.document, dialect: dialect)
        } catch {
            throw error.failure
        }
        let response = try await fetch(request, with: tokens.accessToken, proving: signIn.prover)
        // A token for one resource is correctly refused at every other one (RFC 8707 section 2.2), such as the userinfo endpoint.
        let refusals = [401, 403, 405, 406] + (signIn.resources.isEmpty ? [] : [400])
        let wantsNonce = response.tokenChallenges.contains { $0.error?.code == "use_dpop_nonce" }
        // Without the ID token that was asked for, nothing else says who signed in.
        let isNeeded = idToken == nil && (configuration.resources.isEmpty || validator != nil)
        if dialect.userInfo == .optional, !isNeeded, refusals.contains(response.status), !wantsNonce { return .refused }
        // An endpoint that is over its limit, or asks for money, says nothing about the user whom the ID token names.
        if dialect.userInfo == .optional, idToken != nil, [402, 429].contains(response.status) { return .refused }
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

    /// Returns the claims of an access token that is a JWT. It came from the token endpoint itself, over TLS, which stands for the
    /// signature (OpenID Connect Core section 3.1.3.7, step 6).
    private func claims(ofAccessToken tokens: TokenSet, _ metadata: ProviderMetadata) throws(AuthFailure) -> JSONValue {
        guard let jws = try? JSONWebSignature(compact: tokens.accessToken.reveal()), jws.unverifiedClaims.members != nil else {
            throw OAuthError(.codeExchange, .token(.malformed), host: metadata.tokenEndpoint?.origin.authority).failure
        }
        return jws.unverifiedClaims
    }

    /// Returns the user's identity, and the label that the configuration chooses for the account.
    func user(
        idToken: IDToken?, info: UserInfoOutcome, answer: ReceivedTokens, outcome: FlowOutcome, metadata: ProviderMetadata
    ) throws(AuthFailure) -> (identity: Identity, label: String?) {
        let members = configuration.dialect.identity
        var data = JSONValue.object([])
        switch info {
        case .claims(let claims): data = claims
        case .none where idToken == nil && configuration.dialect.userInfo == .off || members.isSet:
            data = TokenResponse.userData(answer.response)
        case .none, .refused: break
        }
        if !members.isSet { data = Self.account(in: data) }
        if case .callback(let callback) = outcome {
            data = .object((data.members ?? []) + callback.members.filter { data[$0.name] == nil })
        }
        if info == .none, idToken == nil, let path = members.subject, path.string(in: data) == nil {
            throw OAuthError(.codeExchange, .missingMember(path.text), host: metadata.tokenEndpoint?.origin.authority).failure
        }
        // Some providers name the user in the ID token alone.
        let claims = idToken?.claims ?? .object([])
        let label = (members.name?.string(in: data) ?? members.name?.string(in: claims)).flatMap(SessionName.label(from:))
        let named = named(data, claims)
        let issuer = issuer(metadata)
        if let idToken {
            return (Identity(issuer: issuer, subject: Self.subject(of: idToken), idTokenClaims: idToken.claims, userInfo: named), label)
        }
        return (Identity(issuer: issuer, subject: subject(in: data), userInfo: named), label)
    }

    /// Returns the subject of an ID token. Azure AD B2C has one text for all users unless its administrator chooses something else.
    private static func subject(of token: IDToken) -> String {
        guard token.subject == "Not supported currently. Use oid claim." else { return token.subject }
        return token.claims["oid"]?.string ?? token.subject
    }

    /// Returns the data with the configured places under their standard names as well, so that everything that reads claims finds them.
    private func named(_ data: JSONValue, _ claims: JSONValue) -> JSONValue {
        let members = configuration.dialect.identity
        var named = data.members ?? []
        for case (let name, let text?) in [
            ("preferred_username", members.name?.string(in: data) ?? members.name?.string(in: claims)),
            ("email", members.email?.string(in: data) ?? members.email?.string(in: claims)),
        ] {
            named.removeAll { $0.name == name }
            named.append(.init(name, .string(text)))
        }
        return .object(named)
    }

    /// Returns the account's identifier. RFC 6749 defines none; these are common names for it, the stable ones first, and last those of an
    /// account that several users may have: the session of one must not replace that of another.
    private func subject(in data: JSONValue) -> String {
        if let path = configuration.dialect.identity.subject { return path.string(in: data) ?? "" }
        return Self.identifier(in: data)
    }

    private static func identifier(in data: JSONValue) -> String {
        subjectNames.lazy.compactMap { name in
            data[name]?.string ?? data[name]?.integer.map { String($0) }
        }.first { !$0.isEmpty } ?? ""
    }

    private static let subjectNames = [
        "sub", "id", "user_id", "userId", "uid", "uuid", "_id", "open_id", "openid", "login", "username", "email", "account_id",
        "accountId",
    ]
    /// The members in which APIs have the user's data.
    private static let accountNames = ["data", "user", "me", "viewer", "account", "profile", "result", "response"]

    /// Returns the object that identifies the user: the document itself, or one in it under a common name, also as the only element of an
    /// array. Returns the document if there is none.
    private static func account(in document: JSONValue) -> JSONValue {
        var object = document
        for _ in 0..<3 {
            if !identifier(in: object).isEmpty { return object }
            let inner = accountNames.lazy.compactMap { name in
                object[name].flatMap { $0.array?.count == 1 ? $0.array?.first : $0 }
            }.first { $0.members != nil }
            guard let inner else { break }
            object = inner
        }
        return document
    }

    /// Returns a warning about scopes that were requested and not granted.
    func missingScopes(_ tokens: TokenSet, identity: Identity, requested: ScopeSet) -> UserMessage? {
        let missing = ScopeNames.missing(
            from: tokens.scopes, requested: requested, hasRefreshToken: tokens.refreshToken != nil,
            claims: [identity.idTokenClaims, identity.userInfo])
        return missing.isEmpty ? nil : UserMessage("session.scopes_not_granted", ["scopes": missing.joined(separator: " ")])
    }
}

extension OpenIDAdapter {
    var sessionIntrospection: (any SessionIntrospection)? { self }

    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        let metadata = try await documents.metadata()
        // A token is sent only to the issuer that issued it (RFC 7662 section 4).
        guard isIssuer(of: record, metadata), isConfigured(client: record.clientID),
            try await introspectionObstacle(metadata) == nil
        else { return nil }
        return try await introspect(token, kind: kind, hint: kind == .refresh ? .refresh : .access, at: metadata)
    }

    func introspect(_ token: Secret) async throws(AuthFailure) -> TokenView? {
        let metadata = try await documents.metadata()
        if let obstacle = try await introspectionObstacle(metadata) { throw obstacle }
        return try await introspect(token, kind: .access, hint: nil, at: metadata)
    }

    /// Returns why the provider cannot be asked about tokens; `nil` if it can.
    private func introspectionObstacle(_ metadata: ProviderMetadata) async throws(AuthFailure) -> AuthFailure? {
        guard metadata.introspectionEndpoint != nil else {
            return AuthFailure(.configuration, UserMessage("introspection.no_endpoint", ["provider": configuration.name]))
        }
        // Section 2.1: the endpoint requires authorization, so a client without a credential does not ask.
        guard try await client(metadata).credential != .none || authentication == .tls else {
            return AuthFailure(
                .configuration, UserMessage("introspection.credentials_required", ["provider": configuration.name]),
                hint: "hint.configure_client_credentials")
        }
        return nil
    }

    private func introspect(
        _ token: Secret, kind: TokenView.Kind, hint: Revocation.TokenKind?, at metadata: ProviderMetadata
    ) async throws(AuthFailure) -> TokenView {
        let response = try await ask(metadata) { (client) throws(OAuthError) in
            try Introspection.request(token, hint, at: metadata, client: client)
        }.response
        let host = metadata.introspectionEndpoint?.origin.authority ?? address
        let answer: Introspection.Answer
        do { answer = try Introspection.answer(response, host: host, now: environment.time.now) } catch { throw error.failure }
        return TokenView(
            kind: kind, redacted: TokenInspection.redact(token),
            expiresAt: answer.claims["exp"]?.double.map(Timestamp.init(seconds:)), header: nil, claims: answer.claims,
            verification: .unverified(
                reason: UserMessage(
                    "phrase.opaque_token_state",
                    ["host": host, "state": answer.isActive ? UserMessage("phrase.active") : UserMessage("phrase.not_active")])))
    }
}
