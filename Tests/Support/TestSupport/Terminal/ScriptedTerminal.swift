import Synchronization
public import TerminalUI

/// A terminal in memory that returns predefined events and records its output.
///
/// After the last event it returns ``InputEvent/terminated``, so a loop always ends.
public struct ScriptedTerminal: Terminal {
    /// The size in columns and rows.
    public private(set) var size: Size
    /// The glyphs that the terminal supports.
    public let glyphs: GlyphSet
    /// Wakes the loop; here it counts the calls.
    public let wake: @Sendable () -> Void
    /// The events of each wait, in order.
    public private(set) var script: [[InputEvent]]
    /// The screen that a user sees, built only from the changes.
    public private(set) var screen: ScreenBuffer
    /// All changes, in order.
    public private(set) var presented: [ScreenChanges] = []
    /// The time limits of the waits, in order.
    public private(set) var waits: [Duration?] = []
    /// All titles, in order.
    public private(set) var titles: [String] = []
    /// How often the terminal was suspended.
    public private(set) var suspensions = 0
    private let wakes: WakeCount

    /// Creates a terminal with the events of each wait.
    public init(size: Size, glyphs: GlyphSet = .unicode, script: [[InputEvent]]) {
        self.size = size
        self.glyphs = glyphs
        self.script = script
        screen = ScreenBuffer(size: size, glyphs: glyphs)
        let wakes = WakeCount()
        self.wakes = wakes
        wake = { wakes.add() }
    }

    /// How often the loop was woken by other code.
    public var wakeCount: Int { wakes.count }

    /// Returns the next events of the script.
    public mutating func wait(atMost limit: Duration?) -> [InputEvent] {
        waits.append(limit)
        guard !script.isEmpty else { return [.terminated] }
        let events = script.removeFirst()
        for case .resized(let size) in events { self.size = size }
        return events
    }

    /// Records the changes and applies them to the screen.
    public mutating func present(_ changes: ScreenChanges) {
        presented.append(changes)
        screen.apply(changes)
    }

    /// Records the title.
    public mutating func show(title: String) { titles.append(title) }

    /// Counts a suspension.
    public mutating func stop() { suspensions += 1 }
}

private final class WakeCount: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}
