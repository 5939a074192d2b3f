/// A request for a DPoP proof (RFC 9449) for one HTTP request to a resource.
///
/// The private key stays in the session service. The proof is valid only for this one request.
public struct ProofRequest: Equatable, Sendable {
    /// The session whose key signs the proof.
    public var session: SessionName
    /// The access token that is sent with the request, as it was issued.
    public var accessToken: Secret
    /// The HTTP method.
    public var method: String
    /// The URL of the request.
    public var url: WebURL
    /// The newest nonce from the resource.
    public var nonce: String?

    /// Creates a proof request.
    public init(session: SessionName, accessToken: Secret, method: String, url: WebURL, nonce: String? = nil) {
        self.session = session
        self.accessToken = accessToken
        self.method = method
        self.url = url
        self.nonce = nonce
    }
}
