import AuthModel
import OAuth

/// Calls resources with a token that is bound to a key (RFC 9449).
struct BoundCall {
    let accessToken: Secret
    let key: ProofKeyPair
    var nonces = ProofNonces()
    let send: (WebRequest) async throws -> WebResponse
    let now: () -> Timestamp

    mutating func get(_ url: WebURL) async throws -> WebResponse {
        let request = WebRequest(method: .get, url: url, headers: [("Authorization", "DPoP \(accessToken.reveal())")])
        var random = SystemRandomNumberGenerator()
        var isRetry = false
        while true {
            // Each request has its own proof, with the server's newest nonce.
            let proved = try request.proved(
                by: key, accessToken: accessToken, nonce: nonces.nonce(for: url, as: .resourceServer), now: now(), using: &random)
            let response = try await send(proved)
            guard nonces.retryNonce(after: response, to: proved, as: .resourceServer, isRetry: isRetry) != nil else {
                return response
            }
            isRetry = true
        }
    }
}
