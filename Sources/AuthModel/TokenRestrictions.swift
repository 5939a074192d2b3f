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
    public var note: UserMessage {
        let scope: UserMessage = scopes.isEmpty ? .empty : UserMessage("phrase.limited_to_scope", ["scope": scopes.wire])
        return audience.map { scope.followed(by: UserMessage("phrase.for_audience", ["audience": $0])) } ?? scope
    }
}
