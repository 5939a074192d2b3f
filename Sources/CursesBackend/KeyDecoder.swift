internal import CTerminal
internal import TerminalUI

/// Decodes curses input into events: characters, keys, and the ends of pastes.
///
/// Text that looks like a terminal's answer to a query is dropped whole. This program never queries the terminal, so such bytes come from
/// another party and must not act as keys.
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
        /// `ESC [`: ends with a byte from 0x40 to 0x7E.
        case control(length: Int)
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
        for item in items { take(item) }
        endOfInput()
        return events
    }

    private mutating func take(_ item: Item) {
        switch mode {
        case .paste: takePasted(item)
        case .keys: takeKey(item)
        case .escape: takeEscaped(item)
        case .control(let length):
            guard case .character(let value) = item, length < KeyDecoder.answerLimit else { return restart(item) }
            // A control character below the space ends a sequence, as it does in a terminal.
            if value < 0x20 { return restart(item) }
            mode = (0x40...0x7E).contains(value) ? .keys : .control(length: length + 1)
        case .mouse(let parts): takeMouse(item, after: parts)
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

    private mutating func restart(_ item: Item) {
        mode = .keys
        takeKey(item)
    }

    private mutating func takeKey(_ item: Item) {
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
        case .key(let value): emit(KeyDecoder.key(code: value))
        }
    }

    private mutating func takeMouse(_ item: Item, after parts: [UInt32]) {
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

    private mutating func takeEscaped(_ item: Item) {
        mode = .keys
        guard case .character(let value) = item else {
            emit(.escape)
            return takeKey(item)
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

    private mutating func takePasted(_ item: Item) {
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
        case .control(length: 0):
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
}
