import AuthModel

/// When which session is renewed ahead of its end: a value that decides, and does nothing.
///
/// Due times are of the boot clock and are worked out once for each set of tokens, so neither a jump of the civil clock nor a change of the
/// time zone moves them, and a machine that slept finds what became due meanwhile at once. Never more than ``concurrency`` renewals run at
/// a time, and never do two begin closer together than ``pace``, so that a thousand sessions that are due after a sleep are a trickle and
/// not a storm.
struct RenewalSchedule: Sendable {
    /// The tokens that a plan was made for.
    struct Basis: Equatable, Sendable {
        var receivedAt: Timestamp
        var expiresAt: Timestamp
    }

    private struct Entry {
        var basis: Basis
        /// When to renew; `nil`: not again with these tokens.
        var due: Duration?
        /// Failures in a row that did not end the session.
        var failures = 0
    }

    private var entries: [SessionName: Entry] = [:]
    private var running: Set<SessionName> = []
    /// Until when a provider asked to be left alone.
    private var rests: [ProviderName: Duration] = [:]
    private var nextStart = Duration.zero
    private var random: SplitMix

    static let concurrency = 4
    static let pace = Duration.milliseconds(50)
    /// Between two renewals of one session, however short its tokens live.
    static let distance = Duration.seconds(30)
    /// The longest pause after failures of our own choice.
    static let longestPause = Duration.seconds(900)
    /// The longest time a provider's Retry-After is taken at its word.
    static let longestRest = Duration.seconds(3600)

    init(seed: UInt64) { random = SplitMix(state: seed) }

    // MARK: Planning

    /// Takes notice of the sessions as they are now. What is planned for tokens that are still the same stays planned, and nothing is
    /// planned before the moment that a session names itself.
    mutating func update(_ sessions: [SessionSummary], now: Timestamp, bootTime: Duration) {
        var kept: [SessionName: Entry] = [:]
        for session in sessions {
            guard session.isRenewable, [.signedIn, .renewing].contains(session.settledState), let end = session.accessExpiresAt else {
                continue
            }
            let basis = Basis(receivedAt: session.receivedAt, expiresAt: end)
            var entry =
                entries[session.name].flatMap { $0.basis == basis ? $0 : nil }
                ?? Entry(basis: basis, due: due(basis, now: now, bootTime: bootTime))
            if let due = entry.due { entry.due = max(due, bootTime + rest(of: session, now: now)) }
            kept[session.name] = entry
        }
        entries = kept
    }

    /// How long the provider still wants to hear nothing, as it told somebody who asked for the session.
    private func rest(of session: SessionSummary, now: Timestamp) -> Duration {
        let rest = session.nextRenewalAt.map { $0 - now } ?? .zero
        // More than there can be is the work of a clock.
        return rest > Self.longestRest ? .zero : max(.zero, rest)
    }

    /// A fifth of the lifetime ahead of the end, but at least a minute and a half and at most ten minutes, and never before half of it has
    /// passed; earlier by up to half of that, so that sessions that began together drift apart.
    private mutating func due(_ basis: Basis, now: Timestamp, bootTime: Duration) -> Duration {
        let lifetime = max(.zero, basis.expiresAt - basis.receivedAt)
        let lead = min(min(max(lifetime / 5, .seconds(90)), .seconds(600)), lifetime / 2)
        let jitter = lead / 2 * random.fraction()
        // A civil clock that stands before the tokens were received was put back: they are as old as they can be at most, just received.
        let age = max(.zero, now - basis.receivedAt)
        let wait = min(lifetime, Self.farthest) - lead - jitter - age
        return bootTime + max(wait, age >= Self.distance ? .zero : Self.distance - age)
    }

    /// Beyond it nothing is planned exactly: the sum must stay a time.
    private static let farthest = Duration.seconds(86_400 * 3650)

    /// When a session will be renewed, on the civil clock.
    func plannedAt(_ name: SessionName, now: Timestamp, bootTime: Duration) -> Timestamp? {
        guard !running.contains(name), let entry = entries[name], let due = entry.due else { return nil }
        return now + max(.zero, max(due, rests[name.provider] ?? .zero) - bootTime)
    }

    // MARK: Running

    /// When to look again, on the boot clock; `nil` while there is nothing to wait for.
    func nextWake() -> Duration? {
        guard running.count < Self.concurrency, let due = entries.keys.compactMap(start(of:)).min() else { return nil }
        return max(due, nextStart)
    }

    /// The session to renew now, with the tokens that the plan is for; it counts as running until ``finish(_:_:bootTime:)``.
    mutating func begin(bootTime: Duration) -> (name: SessionName, basis: Basis)? {
        guard running.count < Self.concurrency, bootTime >= nextStart else { return nil }
        let due = entries.keys.compactMap { name in start(of: name).map { (name, $0) } }.filter { $0.1 <= bootTime }
        guard let first = due.min(by: { ($0.1, $0.0) < ($1.1, $1.0) })?.0, let basis = entries[first]?.basis else { return nil }
        running.insert(first)
        nextStart = bootTime + Self.pace
        return (first, basis)
    }

    private func start(of name: SessionName) -> Duration? {
        guard !running.contains(name), let due = entries[name]?.due else { return nil }
        return max(due, rests[name.provider] ?? .zero)
    }

    /// Notes how a renewal ended. New tokens are planned for when ``update(_:now:bootTime:)`` brings them.
    mutating func finish(_ name: SessionName, _ failure: AuthFailure?, bootTime: Duration) {
        running.remove(name)
        guard var entry = entries[name] else { return }
        switch failure?.kind {
        case nil, .signInAgain, .notSignedIn:
            entry.due = nil
        case let kind:
            // A session that such a failure ended is planned for no more as soon as it is seen; one that it left as it was may be mended by
            // whoever mends the configuration, the clock or the network.
            entry.failures += 1
            entry.due = bootTime + pause(after: entry.failures)
            if case .unavailable(let retryAfter?) = kind {
                rests[name.provider] = bootTime + min(max(retryAfter, .zero), Self.longestRest)
            }
        }
        entries[name] = entry
    }

    /// Puts a renewal that began off for a moment: somebody else is at the session.
    mutating func postpone(_ name: SessionName, bootTime: Duration) {
        running.remove(name)
        entries[name]?.due = bootTime + .seconds(1)
    }

    /// Half a minute, doubling up to a quarter of an hour, and up to a quarter more.
    private mutating func pause(after failures: Int) -> Duration {
        let pause = min(.seconds(30 << min(failures - 1, 5)), Self.longestPause)
        return pause + pause / 4 * random.fraction()
    }
}

/// Steele, Lea and Flood's SplitMix64: for jitter, where nothing has to be unpredictable.
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// From 0 up to but not including 1.
    mutating func fraction() -> Double { Double.random(in: 0..<1, using: &self) }
}
