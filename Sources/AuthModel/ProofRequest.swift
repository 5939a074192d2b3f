/// A request for a proof that a session's token is ours to use (RFC 9449), for one HTTP request to a resource.
///
/// The key stays in the session service: what comes back is good for this request alone.
public struct ProofRequest: Equatable, Sendable {
    public var session: SessionName
    /// The token that goes with the request, as it was handed out.
    public var accessToken: Secret
    /// The HTTP method.
    public var method: String
    public var url: WebURL
    /// The newest nonce that the resource gave.
    public var nonce: String?

    public init(session: SessionName, accessToken: Secret, method: String, url: WebURL, nonce: String? = nil) {
        self.session = session
        self.accessToken = accessToken
        self.method = method
        self.url = url
        self.nonce = nonce
    }
}
