internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Signs DPoP proofs that a session's requests come from the holder of its key (RFC 9449).
struct ProofSigner: Sendable {
    let key: ProofKeyPair
    /// The nonces of the provider, shared by all its sessions.
    let nonces: NonceStore
    let time: any TimeSource

    /// Returns `request` with a new proof, which has the newest nonce of the server that the request is sent to.
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

/// The newest nonce of each of a provider's servers.
actor NonceStore {
    private var nonces = ProofNonces()

    func nonce(for url: WebURL, as role: ProofNonces.Role) -> String? { nonces.nonce(for: url, as: role) }

    /// Stores the nonce of an answer. Returns whether to send the request again with a new proof.
    func wantsRetry(after response: WebResponse, to request: WebRequest, as role: ProofNonces.Role, isRetry: Bool) -> Bool {
        nonces.retryNonce(after: response, to: request, as: role, isRetry: isRetry) != nil
    }
}
