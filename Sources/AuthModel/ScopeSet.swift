/// Scopes in the order they were written, each once (RFC 6749 section 3.3).
public struct ScopeSet: Hashable, Sendable {
    public private(set) var values: [String]

    public init(_ values: some Sequence<String> = []) {
        self.values = values.filter { !$0.isEmpty }
        // Few, as a rule, and nearly always told apart by their length: then comparing costs less than hashing.
        guard self.values.count > 8 || self.values.indices.contains(where: { self.values[..<$0].contains(self.values[$0]) }) else { return }
        var seen: Set<String> = []
        self.values = self.values.filter { seen.insert($0).inserted }
    }

    /// Reads the wire form: scopes separated by blanks.
    public init(wire text: String) {
        self.init(text.split(separator: " ").map(String.init))
    }

    /// The wire form.
    public var wire: String { values.joined(separator: " ") }
    public var isEmpty: Bool { values.isEmpty }
    public func contains(_ scope: String) -> Bool { values.contains(scope) }

    /// Whether `text` is a scope token: `%x21 / %x23-5B / %x5D-7E`.
    public static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}

extension ScopeSet: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: String...) { self.init(elements) }
}
