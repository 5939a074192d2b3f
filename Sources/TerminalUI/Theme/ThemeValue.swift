/// A value of a parsed theme file.
public enum ThemeValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case list([ThemeValue])
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
    public let key: String
    public let value: ThemeValue
    public let line: Int?

    public init(_ key: String, _ value: ThemeValue, line: Int? = nil) {
        self.key = key
        self.value = value
        self.line = line
    }
}
