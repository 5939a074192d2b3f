package import AuthModel
package import OAuth

/// The client's end of the bridge: one JSON-RPC message in a line.
package protocol BridgeStreams: Sendable {
    /// Returns the next line without its line feed; `nil` at the end of input, and when the task is cancelled.
    func nextLine() async -> [UInt8]?
    /// Writes a line and its line feed. Returns whether the client still reads.
    func write(line: [UInt8]) async -> Bool
}

/// Where the bridge gets the credentials of its requests.
package protocol BridgeCredentials: Sendable {
    /// Returns a request with a fresh credential, and the token in it; without a token if the server is used anonymously.
    ///
    /// Throws `.notSignedIn` or `.signInAgain` if the user has to sign in.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func authorized(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (request: WebRequest, token: Secret?)

    /// Whether the same request with the same token may succeed now, because the server has just given a nonce for its proof.
    func hasNewNonce(after answer: WebResponse, to request: WebRequest) async -> Bool

    /// Signs in, or throws what tells the user how to. Callers that wait share one sign-in.
    ///
    /// - Parameter isRefusal: whether the server refused a token. A server must not be able to open one window after another.
    func signIn(because failure: AuthFailure, isRefusal: Bool) async throws(AuthFailure)

    /// Meets the requirements of a refusal. Throws what tells the user how to if that needs more scopes; returns false if the refusal
    /// requires nothing.
    ///
    /// - Parameter token: the token that the server refused.
    func stepUp(after answer: WebResponse, to token: Secret?) async throws(AuthFailure) -> Bool

    /// Returns the failure that a final refusal means.
    func refusal(_ answer: WebResponse) async -> AuthFailure
}
