internal import CTerminal

/// Hides what is typed at a terminal, from ``init(at:)`` to ``end(discarding:)``.
///
/// The echo is on while the process is stopped (Ctrl-Z) and off again when it continues. Every signal that ends the process, and every
/// `exit`, restores the terminal first.
public struct HiddenTyping: Sendable {
    /// A descriptor that becomes readable each time the process continues after a stop. It stays open for the life of the process.
    public let news: Int32

    /// Hides what is typed.
    ///
    /// - Parameter terminal: its descriptor, which stays the caller's.
    /// - Returns: `nil` when that is no terminal, or something else in this process has taken one.
    public init?(at terminal: Int32) {
        news = ct_hide_begin(terminal)
        if news < 0 { return nil }
    }

    /// Whether the process was stopped and continued since the last call.
    public var wasResumed: Bool { ct_hide_resumed() }

    /// Shows again what is typed.
    ///
    /// - Parameter discarding: whether what was typed so far belongs to the hidden line. Otherwise it is left to the next reader.
    public func end(discarding: Bool) { ct_hide_end(discarding) }

    /// Restores the terminal that this process has changed. Call it before `_exit`, which runs no exit handler.
    public static func restoreTerminal() { ct_restore_now() }
}
