package import AuthModel

/// A sort order for sessions.
package enum SessionOrder: Equatable, Sendable, CaseIterable {
    /// Sessions that need the user first, then those that end and cannot renew by their time left, then the others by name.
    case attention
    /// The earliest expiry first.
    case timeLeft
    /// The most recently used first.
    case lastUsed
    case name

    package var next: SessionOrder {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Returns indices into the model's sessions in this order. The sessions are sorted by name, and equal ones keep that order.
    package func sorted(_ indices: [Int], isGrouped: Bool, in model: AppModel) -> [Int] {
        guard self != .name || isGrouped, let sessions = model.sessions else { return indices }
        var keyed = indices.enumerated().map { place, index in (place: place, index: index, key: key(of: sessions[index], in: model)) }
        keyed.sort { left, right in
            if isGrouped, sessions[left.index].name.provider != sessions[right.index].name.provider {
                return sessions[left.index].name.provider < sessions[right.index].name.provider
            }
            return (left.key, left.place) < (right.key, right.place)
        }
        return keyed.map(\.index)
    }

    private func key(of session: SessionSummary, in model: AppModel) -> Int64 {
        switch self {
        case .name: 0
        case .timeLeft: session.accessExpiresAt?.milliseconds ?? .max
        case .attention: Self.urgency(of: session, model.state(of: session))
        case .lastUsed: session.lastUsedAt.map { -$0.milliseconds } ?? .max
        }
    }

    private static func urgency(of session: SessionSummary, _ state: SessionState) -> Int64 {
        switch state {
        case .error: -3
        case .revoked: -2
        case .needsSignIn: -1
        default: session.endsUnrenewed(state) ? session.accessExpiresAt?.milliseconds ?? .max : .max
        }
    }
}

extension SessionSummary {
    /// Whether the session gives tokens until a known time, and cannot be renewed then.
    ///
    /// - Parameter state: its displayed state.
    package func endsUnrenewed(_ state: SessionState) -> Bool {
        (state == .signedIn || state == .expiring) && !isRenewable && accessExpiresAt != nil
    }
}

extension SessionState {
    /// Whether only the user can make the session give tokens again.
    package var needsAction: Bool { [.needsSignIn, .revoked, .error].contains(self) }

    /// Whether the user gets tokens again by signing in.
    package var needsNewSignIn: Bool { self == .needsSignIn || self == .revoked }

    /// The place of the state among all states.
    fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The facts about all sessions together at a moment: how many are in each state, and which one ends, renews or was used.
///
/// It is computed when the sessions change or the time passes ``changesAt``, not for each frame: a frame must not read thousands of
/// sessions.
package struct SessionOverview: Equatable, Sendable {
    /// A session, and the time of an event in its life.
    package struct Event: Equatable, Sendable {
        package let session: SessionSummary
        package let at: Timestamp
    }

    /// The time from a notice to the end of a session that cannot be renewed.
    package static let noticeTime = Duration.seconds(300)

    private var counts = Array(repeating: 0, count: SessionState.allCases.count)
    /// The number of sessions that end and cannot be renewed.
    package private(set) var ending = 0
    /// The number of those that do so in less than a minute.
    package private(set) var endingSoon = 0
    /// The next end of a session that cannot be renewed.
    package private(set) var nextEnd: Event?
    /// The next scheduled renewal.
    package private(set) var nextRenewal: Event?
    /// The last use of a token.
    package private(set) var lastUse: Event?
    /// When the next notice of an end is due.
    package private(set) var nextNotice: Timestamp?
    /// The first guest session of each provider.
    package private(set) var guests: [SessionSummary] = []
    /// The scheduled renewals and the ends of the sessions that cannot renew.
    package private(set) var upcoming = UpcomingEvents()
    /// Whether a session has an expiry, so that its time left changes.
    package private(set) var countsDown = false
    /// The time of the computation.
    private var readAt: Timestamp?
    /// The time at which a part changes by itself.
    private var changesAt: Timestamp?

    /// Creates the overview of no sessions.
    package init() {}

    /// - Parameter state: the displayed state of a session at `now`.
    package init(_ sessions: [SessionSummary], now: Timestamp, state: (SessionSummary) -> SessionState) {
        readAt = now
        for session in sessions { add(session, state(session), now) }
        for event in [nextEnd, nextRenewal] { wait(for: event?.at, after: now) }
        wait(for: nextNotice, after: now)
    }

    /// The number of sessions in these states.
    package func count(_ states: SessionState...) -> Int { states.reduce(0) { $0 + counts[$1.index] } }

    /// The number of all sessions.
    package var count: Int { counts.reduce(0, +) }

    /// The number of sessions that only the user can make work again.
    package var needsAction: Int { count(.needsSignIn, .revoked, .error) }

    /// Returns whether the overview is still true at a time.
    package func holds(at now: Timestamp) -> Bool {
        guard let readAt, readAt <= now else { return false }
        return changesAt.map { now < $0 } ?? true
    }

    private mutating func add(_ session: SessionSummary, _ state: SessionState, _ now: Timestamp) {
        counts[state.index] += 1
        if session.endsUnrenewed(state) {
            ending += 1
            if state == .expiring { endingSoon += 1 }
        }
        upcoming.add(session, now: now)
        if session.recordedState == .guest, !guests.contains(where: { $0.name.provider == session.name.provider }) {
            guests.append(session)
        }
        if let used = session.lastUsedAt, lastUse.map({ $0.at < used }) ?? true { lastUse = Event(session: session, at: used) }
        if let at = session.nextRenewalAt, at > now, nextRenewal.map({ at < $0.at }) ?? true {
            nextRenewal = Event(session: session, at: at)
        }
        guard let end = session.accessExpiresAt else { return }
        countsDown = true
        guard end > now else { return }
        wait(for: end, after: now)
        // A session is expiring with less than this left, so one instant later.
        wait(for: end - SessionSummary.freshness + .milliseconds(1), after: now)
        // Or with a renewal that is late.
        wait(for: session.nextRenewalAt.map { $0 + SessionSummary.renewalDelay + .milliseconds(1) }, after: now)
        guard !session.isRenewable else { return }
        if nextEnd.map({ end < $0.at }) ?? true { nextEnd = Event(session: session, at: end) }
        let notice = end - Self.noticeTime
        if notice > now, nextNotice.map({ notice < $0 }) ?? true { nextNotice = notice }
    }

    private mutating func wait(for time: Timestamp?, after now: Timestamp) {
        guard let time, time > now, changesAt.map({ time < $0 }) ?? true else { return }
        changesAt = time
    }
}

/// The times of the scheduled renewals of sessions, and of the ends of those that cannot renew.
package struct UpcomingEvents: Equatable, Sendable {
    /// An automatic event of a session: its renewal or its end.
    package struct Event: Equatable, Sendable {
        package let session: SessionName
        package let at: Timestamp
        /// Whether the session ends then, instead of being renewed.
        package let isEnd: Bool
    }

    package private(set) var renewals: [Timestamp] = []
    package private(set) var ends: [Timestamp] = []
    /// The first events, in the order of their times.
    package private(set) var next: [Event] = []

    /// The number of events that are kept by name: as many as a list beside the graph can show.
    private static let namedEvents = 16

    /// Adds the next event of a session, if it is after `now`.
    package mutating func add(_ session: SessionSummary, now: Timestamp) {
        if let renewal = session.nextRenewalAt {
            guard renewal > now else { return }
            renewals.append(renewal)
            insert(Event(session: session.name, at: renewal, isEnd: false))
        } else if !session.isRenewable, !session.hasEnded(at: now), let end = session.accessExpiresAt, end > now {
            ends.append(end)
            insert(Event(session: session.name, at: end, isEnd: true))
        }
    }

    private mutating func insert(_ event: Event) {
        let place = next.firstIndex { event.at < $0.at } ?? next.count
        guard place < Self.namedEvents else { return }
        next.insert(event, at: place)
        if next.count > Self.namedEvents { next.removeLast() }
    }
}
