import CTerminal
import TerminalUI

/// Decodes curses input into events: characters, keys, and the ends of pastes.
///
/// Text that looks like a terminal's answer to a query is dropped whole, except for the reports of the modes that are on, which change no
/// more than colours and motion. This program never queries the terminal, so other such bytes come from another party and must not act as
/// keys. Keys that a terminal reports by their number are decoded, because another program may have left
/// the terminal in that mode.
struct KeyDecoder {
    enum Item: Equatable {
        case character(UInt32)
        case key(UInt32)
    }

    /// The maximum number of scalars in one paste; the rest is dropped.
    static let pasteLimit = 1 << 20
    /// The maximum length of a dropped answer, in characters. Later characters count as input again.
    private static let answerLimit = 1 << 16
    /// The maximum length of a mouse report: three numbers.
    private static let mouseLimit = 32

    private enum Mode: Equatable {
        case keys
        case paste
        /// After ESC: Alt, or the start of an answer.
        case escape
        /// `ESC [`: ends with a byte from 0x40 to 0x7E. The first characters are kept, because the sequence may be a key.
        case control(length: Int, kept: [UInt32] = [])
        /// `ESC [ <`: a mouse report (SGR 1006), which ends with M or m.
        case mouse([UInt32])
        /// `ESC [ M`: a mouse report in three characters.
        case oldMouse([UInt32])
        /// `ESC ] P _ ^ X`: ends with BEL or ESC \.
        case text(length: Int, afterEscape: Bool)
    }

    private var mode = Mode.keys
    private var pasted = String.UnicodeScalarView()
    private var pastedCount = 0
    private var events: [InputEvent] = []

    /// Decodes the items of one wait. An answer or a paste may continue in the next call.
    mutating func decode(_ items: [Item]) -> [InputEvent] {
        events = []
        for item in items { decode(item) }
        endOfInput()
        return events
    }

    private mutating func decode(_ item: Item) {
        switch mode {
        case .paste: decodePasted(item)
        case .keys: decodeKey(item)
        case .escape: decodeEscaped(item)
        case .control(let length, let kept):
            guard case .character(let value) = item, length < KeyDecoder.answerLimit else { return restart(item) }
            // A control character below the space ends a sequence, as it does in a terminal.
            if value < 0x20 { return restart(item) }
            guard (0x40...0x7E).contains(value) else {
                mode = .control(length: length + 1, kept: length < NumberedKey.limit ? kept + [value] : kept)
                return
            }
            mode = .keys
            if length <= NumberedKey.limit { decodeControl(kept, end: value) }
        case .mouse(let parts): decodeMouse(item, after: parts)
        case .oldMouse(let parts):
            guard case .character(let value) = item else { return restart(item) }
            mode = parts.count < 2 ? .oldMouse(parts + [value]) : .keys
            if parts.count == 2 { emit(KeyDecoder.mouse(old: parts + [value])) }
        case .text(let length, let afterEscape):
            guard case .character(let value) = item, length < KeyDecoder.answerLimit else { return restart(item) }
            if value == 0x07 || value == 0x9C || (afterEscape && value == UInt32(UInt8(ascii: "\\"))) {
                mode = .keys
            } else {
                mode = .text(length: length + 1, afterEscape: value == 0x1B)
            }
        }
    }

    /// Decodes a whole sequence: a report that the terminal was asked for by a mode, or a key.
    private mutating func decodeControl(_ characters: [UInt32], end: UInt32) {
        let text = String(String.UnicodeScalarView(characters.compactMap(Unicode.Scalar.init)))
        switch (text, UInt8(exactly: end).map(Unicode.Scalar.init)) {
        case ("", "I"): events.append(.focused(true))
        case ("", "O"): events.append(.focused(false))
        // DSR 997, which mode 2031 asks for.
        case ("?997;1", "n"): events.append(.colorsChanged(isLight: false))
        case ("?997;2", "n"): events.append(.colorsChanged(isLight: true))
        default: emit(NumberedKey(characters, end: end)?.key)
        }
    }

    private mutating func restart(_ item: Item) {
        mode = .keys
        decodeKey(item)
    }

    private mutating func decodeKey(_ item: Item) {
        switch item {
        case .character(0x1B): mode = .escape
        case .character(0x9B): mode = .control(length: 0)
        case .character(0x90), .character(0x98), .character(0x9D), .character(0x9E), .character(0x9F):
            mode = .text(length: 0, afterEscape: false)
        case .character(let value): emit(KeyDecoder.key(character: value))
        case .key(UInt32(CT_KEY_PASTE_BEGIN.rawValue)):
            mode = .paste
            pasted = .init()
            pastedCount = 0
        case .key(UInt32(CT_KEY_MOUSE.rawValue)): mode = .mouse([])
        case .key(UInt32(CT_KEY_MOUSE_OLD.rawValue)): mode = .oldMouse([])
        case .key(UInt32(CT_KEY_FOCUS_IN.rawValue)): events.append(.focused(true))
        case .key(UInt32(CT_KEY_FOCUS_OUT.rawValue)): events.append(.focused(false))
        case .key(let value): emit(KeyDecoder.key(code: value))
        }
    }

    private mutating func decodeMouse(_ item: Item, after parts: [UInt32]) {
        guard case .character(let value) = item, parts.count < KeyDecoder.mouseLimit else { return restart(item) }
        switch value {
        // A digit or a semicolon.
        case 0x30...0x39, 0x3B: mode = .mouse(parts + [value])
        // M: pressed.
        case 0x4D:
            mode = .keys
            emit(KeyDecoder.mouse(parts))
        // m: released.
        case 0x6D: mode = .keys
        default: restart(item)
        }
    }

    private mutating func decodeEscaped(_ item: Item) {
        mode = .keys
        guard case .character(let value) = item else {
            emit(.escape)
            return decodeKey(item)
        }
        switch UInt8(exactly: value).map(Unicode.Scalar.init) {
        case "[": mode = .control(length: 0)
        case "]", "P", "_", "^", "X": mode = .text(length: 0, afterEscape: false)
        case "\u{1B}":
            emit(.escape)
            mode = .escape
        default:
            guard let key = KeyDecoder.key(character: value) else { return }
            emit(Key(key.code, key.modifiers.union(.alt)))
        }
    }

    private mutating func decodePasted(_ item: Item) {
        switch item {
        case .key(UInt32(CT_KEY_PASTE_END.rawValue)):
            events.append(.paste(PastedText(String(pasted))))
            pasted = .init()
            mode = .keys
        // Key codes inside a paste are text that looks like keys.
        case .key: break
        case .character(let value):
            // Terminals send the line ends of a paste as carriage returns.
            guard pastedCount < KeyDecoder.pasteLimit, let scalar = Unicode.Scalar(value == 0x0D ? 0x0A : value) else { return }
            pasted.append(scalar)
            pastedCount += 1
        }
    }

    /// Handles an incomplete sequence at the end of the input. Curses waits for the rest of a sequence itself, so the user typed these
    /// keys.
    private mutating func endOfInput() {
        switch mode {
        case .escape:
            emit(.escape)
            mode = .keys
        case .control(length: 0, kept: _):
            emit(.alt("["))
            mode = .keys
        case .text(length: 0, _): mode = .keys
        case .keys, .paste, .control, .text, .mouse, .oldMouse: break
        }
    }

    private mutating func emit(_ key: Key?) {
        if let key { events.append(.key(key)) }
    }

    private mutating func emit(_ mouse: MouseEvent?) {
        if let mouse { events.append(.mouse(mouse)) }
    }

    /// The sequences of keys that curses would recognise, with the mode of the keypad off or on.
    private static let sequences: [String: ct_key] = [
        "[A": CT_KEY_UP, "[B": CT_KEY_DOWN, "[C": CT_KEY_RIGHT, "[D": CT_KEY_LEFT, "[H": CT_KEY_HOME, "[F": CT_KEY_END,
        "OA": CT_KEY_UP, "OB": CT_KEY_DOWN, "OC": CT_KEY_RIGHT, "OD": CT_KEY_LEFT, "OH": CT_KEY_HOME, "OF": CT_KEY_END,
        "[3~": CT_KEY_DELETE, "[5~": CT_KEY_PAGE_UP, "[6~": CT_KEY_PAGE_DOWN, "[Z": CT_KEY_BACK_TAB,
        "OP": function(1), "OQ": function(2), "OR": function(3), "OS": function(4),
    ]

    private static func function(_ number: UInt32) -> ct_key { ct_key(CT_KEY_F0.rawValue + number) }

    /// Returns the items of bytes that were read before curses had the terminal.
    static func items(typed bytes: [UInt8]) -> [Item] {
        var items: [Item] = []
        var rest = Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars
        while let first = rest.popFirst() {
            let match = sequences.first { first == "\u{1B}" && rest.starts(with: $0.key.unicodeScalars) }
            if let match {
                rest.removeFirst(match.key.unicodeScalars.count)
                items.append(.key(UInt32(match.value.rawValue)))
            } else {
                items.append(.character(first.value))
            }
        }
        return items
    }

    /// Parses a numeric mouse report, `button;column;row`, counted from 1; nil if it is malformed or has no meaning here.
    static func mouse(_ report: [UInt32]) -> MouseEvent? {
        let numbers = report.split(separator: UInt32(UInt8(ascii: ";")), omittingEmptySubsequences: false).map { digits in
            digits.isEmpty || digits.count > 6 ? nil : digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        guard numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2] else { return nil }
        return mouse(button: button, column: column, row: row)
    }

    /// Parses a mouse report of three characters, each with 32 added.
    static func mouse(old report: [UInt32]) -> MouseEvent? {
        let numbers = report.map { Int($0) - 32 }
        guard numbers.count == 3 else { return nil }
        return mouse(button: numbers[0], column: numbers[1], row: numbers[2])
    }

    private static func mouse(button: Int, column: Int, row: Int) -> MouseEvent? {
        guard column >= 1, row >= 1 else { return nil }
        let point = Point(column: column - 1, row: row - 1)
        // 4, 8 and 16 are modifiers. 32 is a move, which is ignored: dragging is not a press.
        switch button & ~0b11100 {
        case 0: return MouseEvent(.pressed, at: point)
        case 64: return MouseEvent(.wheelUp, at: point)
        case 65: return MouseEvent(.wheelDown, at: point)
        default: return nil
        }
    }

    /// Returns the key for a character; nil if no key types it.
    static func key(character value: UInt32) -> Key? {
        switch value {
        case 0x09: return .tab
        case 0x0A, 0x0D: return .enter
        case 0x08, 0x7F: return .backspace
        case 0x1B: return .escape
        case 0x00: return Key(.character(" "), .control)
        case 0x01...0x1A: return UInt8(exactly: value + 0x60).map { .control(Character(Unicode.Scalar($0))) }
        case 0x1C...0x1F: return UInt8(exactly: value + 0x40).map { .control(Character(Unicode.Scalar($0))) }
        case 0x80...0x9F: return nil
        default: return Unicode.Scalar(value).map { .character(Character($0)) }
        }
    }

    /// Returns the key for a key code of CTerminal; nil for unsupported keys.
    static func key(code value: UInt32) -> Key? {
        let modified = UInt32(CT_MODIFIED.rawValue)
        guard value >= modified else { return plain(value).map { Key($0.code, $0.modifiers) } }
        let bits = (value - modified) / 64
        var modifiers: Key.Modifiers = []
        if bits & 1 != 0 { modifiers.insert(.shift) }
        if bits & 2 != 0 { modifiers.insert(.alt) }
        if bits & 4 != 0 { modifiers.insert(.control) }
        return plain((value - modified) % 64).map { Key($0.code, $0.modifiers.union(modifiers)) }
    }

    private static func plain(_ value: UInt32) -> Key? {
        let function = UInt32(CT_KEY_F0.rawValue)
        if value > function, value <= function + 63 { return .function(Int(value - function)) }
        return named.first { UInt32($0.code.rawValue) == value }?.key
    }

    private static var named: [(code: ct_key, key: Key)] {
        [
            (CT_KEY_UP, .up), (CT_KEY_DOWN, .down), (CT_KEY_LEFT, .left), (CT_KEY_RIGHT, .right), (CT_KEY_HOME, .home),
            (CT_KEY_END, .end), (CT_KEY_PAGE_UP, .pageUp), (CT_KEY_PAGE_DOWN, .pageDown), (CT_KEY_INSERT, .insert),
            (CT_KEY_DELETE, .delete), (CT_KEY_BACKSPACE, .backspace), (CT_KEY_ENTER, .enter), (CT_KEY_BACK_TAB, .backTab),
        ]
    }
}
