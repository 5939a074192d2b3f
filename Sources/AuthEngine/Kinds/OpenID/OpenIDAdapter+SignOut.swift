internal import AuthModel
internal import OAuth
internal import SessionStore

extension OpenIDAdapter {
    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else {
            return [.nothing(.revokeRefreshToken, reason: "no token is left"), .nothing(.revokeAccessToken, reason: "no token is left")]
        }
        // The endpoint of the sign-in will do where the provider cannot be asked now, or is another one by now; where the configuration
        // names one, it may name another one by now.
        let answered = await metadataNow()
        let metadata = answered ?? ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        let current = isIssuer(of: record, metadata) ? metadata.revocationEndpoint : nil
        let recorded = SessionExtras(record.extras).revocationEndpoint
        guard let endpoint = configuration.endpoints.revocation == nil ? current ?? recorded : recorded ?? current else {
            let reason =
                answered == nil
                ? "the provider had no revocation endpoint at the sign-in, and cannot be asked now"
                : "the provider has no revocation endpoint"
            return [.nothing(.revokeRefreshToken, reason: reason), .nothing(.revokeAccessToken, reason: reason)]
        }
        func step(_ step: SignOutReceipt.Step, _ token: Secret, _ hint: String) -> RevocationStep {
            .token(
                step,
                QueuedRevocation(
                    session: record.summary.name, token: token, tokenTypeHint: hint, endpoint: endpoint, clientID: record.clientID,
                    extras: RevocationExtras(issuer: record.identity.issuer).json))
        }
        // RFC 7009 section 2.1: a refresh token takes its access tokens with it, so it goes first.
        let refresh = tokens.refreshToken.map { step(.revokeRefreshToken, $0, "refresh_token") }
        return [
            refresh ?? .nothing(.revokeRefreshToken, reason: "the session has none"),
            step(.revokeAccessToken, tokens.accessToken, "access_token"),
        ]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        var metadata = await metadataNow() ?? ProviderMetadata(configuration.endpoints, issuer: configuration.issuer)
        // What shows who the client is goes to the issuer that knows it, and for the client that it is of; others are told the client's
        // name.
        let issuer = RevocationExtras(revocation.extras).issuer
        let isOurs = issuer.map { isIssuer($0, metadata) } == true && isConfigured(client: revocation.clientID)
        let credential: ClientCredential = isOurs ? try await client(metadata).credential : .none
        // Queued revocations go where they were meant to go.
        metadata.revocationEndpoint = revocation.endpoint
        let client = OAuthClient(id: revocation.clientID, credential: credential)
        let kind = revocation.tokenTypeHint.flatMap(TokenRevocation.TokenKind.init(rawValue:)) ?? .refresh
        let request: WebRequest
        do { request = try TokenRevocation.request(revocation.token, kind, at: metadata, client: client) } catch { throw error.failure }
        let response = try await send(request, presentingCertificate: isOurs)
        do {
            try TokenRevocation.validate(response, host: revocation.endpoint.origin.authority, now: environment.time.now)
        } catch {
            throw error.failure
        }
    }

    /// The metadata where it can be had soon: who signs out is not held up by a document that is wanted for its details only.
    private func metadataNow() async -> ProviderMetadata? {
        let time = environment.time
        return await time.outcome(until: time.bootTime + Self.documentPatience) { try? await documents.metadata() }.value
    }

    private static let documentPatience: Duration = .seconds(3)

    func endSessionURL(for record: SessionRecord) async throws(AuthFailure) -> WebURL? {
        let metadata = try await documents.metadata()
        try requireIssuer(of: record, metadata)
        return EndSession.url(at: metadata, clientID: record.clientID, idToken: record.tokens?.idToken)
    }

    func endSessionURL(for record: SessionRecord, returnTo: String, state: Secret) async throws(AuthFailure) -> WebURL? {
        let metadata = try await documents.metadata()
        try requireIssuer(of: record, metadata)
        return EndSession.url(
            at: metadata, clientID: record.clientID, idToken: record.tokens?.idToken, returnTo: returnTo, state: state)
    }

    func verify(_ token: Secret, kind: TokenView.Kind) async throws(AuthFailure) -> TokenView? {
        guard let jws = try? JSONWebSignature(compact: token.reveal()), let issuer = configuration.issuer,
            jws.unverifiedClaims["iss"]?.string == issuer.text
        else { return nil }
        var view = TokenInspection.view(of: token, kind: kind, expiresAt: nil, reason: "")
        let metadata = try await documents.metadata()
        do throws(AuthFailure) {
            let verified = try await validated(metadata) { (keys) throws(OAuthError) in
                try jws.signer(among: keys, announcedAlgorithms: metadata.idTokenAlgorithms, host: issuer.url.origin.authority)
            }
            view.verification = .verified(algorithm: verified.algorithm.rawValue, keyID: verified.keyID)
        } catch  where error.kind == .security {
            // A provider announces what it signs ID tokens with, and may sign other tokens with something else; nothing at all is no
            // signature.
            let isAnnounced = (metadata.idTokenAlgorithms ?? ["RS256"]).contains(jws.algorithm) || jws.algorithm.lowercased() == "none"
            view.verification = isAnnounced ? .refused(reason: error.summary) : .unverified(reason: error.summary)
        }
        return view
    }
}
