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

    /// The account label to use if the user chose none: ``readableLabel``, or the subject if the claims have no name.
    public var defaultLabel: String { readableLabel ?? SessionName.label(from: subject) ?? "account" }

    /// The name by which the user is known at the service, as an account label: login, username, preferred_username, email or name, in that
    /// order. `nil` if there is none, or only an identifier.
    public var readableLabel: String? {
        ["login", "username", "preferred_username", "email", "name"].lazy.compactMap { claim -> String? in
            guard let text = self.text(claim), !isIdentifier(text) else { return nil }
            return SessionName.label(from: text)
        }.first
    }

    /// Whether a name tells the user nothing: a UUID, or the digits of the subject.
    private func isIdentifier(_ name: String) -> Bool {
        let groups = name.split(separator: "-", omittingEmptySubsequences: false)
        if groups.map(\.utf8.count) == [8, 4, 4, 4, 12], groups.allSatisfy({ $0.allSatisfy(\.isHexDigit) }) { return true }
        return name.hasSameBytes(as: subject) && name.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The full name of the user (`name`), if known.
    public var displayName: String? { text("name") }
}
