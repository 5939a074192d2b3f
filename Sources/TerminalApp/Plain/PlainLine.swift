import TerminalAppModel
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
