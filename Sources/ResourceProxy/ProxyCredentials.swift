package import AuthModel
package import OAuth

/// Where the proxy gets the credentials of its requests.
package protocol ProxyCredentials: Sendable {
    /// The header fields that hold the credentials, in lower case. They are never taken from a client.
    var fields: Set<String> { get }

    /// Returns a request with a fresh credential, and the token in it.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func authorized(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (request: WebRequest, token: Secret)

    /// Returns an element whenever the credentials may no longer be used, also those of requests that are still being answered: after a lock,
    /// or when the session has ended.
    func withdrawals() -> AsyncStream<Void>

    /// Whether the same request with the same token may succeed now, because the server has just given a nonce for its proof.
    func hasNewNonce(in headers: [(name: String, value: String)], status: Int, to request: WebRequest) async -> Bool
}
