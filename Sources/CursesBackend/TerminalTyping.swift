internal import CTerminal

/// Changes how a user types at a terminal, from ``init(at:_:)`` to ``end(discarding:)``.
///
/// The terminal has its former settings while the process is stopped (Ctrl-Z). Every signal that ends the process, and every `exit`, restores
/// it first.
public struct TerminalTyping: Sendable {
    /// The form of input.
    public enum Kind: Sendable {
        /// A line without echo.
        case hiddenLine
        /// A line with echo, also if the program that runs this one reads keys.
        case shownLine
        /// Key by key without echo, Ctrl-C and Ctrl-Z included. If the process ends, what stands from the cursor's line to the end of the
        /// screen is erased.
        case keys
    }

    /// A descriptor that becomes readable each time the process continues after a stop, and with ``Kind/keys`` when the terminal is resized.
    /// It stays open for the life of the process.
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
