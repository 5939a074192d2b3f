/// How fast passphrases may be tried, over all connections: each attempt after a wrong one waits longer, up to ten seconds.
///
/// An attempt counts as wrong until it turned out right, so that many at once are no faster than one after the other. Times are of the boot clock.
struct UnlockThrottle: Equatable, Sendable {
    private var failures = 0
    private var free = Duration.zero

    /// The longest wait between two attempts.
    static let limit = Duration.seconds(10)
    /// How far ahead attempts are let in to wait.
    static let horizon = Duration.seconds(30)

    /// Takes the next turn: when the attempt may be made; `nil` where too many wait already.
    mutating func begin(at now: Duration) -> Duration? {
        let turn = max(now, free)
        guard turn - now <= Self.horizon else { return nil }
        free = turn + Self.pause(after: failures + 1)
        failures += 1
        return turn
    }

    /// How long to wait at least before ``begin(at:)`` finds a turn.
    func wait(at now: Duration) -> Duration { max(.zero, free - now - Self.horizon) }

    /// The passphrase was right.
    mutating func succeeded() {
        failures = 0
        free = .zero
    }

    /// One second after the first, doubling.
    private static func pause(after failures: Int) -> Duration {
        min(.seconds(1 << min(failures - 1, 4)), limit)
    }
}
