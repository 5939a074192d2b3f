import AuthEngine
import AuthModel
import OAuth

extension OpenIDAdapter {
    /// Determines the user who signed in, and refuses the sign-in if a check fails.
    func result(_ answer: ReceivedTokens, outcome: FlowOutcome, signIn: OpenIDSignIn) async throws(AuthFailure) -> SignInResult {
        let metadata = signIn.metadata
        var tokens = answer.tokens
        var warnings: [UserMessage] = []
        var idToken: IDToken?
        var validator = try idTokenValidator(outcome, signIn: signIn)
        if let current = validator {
            if case .tokens = outcome, tokens.idToken == nil, requestsUserInfo(metadata) {
                warnings.append("session.identity_from_userinfo")
            } else {
                do throws(IDTokenError) {
                    idToken = try await validatedOrRejected(metadata) { [tokens] (keys) throws(OAuthError) in
                        try current.validate(tokens.idToken, accessToken: tokens.accessToken, keys: keys, now: environment.time.now)
                    }
                } catch {
                    guard mayIgnoreIDToken(error, signIn) else { throw error.failure }
                    (tokens.idToken, validator) = (nil, nil)
                    let warning = error.isAboutIssuer ? "session.id_token_of_other_server" : "session.id_token_without_keys"
                    warnings.append(UserMessage(warning, ["host": metadata.issuer?.url.origin.authority ?? address]))
                }
            }
        }
        if idToken == nil, !signIn.contextClasses.isEmpty || signIn.request.maxAge != nil {
            warnings.append("session.kind_of_sign_in_unverified")
        }
        let info = try await userInfo(tokens, idToken: idToken, validator: validator, answer: answer.response, signIn: signIn)
        let user = try user(idToken: idToken, info: info, answer: answer, outcome: outcome, metadata: metadata)
        if info == .refused, user.identity.readableLabel == nil {
            warnings.append(UserMessage("session.userinfo_refused", ["host": metadata.userInfoEndpoint?.origin.authority ?? address]))
        }
        if let host = foreignUserInfo(metadata), user.identity.readableLabel == nil {
            warnings.append(UserMessage("session.userinfo_elsewhere", ["host": host, "provider": configuration.name]))
        }
        if tokens.refreshToken == nil, configuration.dialect.renewal == .expected {
            // OpenID Connect Core section 11: a server ignores offline_access if it does not ask the user.
            let asks = signIn.request.prompt != nil || configuration.extraParameters["prompt"] != nil
            let hasPage = if case .callback = outcome { true } else { false }
            warnings.append(
                hasPage && !asks && signIn.scopes.contains("offline_access")
                    ? UserMessage("session.no_refresh_token_without_consent", ["provider": configuration.name])
                    : "session.no_refresh_token_issued")
        }
        if let missing = missingScopes(tokens, identity: user.identity, requested: signIn.scopes) { warnings.append(missing) }
        var extras = SessionExtras()
        if let idToken { extras.note(idToken) }
        extras.revocationEndpoint = metadata.revocationEndpoint
        extras.dpopKey = signIn.prover?.key
        extras.resources = signIn.resources
        extras.apiHost = try apiHost(answer.response, metadata)
        if extras.apiHost == nil, case .claims(let claims) = info { extras.apiHost = try apiHost(in: claims, metadata) }
        return SignInResult(
            tokens: tokens, identity: user.identity, clientID: configuration.clientID, extras: extras.json, warnings: warnings,
            label: user.label)
    }

    /// Whether the sign-in continues without the ID token. At a server that a resource named, the access token is what the user wants, and
    /// PKCE binds it to this client. Some MCP servers announce keys that they do not publish. Others, whose endpoints are those of a server
    /// behind them, pass on the ID tokens of that server.
    private func mayIgnoreIDToken(_ error: IDTokenError, _ signIn: OpenIDSignIn) -> Bool {
        let isForeign = error.isAboutIssuer && signIn.metadata.tokenEndpoint?.origin != signIn.metadata.issuer?.url.origin
        guard isForeign || error.isAboutMissingKeys else { return false }
        return !configuration.resources.isEmpty && configuration.dialect.pkce != .refused && signIn.contextClasses.isEmpty
            && signIn.request.maxAge == nil
    }

    /// Returns the session's own API host in a token response.
    func apiHost(_ response: WebResponse, _ metadata: ProviderMetadata) throws(AuthFailure) -> WebURL? {
        do {
            return try TokenResponse.apiHost(response, dialect: configuration.dialect, endpoint: metadata.tokenEndpoint)
        } catch {
            throw error.failure
        }
    }

    private func apiHost(in claims: JSONValue, _ metadata: ProviderMetadata) throws(AuthFailure) -> WebURL? {
        do {
            return try TokenResponse.apiHost(in: claims, dialect: configuration.dialect, endpoint: metadata.tokenEndpoint)
        } catch {
            throw error.failure
        }
    }

    /// Returns the validator for the ID token of a sign-in; `nil` if no ID token was requested. In a device flow, no nonce was sent.
    private func idTokenValidator(_ outcome: FlowOutcome, signIn: OpenIDSignIn) throws(AuthFailure) -> IDTokenValidator? {
        guard configuration.kind == .oidc, signIn.scopes.contains("openid") else { return nil }
        var validator: IDTokenValidator?
        switch outcome {
        case .callback(let callback): validator = IDTokenValidator(callback.pending, metadata: signIn.metadata)
        case .tokens:
            validator = signIn.metadata.issuerRule.map { issuers in
                IDTokenValidator(
                    issuers, clientID: configuration.clientID, announcedAlgorithms: signIn.metadata.idTokenAlgorithms,
                    maxAge: signIn.request.maxAge)
            }
        }
        guard var validator else { throw AuthFailure(.bug, "id_token.no_issuer_to_verify_with") }
        // RFC 9470 section 4: check that the requested class was used, or the resource would ask for it again and again.
        validator.requiredContextClasses = signIn.contextClasses
        validator.trustedAudiences = configuration.dialect.trustedAudiences
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
}

extension OAuthError {
    /// Whether newer keys of the issuer may fit: no known key fits, or a key was replaced by another one with the same ID.
    fileprivate var mayNeedNewKeys: Bool { needsKeyRefetch || kind == .token(.badSignature) }
}

/// The issuer of a session. Tokens are sent only to the issuer that issued them, even if the configuration has changed since.
extension OpenIDAdapter {
    /// Returns the issuer, or a substitute for a provider without one.
    func issuer(_ metadata: ProviderMetadata) -> String {
        metadata.issuer?.text ?? metadata.authorizationEndpoint?.origin.description ?? metadata.tokenEndpoint?.origin.description
            ?? configuration.name.text
    }

    /// Decides by the configuration alone, which gives the same result as ``issuer(_:)``.
    func isOwn(_ record: SessionRecord) -> Bool {
        let metadata = ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        return isIssuer(of: record, metadata)
    }

    func isIssuer(_ issuer: String, _ metadata: ProviderMetadata) -> Bool { self.issuer(metadata).utf8.elementsEqual(issuer.utf8) }

    func isIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) -> Bool { isIssuer(record.identity.issuer, metadata) }

    func isConfigured(client: String) -> Bool { client.utf8.elementsEqual(configuration.clientID.utf8) }

    func requireIssuer(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata) else { throw issuerOrClientChanged(than: record) }
    }

    /// A refresh token is bound to its client as well.
    func requireIssuerAndClient(of record: SessionRecord, _ metadata: ProviderMetadata) throws(AuthFailure) {
        guard isIssuer(of: record, metadata), isConfigured(client: record.clientID) else { throw issuerOrClientChanged(than: record) }
    }

    private func issuerOrClientChanged(than record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .configuration,
            UserMessage("provider.configuration_changed", ["provider": configuration.name, "session": record.summary.name]),
            hint: UserMessage("hint.restore_issuer_and_client_id", ["provider": configuration.name]))
    }
}

/// The reason why a signed token was not accepted.
enum IDTokenError: Error {
    /// The keys to check it with are not available now.
    case keysUnavailable(AuthFailure)
    /// No known key fits, and the keys were fetched too recently to fetch them again.
    case keysTooRecent(OAuthError)
    /// According to this machine's clock, the token is expired or not yet valid. The clock may be wrong.
    case clockMismatch(OAuthError)
    /// The token is invalid.
    case wrong(OAuthError)

    init(_ error: OAuthError) {
        switch error.kind {
        case .token(let flaw) where flaw.isClockRelated: self = .clockMismatch(error)
        default: self = .wrong(error)
        }
    }

    /// Whether the token is signed, and of another issuer.
    var isAboutIssuer: Bool { if case .wrong(let error) = self { error.kind == .token(.wrongIssuer) } else { false } }

    /// Whether there is no document at the place of the keys.
    var isAboutMissingKeys: Bool { if case .keysUnavailable(let failure) = self { failure.isMissingDocument } else { false } }

    var failure: AuthFailure {
        switch self {
        case .keysUnavailable(let failure): failure
        case .keysTooRecent(let error), .clockMismatch(let error), .wrong(let error): error.failure
        }
    }
}
