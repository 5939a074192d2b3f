internal import AuthModel
internal import OAuth

/// Proves that a session's requests come from who holds its key (RFC 9449).
struct ProofSigner: Sendable {
    let key: ProofKeyPair
    /// The provider's, shared by all its sessions.
    let nonces: NonceStore
    let time: any TimeSource

    /// `request` with a proof of its own, and the newest nonce of the server it goes to.
    func prove(_ request: WebRequest, as role: ProofNonces.Role, accessToken: Secret? = nil) async throws(AuthFailure) -> WebRequest {
        let nonce = await nonces.nonce(for: request.url, as: role)
        var random = SystemRandomNumberGenerator()
        do {
            return try request.proved(by: key, accessToken: accessToken, nonce: nonce, now: time.now, using: &random)
        } catch {
            throw error.failure
        }
    }
}

/// The nonces of one provider's servers, the newest of each.
actor NonceStore {
    private var nonces = ProofNonces()

    func nonce(for url: WebURL, as role: ProofNonces.Role) -> String? { nonces.nonce(for: url, as: role) }

    /// Keeps the nonce of an answer; whether the request is to be proved and sent once more.
    func wantsRetry(after response: WebResponse, to request: WebRequest, as role: ProofNonces.Role, isRetry: Bool) -> Bool {
        nonces.nonceToRetryWith(after: response, to: request, as: role, isRetry: isRetry) != nil
    }
}
