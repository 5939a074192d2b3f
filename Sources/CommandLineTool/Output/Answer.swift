internal import AuthModel

/// What a command answers: a value that can say itself to a person and to a program.
protocol Answer: Sendable {
    /// Lines for a person. They pass the sanitiser on their way out.
    var lines: [String] { get }
    /// The same for a program. Its first member is `version`.
    var json: JSONValue { get }
}

extension JSONValue {
    /// A moment in RFC 3339, or null.
    init(_ moment: Timestamp?) { self.init(moment?.description) }

    /// An answer's object: the version, then its members in their order.
    static func answer(_ members: (String, JSONValue)...) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) })
    }
}
