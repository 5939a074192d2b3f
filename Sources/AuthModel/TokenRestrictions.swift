/// The scope and audience of a token that is more restricted than its session.
public struct TokenRestrictions: Hashable, Sendable {
    /// The permitted scopes, sorted; empty for those of the session.
    public let scopes: ScopeSet
    /// The resource that the token is for (RFC 8707 section 2), an absolute URI; `nil` for that of the session.
    public let audience: String?

    /// The session's own scopes and audience.
    public static let session = TokenRestrictions()

    /// Creates restrictions. Default: those of the session.
    public init(scopes: ScopeSet = [], audience: String? = nil) {
        // Sorted, so that requests with the same scopes in another order are equal.
        self.scopes = ScopeSet(scopes.values.sorted())
        self.audience = audience
    }

    /// A suffix for the name of a token in messages; empty for the session's own scopes and audience.
    public var note: String {
        (scopes.isEmpty ? "" : " limited to scope \(scopes.wire)") + (audience.map { " for \($0)" } ?? "")
    }
}
