/// What a token is to be good for, where that is less than what its session is good for.
public struct TokenRestrictions: Hashable, Sendable {
    /// The scopes that it may have, in an order of their own; empty: those of the session.
    public let scopes: ScopeSet
    /// The resource that it is for (RFC 8707 section 2), an absolute URI; `nil`: what the session is for.
    public let audience: String?

    /// What the session itself is good for.
    public static let session = TokenRestrictions()

    public init(scopes: ScopeSet = [], audience: String? = nil) {
        // Who asks for the same in another order asks for the same.
        self.scopes = ScopeSet(scopes.values.sorted())
        self.audience = audience
    }

    /// For people, after the name of a token: empty for what the session itself is good for.
    public var note: String {
        (scopes.isEmpty ? "" : " with no scope but \(scopes.wire)") + (audience.map { " for \($0)" } ?? "")
    }
}
