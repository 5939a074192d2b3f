import CTerminal
import Glibc
public import TerminalUI

/// The background colour of the terminal, as the terminal answers it (OSC 11).
///
/// ``CursesTerminal`` asks nothing: ``ask(term:environment:timeoutMilliseconds:)`` runs before it opens, and only where the answer makes a
/// difference.
public struct TerminalBackground: Equatable, Sendable {
    /// The colour; nil if the terminal did not answer in time.
    public let color: Color?
    /// The user's input meanwhile, for ``CursesOptions/typed``. The beginning of an answer that is cut off at the end is kept here too,
    /// because ``CursesTerminal`` drops an answer only as a whole.
    public let typed: [UInt8]

    /// The maximum wait in milliseconds. A terminal that understands nothing of this costs that much time, every other one as long as its
    /// answer takes.
    public static let timeoutMilliseconds: Int32 = 50
    /// The maximum number of bytes to read, of answers and typed keys.
    private static let limit = 1024
    /// OSC 11, and a request for the primary device attributes. Nearly every terminal answers the second, and in order, so its answer ends
    /// the wait for the first.
    private static let question = "\u{1B}]11;?\u{7}\u{1B}[c"

    /// Asks the terminal of this process; blocks for at most `timeoutMilliseconds` milliseconds.
    ///
    /// - Returns: nil if the process has no terminal, or one that does not answer or would show the question.
    public static func ask(term: String, environment: [String: String], timeoutMilliseconds: Int32 = TerminalBackground.timeoutMilliseconds)
        -> TerminalBackground?
    {
        // Where the app cannot open afterwards, the answer would end in the shell.
        guard answers(term: term, environment), TerminalType(term) != nil else { return nil }
        let tty = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard tty >= 0 else { return nil }
        defer { Glibc.close(tty) }
        let answer = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = ct_ask(tty, question, question.utf8.count, timeoutMilliseconds, buffer.baseAddress, buffer.count)
        }
        return TerminalBackground(answer: answer)
    }

    /// Returns whether a terminal is known to answer, by its own name or by a variable that such terminals set. Others, such as a program
    /// that records a session under the name `xterm`, would only cost the wait. The program screen does not pass the question on.
    static func answers(term: String, _ environment: [String: String]) -> Bool {
        func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        guard CursesTerminal.hasTitle(term: term), !term.hasPrefix("screen"), !isSet("STY") else { return false }
        return names.contains { term.hasPrefix($0) } || variables.contains(where: isSet)
    }

    private static let names = ["alacritty", "foot", "kitty", "rxvt", "tmux", "wezterm", "xterm-ghostty", "xterm-kitty"]
    private static let variables = ["COLORTERM", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "TERM_PROGRAM", "VTE_VERSION", "XTERM_VERSION"]

    /// Whether black text on the background has more contrast than white text; false if the colour is unknown.
    public var isLight: Bool { color?.isLight ?? false }

    /// Separates the answers from what the user typed.
    init(answer: [UInt8]) {
        var color: Color?
        var typed: [UInt8] = []
        var rest = answer[...]
        while let first = rest.first {
            if let (text, end) = Self.text(in: rest, after: "\u{1B}]11;") {
                color = color ?? Self.color(String(decoding: text, as: UTF8.self))
                rest = rest[end...]
            } else if let end = Self.endOfAttributes(in: rest) {
                rest = rest[end...]
            } else {
                typed.append(first)
                rest = rest.dropFirst()
            }
        }
        self.color = color
        self.typed = typed
    }

    /// Returns the text of a sequence that begins with `prefix`, and the index after its end: BEL or ESC \.
    private static func text(in bytes: ArraySlice<UInt8>, after prefix: String) -> (text: ArraySlice<UInt8>, end: Int)? {
        guard bytes.starts(with: prefix.utf8) else { return nil }
        let body = bytes.dropFirst(prefix.utf8.count)
        guard let stop = body.firstIndex(where: { $0 == 0x07 || $0 == 0x1B }) else { return nil }
        if bytes[stop] == 0x07 { return (body[..<stop], stop + 1) }
        return bytes[stop...].starts(with: "\u{1B}\\".utf8) ? (body[..<stop], stop + 2) : nil
    }

    /// Returns the index after an answer to the request for attributes: `ESC [ ? 62 ; 22 c`.
    private static func endOfAttributes(in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.starts(with: "\u{1B}[?".utf8) else { return nil }
        let body = bytes.dropFirst(3)
        guard let stop = body.firstIndex(where: { !(0x30...0x39).contains($0) && $0 != 0x3B }), bytes[stop] == UInt8(ascii: "c") else {
            return nil
        }
        return stop + 1
    }

    /// Reads `rgb:RR/GG/BB`, each with one to four hexadecimal digits; nil for any other format.
    static func color(_ text: String) -> Color? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, ["rgb", "rgba"].contains(parts[0]) else { return nil }
        let values = parts[1].split(separator: "/", omittingEmptySubsequences: false).map { digits -> UInt8? in
            guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit), let value = Int(digits, radix: 16) else {
                return nil
            }
            return UInt8(value * 255 / ((1 << (4 * digits.utf8.count)) - 1))
        }
        guard values.count == (parts[0] == "rgb" ? 3 : 4), let red = values[0], let green = values[1], let blue = values[2] else {
            return nil
        }
        return Color(red: red, green: green, blue: blue)
    }
}

/// Changes how a user types at a terminal, from ``init(at:_:)`` to ``end(discarding:)``.
///
/// The terminal has its former settings while the process is stopped (Ctrl-Z). Every signal that ends the process, and every `exit`,
/// restores it first.
public struct TerminalTyping: Sendable {
    /// The way that the user types.
    public enum Kind: Sendable {
        /// A line without echo.
        case hiddenLine
        /// A line with echo, also if the program that runs this one reads keys.
        case shownLine
        /// Key by key without echo, Ctrl-C and Ctrl-Z included. If the process ends, what stands from the cursor's line to the end of the
        /// screen is erased.
        case keys
    }

    /// A descriptor that becomes readable each time the process continues after a stop, and with ``Kind/keys`` when the terminal is
    /// resized. It stays open for the life of the process.
    public let resumeDescriptor: Int32

    /// Changes the terminal.
    ///
    /// - Parameter terminal: the terminal's descriptor, which the caller still owns.
    /// - Returns: nil if the descriptor is not a terminal, or other code in this process has opened one.
    public init?(at terminal: Int32, _ kind: Kind) {
        resumeDescriptor = ct_typing_begin(terminal, kind.code)
        if resumeDescriptor < 0 { return nil }
    }

    /// Whether the process was stopped and continued, or with ``Kind/keys`` the terminal was resized, since the last call.
    public var wasContinued: Bool { ct_typing_resumed() }

    /// Restores the terminal.
    ///
    /// - Parameter discarding: whether to drop unread input, because it belongs to the line. Otherwise the next reader gets it.
    public func end(discarding: Bool) { ct_typing_end(discarding) }

    /// Restores the terminal settings that this process has changed. Call it before `_exit`, which runs no exit handler.
    public static func restoreTerminal() { ct_restore_now() }
}

extension TerminalTyping.Kind {
    fileprivate var code: ct_typing {
        switch self {
        case .hiddenLine: CT_HIDDEN_LINE
        case .shownLine: CT_SHOWN_LINE
        case .keys: CT_KEYS
        }
    }
}

/// Reads keys from the bytes of a terminal that curses does not use, for a list below the prompt.
public struct TypedKeyReader: Sendable {
    private var decoder = KeyDecoder()
    /// The first bytes of a character whose rest has not arrived.
    private var rest: [UInt8] = []

    /// Creates a reader.
    public init() {}

    /// Returns the keys in the bytes. Unknown sequences, and bytes that are not UTF-8, are left out.
    public mutating func keys(in bytes: [UInt8]) -> [Key] {
        let all = rest + bytes
        let end = all.count - Self.unfinished(all)
        rest = Array(all[end...])
        return decoder.decode(KeyDecoder.items(typed: Array(all[..<end]))).compactMap { event in
            guard case .key(let key) = event, key != .character("\u{FFFD}") else { return nil }
            return key
        }
    }

    /// Returns how many bytes at the end begin a character that they do not end.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() where !(0x80..<0xC0).contains(byte) {
            let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            return length > index + 1 ? index + 1 : 0
        }
        return 0
    }
}
