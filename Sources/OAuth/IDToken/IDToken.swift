public import AuthModel

/// A validated ID token (OpenID Connect Core section 2). Only ``IDTokenValidator`` makes one.
public struct IDToken: Equatable, Sendable {
    public let issuer: String
    public let subject: String
    /// All claims, known and unknown, as an object.
    public let claims: JSONValue
    public let issuedAt: Timestamp
    public let expiresAt: Timestamp
    /// When the person last showed who they are, where the provider says.
    public let authenticatedAt: Timestamp?
    /// The algorithm its signature was verified with.
    public let algorithm: SignatureAlgorithm
    /// The key its signature was verified with, where it has a name.
    public let keyID: String?

    init(
        issuer: String, subject: String, claims: JSONValue, issuedAt: Timestamp, expiresAt: Timestamp, authenticatedAt: Timestamp?,
        algorithm: SignatureAlgorithm, keyID: String?
    ) {
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authenticatedAt = authenticatedAt
        self.algorithm = algorithm
        self.keyID = keyID
    }
}
