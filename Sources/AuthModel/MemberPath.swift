/// The place of a value in a JSON document: names of members and indexes of elements, separated by dots, such as `data.0.id`.
public struct MemberPath: Hashable, Sendable {
    /// The path as it was written.
    public let text: String
    private let segments: [String]

    /// Parses a path of at most 16 segments; returns `nil` if a segment is empty or too long.
    public init?(_ text: String) {
        let segments = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...16).contains(segments.count), segments.allSatisfy({ (1...100).contains($0.utf8.count) }) else { return nil }
        self.text = text
        self.segments = segments
    }

    /// Returns the value at this path; `nil` if there is none, or if it is null.
    public func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for segment in segments {
            if let elements = value.array {
                guard let index = Int(segment), elements.indices.contains(index) else { return nil }
                value = elements[index]
            } else {
                guard let member = value[segment] else { return nil }
                value = member
            }
        }
        return value == .null ? nil : value
    }

    /// Returns the value at this path as text; a whole number is text, too. `nil` if there is no value, it is empty, or it has another type.
    public func string(in document: JSONValue) -> String? {
        guard let value = value(in: document) else { return nil }
        let text = value.string ?? value.integer.map { String($0) }
        return text?.isEmpty == true ? nil : text
    }
}

extension MemberPath: CustomStringConvertible {
    /// The path as it was written.
    public var description: String { text }
}
