/// A terminal as the runtime needs it. It is used on one thread only.
public protocol Terminal {
    /// The size now.
    var size: Size { get }
    /// The signs that it can show.
    var glyphs: GlyphSet { get }
    /// Makes ``wait(atMost:)`` return; may be called from any thread, and lasts until the next wait.
    var wake: @Sendable () -> Void { get }

    /// Waits for events, or until it is woken, or until `limit` is over. Nil waits without an end.
    mutating func wait(atMost limit: Duration?) -> [InputEvent]

    /// Shows the changes.
    mutating func present(_ changes: ScreenChanges)

    /// Tells of the mouse from now on, or leaves it to the terminal; where there is none, it does nothing.
    mutating func useMouse(_ isWanted: Bool)

    /// Gives the terminal back as it was found, runs `body`, takes it again. All cells are written anew after it.
    mutating func suspended(_ body: () throws -> Void) rethrows

    /// Stops the process like Ctrl-Z in a shell; returns when it goes on. Where that is impossible, it does nothing.
    mutating func stop()
}

extension Terminal {
    public mutating func useMouse(_ isWanted: Bool) {}
}
