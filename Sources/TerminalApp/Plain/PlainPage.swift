import AuthModel
import TerminalUI

/// A screen as lines of text, with a question at the end.
///
/// The page is made from the drawn screen, so it has the same texts. Lines, frames and bars are removed, and rows that can be chosen get a
/// number.
struct PlainPage: Equatable, Sendable {
    /// How the next typed line is interpreted.
    enum Prompt: Equatable, Sendable {
        /// The number of a row, or a key.
        case choice
        /// The number of a row; any other text is the filter.
        case filter
        case field(PlainField)
    }

    /// Returns the size for drawing screens: high enough that no screen scrolls, and as wide as the terminal. Narrower screens would drop
    /// important columns; wider ones would place parts side by side, which cannot be read line by line.
    ///
    /// - Parameter columns: the terminal's width; nil without a terminal.
    static func size(columns: Int? = nil) -> Size { Size(columns: min(max(columns ?? 100, 60), 109), rows: 300) }

    var title: String
    var lines: [String]
    /// The number of numbered rows.
    var rows: Int
    var notice: String?
    /// The keys that work, by the names that the user types.
    var keys: [(name: String, label: String)]
    var prompt: Prompt

    init(_ state: AppState) {
        let screen = state.current.screen
        let size = Self.size(columns: state.model.size.columns)
        var buffer = ScreenBuffer(size: size, glyphs: .ascii, recordsTargets: true)
        screen.render(in: state.model, area: Frame.body(size), into: &buffer)
        title = ([Words.program] + state.trail).joined(separator: " > ")
        (lines, rows) = Self.lines(of: buffer)
        let status = screen.status(in: state.model)
        if !status.isEmpty { lines.insert(status, at: 0) }
        notice = state.displayedNotice?.text
        let traits = state.currentTraits
        let isText = traits.takesText
        keys = (screen.keyHints(in: state.model) + state.globalHints).compactMap { hint in
            guard let key = hint.keys.first, !Self.moves.contains(key), !(isText && key == .enter) else { return nil }
            return ((isText ? ":" : "") + key.plainName, hint.label)
        }
        prompt =
            if !isText { .choice } else if let field = traits.plainField { .field(field) } else if rows > 0 {
                .filter
            } else {
                .field(PlainField(label: screen.title(in: state.model), kind: .text("")))
            }
    }

    static func == (left: PlainPage, right: PlainPage) -> Bool {
        left.title == right.title && left.lines == right.lines && left.notice == right.notice && left.prompt == right.prompt
            && left.keys.elementsEqual(right.keys) { $0 == $1 }
    }

    /// Keys that row numbers replace.
    private static let moves: Set<Key> = [.up, .down, .pageUp, .pageDown, .home, .end, .tab, .backTab]

    private static func lines(of buffer: ScreenBuffer) -> (lines: [String], rows: Int) {
        var lines: [String] = []
        var numbered: Set<Int> = []
        for row in 0..<buffer.size.rows {
            var text = words(in: buffer.row(row))
            // A URL that continues in the next row becomes one line, which the terminal wraps, so that it can be copied.
            if row > 0, goesOn(from: buffer.row(row - 1), to: buffer.row(row)), let start = lines.popLast() {
                lines.append(start + text)
                continue
            }
            if case .row(let index)? = buffer.target(at: Point(column: buffer.size.columns / 2, row: row)) {
                if text.hasPrefix("> ") { text.removeFirst(2) }
                text = numbered.insert(index).inserted ? "\(index + 1)) \(text)" : "   \(text)"
            }
            if !text.isEmpty || lines.last?.isEmpty == false { lines.append(text) }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return (lines, numbered.count)
    }

    private static func goesOn(from row: ArraySlice<Cell>, to next: ArraySlice<Cell>) -> Bool {
        guard let last = row.last, let first = next.first else { return false }
        return last.style.role == .link && first.style.role == .link && last.text != " " && first.text != " "
    }

    /// Returns the text of a row without ornaments, and with at most two spaces in a row.
    private static func words(in cells: ArraySlice<Cell>) -> String {
        var text = ""
        var blanks = 0
        let ornaments: Set<Role> = [.border, .barFilled, .barEmpty]
        let bars: Set = [GlyphSet.unicode.barFilled, GlyphSet.unicode.barHalf, GlyphSet.unicode.barEmpty, GlyphSet.unicode.barMark]
        for cell in cells where !cell.isContinuation {
            guard cell.text != " ", !ornaments.contains(cell.style.role), !bars.contains(cell.text) else {
                blanks += 1
                continue
            }
            if blanks > 0, !text.isEmpty { text += String(repeating: " ", count: min(2, blanks)) }
            blanks = 0
            text += cell.text
        }
        return text
    }
}
