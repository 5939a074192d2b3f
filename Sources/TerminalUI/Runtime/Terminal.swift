/// The terminal interface that the runtime uses. It belongs to one thread.
public protocol Terminal {
    /// The current size.
    var size: Size { get }
    /// The glyphs that it can show.
    var glyphs: GlyphSet { get }
    /// Makes ``wait(atMost:)`` return; may be called from any thread. A wake between two waits ends the next one.
    var wake: @Sendable () -> Void { get }

    /// Waits for events, a wake, or until `limit` has passed. Nil waits without a limit.
    mutating func wait(atMost limit: Duration?) -> [InputEvent]

    /// Shows the changes.
    mutating func present(_ changes: ScreenChanges)

    /// Sets the title of the terminal's window; does nothing without one.
    mutating func show(title: String)

    /// Turns mouse events on or off; does nothing without a mouse.
    mutating func useMouse(_ isWanted: Bool)

    /// Stops the process, as Ctrl-Z does in a shell; returns when it continues. Does nothing where that is impossible.
    mutating func stop()
}

extension Terminal {
    /// Does nothing, for terminals without a title.
    public mutating func show(title: String) {}
    /// Does nothing, for terminals without a mouse.
    public mutating func useMouse(_ isWanted: Bool) {}
}

/// The current time, passed in by the runtime.
public struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, for display.
    public var civilMilliseconds: Int64
    /// Monotonic time from any origin, for measuring.
    public var steady: Duration

    /// Creates a reading of both clocks.
    public init(civilMilliseconds: Int64, steady: Duration) {
        self.civilMilliseconds = civilMilliseconds
        self.steady = steady
    }
}
