/// What a terminal shows at one moment.
public struct TerminalScreen: Equatable, Sendable, CustomStringConvertible {
    /// The rows, without trailing blanks.
    public var rows: [String]
    /// The same rows with their colours and attributes as escape sequences.
    public var styledRows: [String]
    public var cursorRow: Int
    public var cursorColumn: Int
    public var isCursorVisible: Bool
    /// Whether the program has taken the alternate screen, as a full-screen program does.
    public var isAlternate: Bool
    /// The program that reads the keys now.
    public var foregroundProgram: String

    /// All rows.
    public var text: String { rows.joined(separator: "\n") }

    /// Whether a text stands in some row.
    public func shows(_ text: String) -> Bool {
        rows.contains { $0.contains(text) }
    }

    /// Whether anything on it is coloured or bears an attribute.
    public var isStyled: Bool { styledRows != rows }

    public var description: String {
        let edge = String(repeating: "-", count: rows.map(\.count).max() ?? 0)
        return "\(edge)\n\(text)\n\(edge)\n\(foregroundProgram), \(isAlternate ? "alternate" : "normal") screen"
    }
}
