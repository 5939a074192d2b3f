/// Who signed in: the verified claims about one account.
public struct Identity: Equatable, Sendable {
    /// The issuer that vouches for it, byte for byte.
    public var issuer: String
    /// The account's identifier at that issuer; never reassigned, never shown as a name where there is a better one. Empty where the
    /// provider does not say whose session it is: then only the session's name tells accounts apart.
    public var subject: String
    /// Claims of the ID token, as an object; empty where there was none.
    public var idTokenClaims: JSONValue
    /// Claims of userinfo, as an object; empty where it was not asked.
    public var userInfo: JSONValue

    public init(issuer: String, subject: String, idTokenClaims: JSONValue = .object([]), userInfo: JSONValue = .object([])) {
        self.issuer = issuer
        self.subject = subject
        self.idTokenClaims = idTokenClaims
        self.userInfo = userInfo
    }

    /// A claim as text, from userinfo where it is there, else from the ID token.
    public func text(_ claim: String) -> String? {
        userInfo[claim]?.string ?? idTokenClaims[claim]?.string
    }

    /// How the account is labelled where the person did not choose a label: preferred_username, email, subject.
    public var defaultLabel: String {
        for claim in ["preferred_username", "email"] {
            if let text = text(claim), let label = SessionName.label(from: text) { return label }
        }
        return SessionName.label(from: subject) ?? "account"
    }

    /// The name a person would call themselves by, where there is one.
    public var displayName: String? { text("name") }
}
