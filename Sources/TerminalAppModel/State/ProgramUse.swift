package import AuthModel

/// The use of tokens by one program, from the activity.
package struct ProgramUse: Equatable, Sendable {
    package let program: CallingProgram
    /// When the program got a token, the oldest first.
    package private(set) var issued: [Timestamp] = []
    /// The number of tokens that were refused.
    package private(set) var refusals = 0
    /// The time of the first entry about the program.
    package private(set) var first: Timestamp
    /// The time of the last entry about the program.
    package private(set) var last: Timestamp
    /// The sessions whose tokens the program asked for, the last used first.
    package private(set) var sessions: [SessionName] = []

    /// How far back the hourly counts go.
    package static let recentHours = 24
    private static var recent: Duration { .seconds(Int64(recentHours) * 3600) }

    /// The most repetitions of one entry that are counted.
    private static let countLimit = 1000

    private init(_ program: CallingProgram, at: Timestamp) {
        self.program = program
        first = at
        last = at
    }

    /// Returns the use of each program, the last used first. Entries that name no program are left out.
    package static func grouped(_ activity: some Sequence<Activity>) -> [ProgramUse] {
        var uses: [CallingProgram: ProgramUse] = [:]
        for entry in activity {
            guard let program = CallingProgram(of: entry) else { continue }
            uses[program, default: ProgramUse(program, at: entry.at)].add(entry)
        }
        for program in uses.keys { uses[program]?.issued.sort() }
        return uses.values.sorted { ($1.last, $0.program.path) < ($0.last, $1.program.path) }
    }

    private mutating func add(_ entry: Activity) {
        if entry.kind == .issued { issued += Array(repeating: entry.at, count: min(entry.count, Self.countLimit)) }
        if entry.kind == .tokenRefused { refusals += min(entry.count, Self.countLimit) }
        first = min(first, entry.at)
        let isLatest = entry.at >= last
        last = max(last, entry.at)
        guard let session = entry.session else { return }
        if let index = sessions.firstIndex(of: session) {
            guard isLatest else { return }
            sessions.remove(at: index)
        }
        sessions.insert(session, at: isLatest ? 0 : sessions.endIndex)
    }

    /// Returns the number of tokens in each of the last 24 hours, the oldest first.
    package func hourly(until now: Timestamp) -> [Int] { recent(until: now, parts: Self.recentHours) }

    /// Returns the number of tokens in each of `parts` equal parts of the last 24 hours, the oldest first.
    package func recent(until now: Timestamp, parts: Int) -> [Int] {
        var counts = Array(repeating: 0, count: parts)
        let part = Self.recent.wholeMilliseconds / Int64(parts)
        for at in issued.reversed() {
            let age = (now - at).wholeMilliseconds
            if age >= Self.recent.wholeMilliseconds { break }
            // An entry of another process may be ahead of the app's clock.
            counts[parts - 1 - Int(max(0, age) / part)] += 1
        }
        return counts
    }

    /// Returns whether the program got or requested its first token in the last 24 hours.
    ///
    /// - Parameter known: the time of the oldest entry. If the activity does not go back further than these 24 hours, no program counts
    ///   as new, because earlier uses are unknown.
    package func isNew(at now: Timestamp, knownSince known: Timestamp?) -> Bool {
        guard let known, now - known > Self.recent else { return false }
        return now - first < Self.recent
    }
}
