internal import CTerminal

/// Hides what is typed at a terminal, from ``init(at:)`` to ``end(discarding:)``.
///
/// The echo is on while the process is stopped (Ctrl-Z) and off again when it continues. Every signal that ends the process, and every
/// `exit`, restores the terminal first.
public struct HiddenTyping: Sendable {
    /// A descriptor that becomes readable each time the process continues after a stop. It stays open for the life of the process.
    public let resumeDescriptor: Int32

    /// Hides what is typed.
    ///
    /// - Parameters:
    ///   - terminal: the terminal's descriptor, which the caller still owns.
    ///   - byKey: whether keys are read one by one, Ctrl-C and Ctrl-Z included. If the process ends, what stands from the cursor's line to
    ///     the end of the screen is erased. ``resumeDescriptor`` then also becomes readable when the terminal is resized.
    /// - Returns: nil if the descriptor is not a terminal, or other code in this process has opened one.
    public init?(at terminal: Int32, byKey: Bool = false) {
        resumeDescriptor = ct_hide_begin(terminal, byKey)
        if resumeDescriptor < 0 { return nil }
    }

    /// Whether the process was stopped and continued, or with `byKey` the terminal was resized, since the last call.
    public var wasContinued: Bool { ct_hide_resumed() }

    /// Shows what is typed again.
    ///
    /// - Parameter discarding: whether to drop unread input, because it belongs to the hidden line. Otherwise the next reader gets it.
    public func end(discarding: Bool) { ct_hide_end(discarding) }

    /// Restores the terminal settings that this process has changed. Call it before `_exit`, which runs no exit handler.
    public static func restoreTerminal() { ct_restore_now() }
}
