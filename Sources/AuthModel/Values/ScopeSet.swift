/// A set of scopes in the order of the source (RFC 6749 section 3.3).
public struct ScopeSet: Hashable, Sendable {
    /// The scopes, each once.
    public private(set) var values: [String]

    /// Creates a set; drops empty and duplicate scopes.
    public init(_ values: some Sequence<String> = []) {
        self.values = values.filter { !$0.isEmpty }
        // For a few scopes, comparing is cheaper than hashing, because their lengths usually differ.
        guard self.values.count > 8 || self.values.indices.contains(where: { self.values[..<$0].contains(self.values[$0]) }) else { return }
        var seen: Set<String> = []
        self.values = self.values.filter { seen.insert($0).inserted }
    }

    /// Parses the wire format: scopes separated by spaces.
    public init(wire text: String) {
        self.init(text.split(separator: " ").map(String.init))
    }

    /// The wire format.
    public var wire: String { values.joined(separator: " ") }
    /// Whether the set is empty.
    public var isEmpty: Bool { values.isEmpty }
    /// Returns whether the set contains a scope.
    public func contains(_ scope: String) -> Bool { values.contains(scope) }
    /// Returns whether another set contains all scopes of this one.
    public func isSubset(of other: ScopeSet) -> Bool { values.allSatisfy(other.contains) }

    /// Returns whether `text` is a valid scope token: `%x21 / %x23-5B / %x5D-7E`.
    public static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension ScopeSet: ExpressibleByArrayLiteral {
    /// Creates a set from scopes.
    public init(arrayLiteral elements: String...) { self.init(elements) }
}

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
