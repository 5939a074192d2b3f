import CTerminal
import Synchronization
import TerminalUI

/// Shows notices on the user's desktop through the terminal, also across ssh. Any thread may notify; the thread that owns the terminal
/// writes.
///
/// There is no way to know whether the terminal shows a notice: some ask the user first, some show none while their window is in front.
public final class TerminalNotices: Sendable {
    /// The way that a terminal takes a notice.
    enum Form: Equatable, Sendable {
        /// OSC 9, of iTerm2.
        case message
        /// OSC 777, of rxvt, with a title.
        case titledMessage
        /// BEL: the terminal rings, or marks its window or tab.
        case bell
    }

    private struct Box {
        var isOpen = false
        var requests: [[UInt8]] = []
    }

    /// The maximum length of a notice in glyphs.
    private static let limit = 200

    private let form: Form
    private let box = Mutex(Box())

    /// Creates notices for the terminal that these variables name; opening a ``CursesTerminal`` with them connects them.
    public init(term: String, environment: [String: String]) { form = Self.form(term: term, environment) }

    /// Queues a notice; does nothing if no terminal is open.
    public func notify(_ text: String) {
        let isOpen = box.withLock { box in
            if box.isOpen { box.requests.append(Self.sequence(for: text, as: form)) }
            return box.isOpen
        }
        if isOpen { ct_wake() }
    }

    func open() { box.withLock { $0 = Box(isOpen: true) } }

    func close() { box.withLock { $0 = Box() } }

    /// Passes each queued sequence to `body`.
    func writeRequests(_ body: (UnsafeRawBufferPointer) -> Void) {
        let requests = box.withLock { box in
            defer { box.requests = [] }
            return box.requests
        }
        for request in requests { request.withUnsafeBytes { body($0) } }
    }

    /// Returns the form that a terminal takes. Inside tmux and screen it is BEL: they drop the other sequences, and the variables are those
    /// of the terminal around them.
    static func form(term: String, _ environment: [String: String]) -> Form {
        func value(_ name: String) -> String { environment[name] ?? "" }
        func isNamed(_ name: String) -> Bool { term == name || term.hasPrefix(name + "-") || term.hasPrefix(name + ".") }
        if isNamed("tmux") || isNamed("screen") || !value("TMUX").isEmpty || !value("STY").isEmpty { return .bell }
        // Before the variables, which a terminal inherits from another one that started it.
        if isNamed("foot") || isNamed("rxvt") { return .titledMessage }
        let isKnown =
            ["xterm-kitty", "xterm-ghostty", "wezterm"].contains { isNamed($0) }
            || ["iTerm.app", "WezTerm", "ghostty"].contains(value("TERM_PROGRAM")) || !value("KITTY_WINDOW_ID").isEmpty
        return isKnown ? .message : .bell
    }

    /// Returns the sequence of a notice. A semicolon would start the next field of the sequence.
    static func sequence(for text: String, as form: Form) -> [UInt8] {
        let line = String(SafeText.line(text, limit: limit).map { $0 == ";" ? "," : $0 })
        return switch form {
        case .message: Array("\u{1B}]9;\(line)\u{7}".utf8)
        case .titledMessage: Array("\u{1B}]777;notify;yett;\(line)\u{7}".utf8)
        case .bell: [0x07]
        }
    }
}

/// The width that the C library, and therefore curses, gives to a scalar, in a UTF-8 locale.
enum LibraryWidth {
    /// Returns the width in cells; nil if the library does not know the scalar.
    static func of(_ scalar: Unicode.Scalar) -> Int? {
        let cells = Int(ct_cells(scalar.value))
        return cells < 0 ? nil : cells
    }

    /// Sets the locale; process-wide.
    static func prepare() { _ = ct_prepare_locale() }
}
