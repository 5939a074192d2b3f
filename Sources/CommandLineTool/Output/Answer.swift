internal import AuthModel

/// A command's result, which can be printed as text or as JSON.
protocol Answer: Sendable {
    /// The lines for the user. They are sanitised before they are printed.
    var lines: [String] { get }
    /// The result as JSON. Its first member is `version`.
    var json: JSONValue { get }
}

extension JSONValue {
    /// Creates an RFC 3339 string, or null.
    init(_ moment: Timestamp?) { self.init(moment?.description) }

    /// Returns a result object: the version, then the members in their order.
    static func answer(_ members: (String, JSONValue)...) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) })
    }
}
