public import AuthModel

/// A validated ID token (OpenID Connect Core section 2). Only ``IDTokenValidator`` creates it.
public struct IDToken: Equatable, Sendable {
    /// The issuer (`iss`).
    public let issuer: String
    /// The account identifier (`sub`).
    public let subject: String
    /// All claims, known and unknown, as an object.
    public let claims: JSONValue
    /// When the token was issued (`iat`).
    public let issuedAt: Timestamp
    /// When the token expires (`exp`).
    public let expiresAt: Timestamp
    /// When the user last authenticated (`auth_time`); `nil` if the provider does not say.
    public let authenticatedAt: Timestamp?
    /// The algorithm of the verified signature.
    public let algorithm: SignatureAlgorithm
    /// The identifier of the key that verified the signature; `nil` if it has none.
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
