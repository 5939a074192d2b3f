import AuthModel
import OAuth

/// Signs a user in through their browser.
struct BrowserSignIn {
    let issuer: Issuer
    let client: OAuthClient
    /// Sends a request and returns the whole response. It follows no redirect, and has a deadline and a size limit.
    let send: (WebRequest) async throws -> WebResponse
    /// Opens a URL in the user's browser.
    let open: (WebURL) -> Void
    /// Waits for the next request to the redirect URI and returns its raw query.
    let nextCallback: () async throws -> String
    let now: () -> Timestamp

    func run() async throws -> (tokens: TokenSet, identity: IDToken) {
        // Fetch the provider's metadata and its signing keys.
        let metadata = try await discover()
        let keysRequest = try KeySet.request(metadata)
        let keys = try KeySet(await send(keysRequest), from: keysRequest.url, now: now())

        // State, nonce and verifier are created here and kept for the checks below.
        var random = SystemRandomNumberGenerator()
        let request = AuthorizationRequest(
            clientID: client.id, redirectURI: "http://127.0.0.1:8400/callback", scopes: ["openid", "profile"])
        let prepared = try request.prepare(for: metadata, using: &random)
        open(prepared.url)
        let callback = try await answer(to: prepared.pending)

        // Only a validated callback can be exchanged.
        let exchange = try TokenEndpoint.exchange(callback, at: metadata, client: client)
        let tokens = try TokenResponse.tokens(
            await send(exchange), .codeExchange, host: exchange.url.origin.authority, requested: request.scopes, now: now())

        // Validate who signed in: signature, issuer, audience, times, nonce.
        let validator = IDTokenValidator(
            issuer: issuer, clientID: client.id, announcedAlgorithms: metadata.idTokenAlgorithms, nonce: callback.pending.nonce)
        let identity = try validator.validate(tokens.idToken, accessToken: tokens.accessToken, keys: keys, now: now())
        return (tokens, identity)
    }

    private func discover() async throws -> ProviderMetadata {
        var failure: any Error = OAuthError(.discovery, .notFound, host: issuer.url.origin.authority)
        for location in ProviderMetadata.locations(of: issuer, kind: .oidc) {
            do {
                let response = try await send(ProviderMetadata.request(location))
                return try ProviderMetadata(response, issuer: issuer, requirement: .openID, now: now())
            } catch let error as OAuthError where error.kind == .notFound {
                failure = error
            }
        }
        throw failure
    }

    /// Waits for the provider's response. Only the provider can end the attempt: requests without its state are ignored.
    private func answer(to pending: PendingAuthorization) async throws -> ValidatedCallback {
        while true {
            switch AuthorizationResponse(query: try await nextCallback(), for: pending) {
            case .accepted(let callback): return callback
            case .ignored: continue
            case .denied(let error), .refused(let error): throw error
            }
        }
    }
}
