/// The verified identity of an account: its issuer, subject and claims.
public struct Identity: Equatable, Sendable {
    /// The issuer of the identity, byte for byte.
    public var issuer: String
    /// The account's identifier at the issuer. It is never reassigned and is shown only if no better name exists. Empty if the provider
    /// does not identify the user; then only the session name distinguishes accounts.
    public var subject: String
    /// The claims of the ID token, as an object; empty if there was no ID token.
    public var idTokenClaims: JSONValue
    /// The claims from the UserInfo endpoint, as an object; empty if it was not called.
    public var userInfo: JSONValue

    /// Creates an identity.
    public init(issuer: String, subject: String, idTokenClaims: JSONValue = .object([]), userInfo: JSONValue = .object([])) {
        self.issuer = issuer
        self.subject = subject
        self.idTokenClaims = idTokenClaims
        self.userInfo = userInfo
    }

    /// Returns a claim as text, from UserInfo if present, otherwise from the ID token.
    public func text(_ claim: String) -> String? {
        userInfo[claim]?.string ?? idTokenClaims[claim]?.string
    }

    /// The account label to use if the user chose none: preferred_username, email or subject, in that order.
    public var defaultLabel: String {
        for claim in ["preferred_username", "email"] {
            if let text = text(claim), let label = SessionName.label(from: text) { return label }
        }
        return SessionName.label(from: subject) ?? "account"
    }

    /// The full name of the user (`name`), if known.
    public var displayName: String? { text("name") }
}
