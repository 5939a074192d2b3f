/// A value of a parsed theme file.
public enum ThemeValue: Equatable, Sendable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int)
    /// An array.
    case list([ThemeValue])
    /// A table, as its entries in order.
    case table([ThemeItem])
    /// A type that themes do not use; the text names it, such as `boolean`.
    case other(String)

    /// The name of the type in error messages.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "a number"
        case .list: "a list"
        case .table: "a table"
        case .other(let word): word
        }
    }
}

/// A key of a theme file with its value and, if the parser knows it, its line.
public struct ThemeItem: Equatable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public let value: ThemeValue
    /// The line in the file; nil if unknown.
    public let line: Int?

    /// Creates an entry.
    public init(_ key: String, _ value: ThemeValue, line: Int? = nil) {
        self.key = key
        self.value = value
        self.line = line
    }
}
