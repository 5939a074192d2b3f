import AuthEngine
import AuthModel
import OAuth
import SessionStore

extension OpenIDAdapter {
    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else {
            return [
                .nothing(.revokeRefreshToken, reason: "sign_out.no_token_left"),
                .nothing(.revokeAccessToken, reason: "sign_out.no_token_left"),
            ]
        }
        let dialect = configuration.dialect
        guard dialect.revocation != .none, dialect.revocation != .deleteJSON || configuration.clientSecret != nil else {
            let reason = UserMessage("sign_out.service_revokes_no_tokens")
            return [.nothing(.revokeRefreshToken, reason: reason), .nothing(.revokeAccessToken, reason: reason)]
        }
        // If the provider cannot be asked now, or is another one now, use the endpoint recorded at the sign-in. A configured endpoint may
        // belong to another provider now, so the recorded one comes first then.
        let answered = await metadataIfAvailableSoon()
        let metadata = answered ?? ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        let current = isIssuer(of: record, metadata) ? metadata.revocationEndpoint : nil
        let recorded = SessionExtras(record.extras).revocationEndpoint
        guard let endpoint = configuration.endpoints.revocation == nil ? current ?? recorded : recorded ?? current else {
            let reason =
                answered == nil
                ? UserMessage("sign_out.no_revocation_endpoint_known")
                : UserMessage("sign_out.no_revocation_endpoint")
            return [.nothing(.revokeRefreshToken, reason: reason), .nothing(.revokeAccessToken, reason: reason)]
        }
        func step(_ step: SignOutReceipt.Step, _ token: Secret, _ hint: String) -> RevocationStep {
            .revoking(
                step, token, hint: hint, of: record, at: endpoint,
                extras: RevocationExtras(issuer: record.identity.issuer, dialect).json)
        }
        // RFC 7009 section 2.1: revoking a refresh token also revokes its access tokens, so it comes first.
        let refresh =
            tokens.ownRefreshToken.map { token in
                dialect.revokes == .access
                    ? .nothing(.revokeRefreshToken, reason: "sign_out.token_type_not_revoked")
                    : step(.revokeRefreshToken, token, "refresh_token")
            } ?? RevocationStep.nothing(.revokeRefreshToken, reason: "sign_out.session_has_no_token")
        let access =
            dialect.revokes == .refresh
            ? RevocationStep.nothing(.revokeAccessToken, reason: "sign_out.token_type_not_revoked")
            : step(.revokeAccessToken, await revocableAccessToken(of: record, tokens, metadata: answered), "access_token")
        return [refresh, access]
    }

    /// Returns the access token to revoke. If it authenticates its own revocation, which also ends the refresh token, an expired one is
    /// renewed first: the service would refuse it, and the refresh token would stay valid.
    private func revocableAccessToken(of record: SessionRecord, _ tokens: TokenSet, metadata: ProviderMetadata?) async -> Secret {
        let time = environment.time
        guard configuration.dialect.revocation.isAuthenticatedByToken, let refreshToken = tokens.refreshToken, let metadata,
            let end = tokens.accessExpiresAt, end <= time.now, isIssuer(of: record, metadata), isConfigured(client: record.clientID)
        else { return tokens.accessToken }
        let renewal = await time.outcome(until: time.bootTime + Self.renewalTimeout) {
            try? await renewed(refreshToken, of: record, to: .session, old: tokens, metadata: metadata)
        }
        return renewal.value?.tokens.accessToken ?? tokens.accessToken
    }

    private static let renewalTimeout: Duration = .seconds(5)

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        var metadata = await metadataIfAvailableSoon() ?? ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        // Authenticate the client only to its own issuer, and only for the client that the token belongs to. Other servers get the client
        // ID only, or what they gave Yett at the registration of that client.
        let extras = RevocationExtras(revocation.extras)
        let isOurs = extras.issuer.map { isIssuer($0, metadata) } == true && isConfigured(client: revocation.clientID)
        let credential =
            if isOurs { try await client(metadata).credential } else { await formerCredential(for: revocation, at: extras.issuer) }
        // A queued revocation goes to the endpoint that it was queued for.
        metadata.revocationEndpoint = revocation.endpoint
        var dialect = isOurs ? configuration.dialect : ProviderDialect()
        dialect.revocation = extras.form
        dialect.revocationParameter = extras.parameter ?? dialect.revocationParameter
        let client = OAuthClient(id: revocation.clientID, credential: credential, dialect: dialect)
        let kind = revocation.tokenTypeHint.flatMap(Revocation.TokenKind.init(rawValue:)) ?? .refresh
        let request: WebRequest
        do { request = try Revocation.request(revocation.token, kind, at: metadata, client: client) } catch { throw error.failure }
        let response = try await send(request, presentingCertificate: isOurs)
        do {
            try Revocation.validate(
                response, host: revocation.endpoint.origin.authority, form: extras.form, now: environment.time.now)
        } catch {
            throw error.failure
        }
    }

    /// Returns the credential of a client that Yett registered at the issuer of a token, which is no longer the configured one; none for
    /// any other client.
    private func formerCredential(for revocation: QueuedRevocation, at issuer: String?) async -> ClientCredential {
        guard let issuer = issuer.flatMap(Issuer.init),
            let credential = try? await registeredCredential(of: revocation.clientID, at: issuer)
        else { return ClientCredential.none }
        return credential
    }

    /// Returns the metadata if it is available soon. It only adds details, so a sign-out does not wait long for it.
    private func metadataIfAvailableSoon() async -> ProviderMetadata? {
        let time = environment.time
        return await time.outcome(until: time.bootTime + Self.metadataTimeout) { try? await documents.metadata() }.value
    }

    private static let metadataTimeout: Duration = .seconds(3)

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? {
        let metadata = try await documents.metadata()
        try requireIssuer(of: record, metadata)
        return EndSessionRequest.url(
            at: metadata, clientID: record.clientID, idToken: record.tokens?.idToken, dialect: configuration.dialect)
    }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        let metadata = try await documents.metadata()
        try requireIssuer(of: record, metadata)
        return EndSessionRequest.url(
            at: metadata, clientID: record.clientID, idToken: record.tokens?.idToken, returnTo: returnTo, state: state,
            dialect: configuration.dialect)
    }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        guard let jws = try? JSONWebSignature(compact: token.reveal()), let issuer = configuration.issuer,
            let claimed = jws.unverifiedClaims["iss"]?.string,
            claimed == issuer.text || configuration.dialect.issuerPattern?.isTenantIssuer(claimed) == true
        else { return nil }
        var view = TokenInspection.view(of: token, kind: kind, expiresAt: nil, reason: .empty)
        let metadata = try await documents.metadata()
        do throws(AuthFailure) {
            let verified = try await validated(metadata) { (keys) throws(OAuthError) in
                try jws.signer(among: keys, announcedAlgorithms: metadata.idTokenAlgorithms, host: issuer.url.origin.authority)
            }
            view.verification = .verified(algorithm: verified.algorithm.rawValue, keyID: verified.keyID)
        } catch  where error.kind == .security {
            // A provider announces the algorithms for ID tokens, and may sign other tokens with others. The algorithm `none` is never a
            // signature.
            let isAnnounced = (metadata.idTokenAlgorithms ?? ["RS256"]).contains(jws.algorithm) || jws.algorithm.asciiLowercased() == "none"
            view.verification = isAnnounced ? .refused(reason: error.message) : .unverified(reason: error.message)
        }
        return view
    }
}

/// The data of a queued revocation other than the request. The issuer is recorded, because the provider's name may mean another one later.
struct RevocationExtras {
    /// The issuer of the token.
    var issuer: String?
    /// The form of the request.
    var form = ProviderDialect.RevocationForm.standard
    /// The parameter with the token; `nil` in entries of older versions.
    var parameter: String?

    init(issuer: String, _ dialect: ProviderDialect) {
        self.issuer = issuer
        form = dialect.revocation
        parameter = dialect.revocationParameter
    }

    init(_ extras: JSONValue) {
        issuer = extras["issuer"]?.string
        form = extras["form"]?.string.flatMap(ProviderDialect.RevocationForm.init) ?? .standard
        parameter = extras["parameter"]?.string
    }

    var json: JSONValue {
        .present(
            ("issuer", issuer.map { .string($0) }), ("form", form == .standard ? nil : .string(form.rawValue)),
            ("parameter", parameter.map { .string($0) }))
    }
}
