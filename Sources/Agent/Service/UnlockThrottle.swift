/// Decides whose passphrase is tried next, and when, over all connections: a new connection gives a program no further guesses.
///
/// One passphrase is tried at a time. After a wrong one there is a pause of 1 s, doubling up to 10 s. Meanwhile each process waits with the
/// newest passphrase it sent, and at most ``capacity`` processes wait. The process with fewer wrong passphrases goes first, then the
/// earlier one, so that a program that guesses is slow and delays others by one guess at most. Until the first wrong passphrase ``crowd``
/// processes may wait: many commands that start at once with the right one are no attack, and the first of them unlocks for all. Times are
/// of the boot clock.
struct UnlockThrottle: Sendable {
    /// Who tries, as the kernel says.
    struct Attempt: Equatable, Sendable {
        /// Counts up with every attempt.
        var number: Int
        var process: Int32
        /// What the processes of one terminal, or of one service, have in common (setsid(2)).
        var session: Int32
    }

    private var waiting: [Attempt] = []
    private var isTrying = false
    private var failures = 0
    private var free = Duration.zero
    private var wrongByProcess: [Int32: Int] = [:]
    private var wrongBySession: [Int32: Int] = [:]

    /// The longest pause between two attempts.
    static let limit = Duration.seconds(10)
    /// How many attempts wait at most, after a wrong one.
    static let capacity = 8
    /// How many attempts wait at most, before a wrong one.
    static let crowd = 1024
    /// How many processes and sessions are remembered; each costs a pause to get in.
    private static let memory = 256

    /// Lets an attempt wait; those that wait no longer for it, which may be itself.
    mutating func join(_ attempt: Attempt) -> [Attempt] {
        let gone = waiting.filter { $0.process == attempt.process }
        waiting.removeAll { $0.process == attempt.process }
        waiting.append(attempt)
        return gone + trim()
    }

    /// Removes those who go last, as far as too many wait.
    private mutating func trim() -> [Attempt] {
        let room = failures == 0 ? Self.crowd : Self.capacity
        guard waiting.count > room else { return [] }
        let order = waiting.sorted(by: goesBefore)
        waiting.removeAll { order[room...].contains($0) }
        return Array(order[room...])
    }

    /// Whoever sent it gave up; false where it does not wait any more.
    mutating func leave(_ number: Int) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// The attempt to make now; it is under way until ``fail(_:at:)`` or ``succeed()``.
    mutating func next(at now: Duration) -> Attempt? {
        guard !isTrying, now >= free, let first = waiting.min(by: goesBefore) else { return nil }
        waiting.removeAll { $0 == first }
        isTrying = true
        return first
    }

    /// When to ask for the next attempt; `nil` while there is nothing to wait for but the end of the one under way.
    var nextTurn: Duration? { isTrying || waiting.isEmpty ? nil : free }

    /// How long it takes until another attempt may be made, as far as is known.
    func pause(at now: Duration) -> Duration { max(.seconds(1), free - now) }

    /// The passphrase was wrong, or could not be tried. Returns those that wait no longer, as too many do.
    @discardableResult
    mutating func fail(_ attempt: Attempt, at now: Duration) -> [Attempt] {
        isTrying = false
        failures += 1
        // One second after the first, doubling.
        free = now + min(.seconds(1 << min(failures - 1, 4)), Self.limit)
        if wrongByProcess.count >= Self.memory { wrongByProcess = [:] }
        if wrongBySession.count >= Self.memory { wrongBySession = [:] }
        wrongByProcess[attempt.process, default: 0] += 1
        wrongBySession[attempt.session, default: 0] += 1
        return trim()
    }

    /// The passphrase was right: all is forgiven.
    mutating func succeed() {
        isTrying = false
        failures = 0
        free = .zero
        wrongByProcess = [:]
        wrongBySession = [:]
    }

    private func goesBefore(_ one: Attempt, _ other: Attempt) -> Bool { rank(one) < rank(other) }

    private func rank(_ attempt: Attempt) -> (Int, Int, Int) {
        (wrongBySession[attempt.session] ?? 0, wrongByProcess[attempt.process] ?? 0, attempt.number)
    }
}
