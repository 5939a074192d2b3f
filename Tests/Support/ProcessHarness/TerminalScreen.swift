/// A snapshot of a terminal's screen.
public struct TerminalScreen: Equatable, Sendable, CustomStringConvertible {
    /// The rows, without trailing spaces.
    public var rows: [String]
    /// The same rows, with escape sequences for colours and attributes.
    public var styledRows: [String]
    /// The cursor's row, counted from 0.
    public var cursorRow: Int
    /// The cursor's column, counted from 0.
    public var cursorColumn: Int
    /// Whether the cursor is visible.
    public var isCursorVisible: Bool
    /// Whether the alternate screen is active, as for a full-screen program.
    public var isAlternate: Bool
    /// The program in the foreground.
    public var foregroundProgram: String

    /// All rows, joined with newlines.
    public var text: String { rows.joined(separator: "\n") }

    /// Returns whether a row contains the text.
    public func shows(_ text: String) -> Bool {
        rows.contains { $0.contains(text) }
    }

    /// Returns whether a row contains the text as whole words: "locked" is not in "unlocked".
    public func showsWord(_ text: String) -> Bool {
        rows.contains { row in
            row.ranges(of: text).contains { range in
                let before = row[..<range.lowerBound].last
                let after = row[range.upperBound...].first
                return before?.isLetter != true && after?.isLetter != true
            }
        }
    }

    /// Whether the app shows a request for consent and accepts a yes. It does so only after the request could be read.
    public var acceptsConsent: Bool { rows.contains { $0.hasPrefix(" y allow") } }

    /// Whether any text has a colour or an attribute.
    public var isStyled: Bool { styledRows != rows }

    public var description: String {
        let edge = String(repeating: "-", count: rows.map(\.count).max() ?? 0)
        return "\(edge)\n\(text)\n\(edge)\n\(foregroundProgram), \(isAlternate ? "alternate" : "normal") screen"
    }
}
