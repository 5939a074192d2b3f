import Synchronization
public import TerminalUI

/// A terminal in memory: it hands out events that were written down before, and keeps what was shown.
///
/// When the script is over it hands out ``InputEvent/terminated``, so a loop always comes to an end.
public struct ScriptedTerminal: Terminal {
    public private(set) var size: Size
    public let glyphs: GlyphSet
    public let wake: @Sendable () -> Void
    /// The events of each wait, in order.
    public private(set) var script: [[InputEvent]]
    /// The picture as a person would see it: put together from the changes alone.
    public private(set) var screen: ScreenBuffer
    /// Every change that was shown.
    public private(set) var presented: [ScreenChanges] = []
    /// The limits of the waits, in order.
    public private(set) var waits: [Duration?] = []
    /// How often the terminal was given back for a while.
    public private(set) var suspensions = 0
    private let wakes: WakeCount

    public init(size: Size, glyphs: GlyphSet = .unicode, script: [[InputEvent]]) {
        self.size = size
        self.glyphs = glyphs
        self.script = script
        screen = ScreenBuffer(size: size, glyphs: glyphs)
        let wakes = WakeCount()
        self.wakes = wakes
        wake = { wakes.add() }
    }

    /// How often the loop was woken from outside.
    public var wakeCount: Int { wakes.count }

    public mutating func wait(atMost limit: Duration?) -> [InputEvent] {
        waits.append(limit)
        guard !script.isEmpty else { return [.terminated] }
        let events = script.removeFirst()
        for case .resized(let size) in events { self.size = size }
        return events
    }

    public mutating func present(_ changes: ScreenChanges) {
        presented.append(changes)
        screen.apply(changes)
    }

    public mutating func suspended(_ body: () throws -> Void) rethrows {
        suspensions += 1
        try body()
    }

    public mutating func stop() { suspensions += 1 }
}

private final class WakeCount: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}
