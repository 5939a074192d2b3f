internal import AuthEngine
internal import AuthModel
internal import OAuth

extension OpenIDAdapter {
    /// Determines the user who signed in, and refuses the sign-in if a check fails.
    func result(_ tokens: TokenSet, outcome: FlowOutcome, signIn: OpenIDSignIn) async throws(AuthFailure) -> SignInResult {
        let metadata = signIn.metadata
        var warnings: [UserMessage] = []
        var idToken: IDToken?
        let validator = try idTokenValidator(outcome, signIn: signIn)
        if let validator {
            if case .tokens = outcome, tokens.idToken == nil, metadata.userInfoEndpoint != nil {
                warnings.append("session.identity_from_userinfo")
            } else {
                idToken = try await validated(metadata) { (keys) throws(OAuthError) in
                    try validator.validate(tokens.idToken, accessToken: tokens.accessToken, keys: keys, now: environment.time.now)
                }
            }
        }
        if idToken == nil, !signIn.contextClasses.isEmpty || signIn.request.maxAge != nil {
            warnings.append("session.kind_of_sign_in_unverified")
        }
        var info: JSONValue?
        do throws(AuthFailure) {
            info = try await userInfo(tokens, subject: idToken?.subject, validator: validator, metadata: metadata, prover: signIn.prover)
        } catch {
            guard idToken != nil, !signIn.resources.isEmpty, case .denied = error.kind else { throw error }
            // A token for one resource is correctly refused at every other one (RFC 8707 section 2.2), and userinfo is another one.
            warnings.append(
                UserMessage("session.identity_from_id_token", ["resources": signIn.resources.joined(separator: ", ")])
            )
        }
        let identity = identity(idToken: idToken, info: info, metadata: metadata)
        if tokens.refreshToken == nil { warnings.append("session.no_refresh_token_issued") }
        if let missing = missingScopes(tokens.scopes, asked: signIn.scopes) { warnings.append(missing) }
        var extras = SessionExtras()
        if let idToken { extras.note(idToken) }
        extras.revocationEndpoint = metadata.revocationEndpoint
        extras.proofKey = signIn.prover?.key
        extras.resources = signIn.resources
        return SignInResult(tokens: tokens, identity: identity, clientID: configuration.clientID, extras: extras.json, warnings: warnings)
    }

    /// Returns the validator for the ID token of a sign-in; `nil` if no ID token was requested. In a device flow, no nonce was sent.
    private func idTokenValidator(_ outcome: FlowOutcome, signIn: OpenIDSignIn) throws(AuthFailure) -> IDTokenValidator? {
        guard configuration.kind == .oidc, signIn.scopes.contains("openid") else { return nil }
        var validator: IDTokenValidator?
        switch outcome {
        case .callback(let callback): validator = IDTokenValidator(callback.pending, metadata: signIn.metadata)
        case .tokens:
            validator = signIn.metadata.issuer.map { issuer in
                IDTokenValidator(
                    issuer: issuer, clientID: configuration.clientID, announcedAlgorithms: signIn.metadata.idTokenAlgorithms,
                    maxAge: signIn.request.maxAge)
            }
        }
        guard var validator else { throw AuthFailure(.bug, "id_token.no_issuer_to_verify_with") }
        // RFC 9470 section 4: check that the requested class was used, or the resource would ask for it again and again.
        validator.requiredContextClasses = signIn.contextClasses
        return validator
    }

    /// Runs a validation with the issuer's keys, and throws the failure to report to the user.
    func validated<Value: Sendable>(
        _ metadata: ProviderMetadata, _ validate: (KeySet) throws(OAuthError) -> Value
    ) async throws(AuthFailure) -> Value {
        do { return try await validatedOrRejected(metadata, validate) } catch { throw error.failure }
    }

    /// Runs a validation with the issuer's keys. If no cached key fits the token's signature, the keys are fetched again, once.
    func validatedOrRejected<Value: Sendable>(
        _ metadata: ProviderMetadata, _ validate: (KeySet) throws(OAuthError) -> Value
    ) async throws(IDTokenError) -> Value {
        let kept = try await keys { () async throws(AuthFailure) in try await documents.keys(metadata) }
        do {
            return try validate(kept.keys)
        } catch {
            guard !kept.isFresh, error.mayNeedNewKeys else { throw IDTokenError(error) }
        }
        let new = try await keys { () async throws(AuthFailure) in try await documents.newKeys(metadata) }
        do {
            return try validate(new.keys)
        } catch {
            throw !new.isFresh && error.mayNeedNewKeys ? .keysTooRecent(error) : IDTokenError(error)
        }
    }

    private func keys(
        _ get: () async throws(AuthFailure) -> (keys: KeySet, isFresh: Bool)
    ) async throws(IDTokenError) -> (keys: KeySet, isFresh: Bool) {
        do { return try await get() } catch { throw .keysUnavailable(error) }
    }

    /// Fetches userinfo, if the provider has it. A missing or different `sub` fails the sign-in (OpenID Connect Core section 5.3.2).
    private func userInfo(
        _ tokens: TokenSet, subject: String?, validator: IDTokenValidator?, metadata: ProviderMetadata, prover: ProofSigner?
    ) async throws(AuthFailure) -> JSONValue? {
        guard let endpoint = metadata.userInfoEndpoint else { return nil }
        let request: WebRequest
        do { request = try UserInfo.request(tokens, at: metadata) } catch { throw error.failure }
        let response = try await fetch(request, with: tokens.accessToken, proving: prover)
        let host = endpoint.origin.authority
        if UserInfo.isSigned(response), let subject, let validator {
            return try await validated(metadata) { (keys) throws(OAuthError) in
                try UserInfo.signedClaims(
                    response, subject: subject, validator: validator, announcedAlgorithms: metadata.userInfoAlgorithms, keys: keys,
                    host: host, now: environment.time.now)
            }
        }
        do {
            return try UserInfo.claims(
                response, subject: subject, requiresSubject: configuration.kind == .oidc, host: host, now: environment.time.now)
        } catch {
            throw error.failure
        }
    }

    private func identity(idToken: IDToken?, info: JSONValue?, metadata: ProviderMetadata) -> Identity {
        let issuer = issuer(metadata)
        if let idToken {
            return Identity(
                issuer: issuer, subject: idToken.subject, idTokenClaims: idToken.claims, userInfo: info ?? .object([]))
        }
        // RFC 6749 defines no subject. These are common names for it, the stable ones first.
        let info = info ?? .object([])
        let subject =
            ["sub", "id", "user_id", "login", "username", "email"].lazy.compactMap { name in
                info[name]?.string ?? info[name]?.integer.map { String($0) }
            }.first { !$0.isEmpty }
        return Identity(issuer: issuer, subject: subject ?? "", userInfo: info)
    }

    /// Returns a warning about scopes that were requested and not granted.
    private func missingScopes(_ granted: ScopeSet, asked: ScopeSet) -> UserMessage? {
        let missing = asked.values.filter { !granted.contains($0) }
        return missing.isEmpty ? nil : UserMessage("session.scopes_not_granted", ["scopes": missing.joined(separator: " ")])
    }
}

extension OAuthError {
    /// Whether newer keys of the issuer may fit: no known key fits, or a key was replaced by another one with the same ID.
    fileprivate var mayNeedNewKeys: Bool { needsKeyRefetch || kind == .token(.badSignature) }
}
