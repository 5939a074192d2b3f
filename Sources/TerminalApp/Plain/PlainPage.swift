import AuthModel
import Localization
import TerminalUI

/// A screen as lines of text, with a question at the end.
///
/// The page is made from the drawn screen, so it has the same texts. Lines, frames and bars are removed, and rows that can be chosen get a
/// number.
struct PlainPage: Equatable, Sendable {
    /// The interpretation of the next typed line.
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
            guard hint.isEnabled, let key = hint.keys.first, !Self.moves.contains(key), !(isText && key == .enter) else { return nil }
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
            if row > 0, continues(from: buffer.row(row - 1), to: buffer.row(row)), let start = lines.popLast() {
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

    private static func continues(from row: ArraySlice<Cell>, to next: ArraySlice<Cell>) -> Bool {
        guard let last = row.last, let first = next.first else { return false }
        return last.style.role == .link && first.style.role == .link && last.text != " " && first.text != " "
    }

    /// Returns the text of a row without ornaments, and with at most two spaces in a row.
    private static func words(in cells: ArraySlice<Cell>) -> String {
        var text = ""
        var blanks = 0
        let ornaments: Set<Role> = [.border, .focus, .barFilled, .barEmpty]
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

/// The meaning of a typed line on a page.
enum PlainLine: Equatable {
    /// The line's messages, in order.
    case messages([Message])
    /// The line has no meaning here; the text says what is expected.
    case unknown(String)

    init(_ line: String, on page: PlainPage) {
        let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        switch page.prompt {
        case .choice: self = Self.command(words, on: page)
        case .filter:
            if let command = Self.escaped(words) {
                self = Self.command(command, on: page)
            } else if let row = Self.row(words, on: page) {
                self = row
            } else {
                self = .messages([.keyPressed(.control("u")), .textPasted(PastedText(words))])
            }
        case .field(let field):
            if let command = Self.escaped(words) { self = Self.command(command, on: page) } else { self = Self.value(line, of: field) }
        }
    }

    /// Returns the name of a key after a colon, which marks a key where lines are text.
    private static func escaped(_ words: String) -> String? { words.hasPrefix(":") ? String(words.dropFirst()) : nil }

    private static func row(_ words: String, on page: PlainPage) -> PlainLine? {
        guard let number = Int(words), (1...max(1, page.rows)).contains(number), page.rows > 0 else { return nil }
        return .messages([.rowChosen(number - 1)])
    }

    private static func command(_ words: String, on page: PlainPage) -> PlainLine {
        if let row = Self.row(words, on: page) { return row }
        // The selected row is not visible here, so Enter would be a guess.
        if words.isEmpty, page.rows > 0 { return .unknown(PlainWords.number(page.rows)) }
        guard let key = words.isEmpty ? Key.enter : Key(plainName: words) else {
            return .unknown(page.rows > 0 ? PlainWords.number(page.rows) : tr("type the name of a key, such as ? or esc"))
        }
        return .messages([.keyPressed(key)])
    }

    private static func value(_ line: String, of field: PlainField) -> PlainLine {
        switch field.kind {
        case .choice(let options, let selected):
            let words = line.filter { !$0.isWhitespace }
            guard !words.isEmpty else { return .messages([.keyPressed(.enter)]) }
            guard let number = Int(words), (1...max(1, options.count)).contains(number), !options.isEmpty else {
                return .unknown(PlainWords.number(options.count))
            }
            let steps = (number - 1 - selected + options.count) % options.count
            return .messages(Array(repeating: Message.keyPressed(.right), count: steps) + [.keyPressed(.enter)])
        case .text:
            // An empty line keeps the current content.
            guard !line.isEmpty else { return .messages([.keyPressed(.enter)]) }
            let clear: [Message] = [.keyPressed(.end), .keyPressed(.control("u"))]
            return .messages(clear + [.textPasted(PastedText(line)), .keyPressed(.enter)])
        case .secret: return .unknown(PlainWords.seen)
        }
    }
}

/// The focused field of a screen, as a question on its own line.
struct PlainField: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// Text, with its current content.
        case text(String)
        /// Text that is not shown while it is typed.
        case secret
        case choice([String], selected: Int)
    }

    var label: String
    var kind: Kind
    var help: String?
    var problem: String?
}

extension Form {
    /// The focused field; nil for a button.
    var plainField: PlainField? {
        guard let field = self[focus] else { return nil }
        let kind: PlainField.Kind
        switch field.content {
        case .text(let content, _): kind = .text(content.text)
        case .secret: kind = .secret
        case .choice(let options, let selected): kind = .choice(options, selected: selected)
        // The line with the keys has it.
        case .button: return nil
        }
        return PlainField(label: field.label, kind: kind, help: field.help, problem: field.problem)
    }
}

extension Key {
    /// The name for typing the key in a line: as in the configuration, with short names for two keys.
    var plainName: String {
        switch self {
        case .escape: "esc"
        case .enter: "enter"
        default: name
        }
    }

    /// Creates the key with a name; nil for an unknown name.
    init?(plainName: String) {
        switch plainName.lowercased() {
        case "esc": self = .escape
        case "return": self = .enter
        default: self.init(name: plainName)
        }
    }
}
