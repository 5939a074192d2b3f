import TerminalUI

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
            return .unknown(page.rows > 0 ? PlainWords.number(page.rows) : PlainWords.key)
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
