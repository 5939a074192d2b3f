package import AuthModel

/// How often each session's tokens were used in the last 24 hours.
package struct UseHistory: Equatable, Sendable {
    /// The number of equal parts of the time.
    package static let parts = 8
    /// The time that is shown.
    package static let span = Duration.seconds(86_400)

    private var counts: [SessionName: [Int]] = [:]

    /// Counts the uses.
    ///
    /// - Parameter activity: the newest last.
    package init(_ activity: [Activity], now: Timestamp) {
        Self.each(activity, now: now, parts: Self.parts) { entry, index in
            guard let name = entry.session else { return }
            counts[name, default: Array(repeating: 0, count: Self.parts)][index] += entry.count
        }
    }

    /// Returns how many tokens of all sessions were issued in each of `parts` equal parts of the time, the oldest first.
    ///
    /// - Parameter activity: the newest last.
    package static func total(_ activity: [Activity], now: Timestamp, parts: Int) -> [Int] {
        var counts = Array(repeating: 0, count: parts)
        each(activity, now: now, parts: parts) { entry, index in counts[index] += entry.count }
        return counts
    }

    /// Calls `body` with each use in the time and the part that it belongs to.
    private static func each(_ activity: [Activity], now: Timestamp, parts: Int, _ body: (Activity, Int) -> Void) {
        let part = span.wholeMilliseconds / Int64(parts)
        for entry in activity.reversed() {
            let age = (now - entry.at).wholeMilliseconds
            guard age < span.wholeMilliseconds else { break }
            if entry.kind == .issued { body(entry, parts - 1 - Int(max(0, age) / part)) }
        }
    }

    /// The number of uses in each part of the time, the oldest first.
    package subscript(name: SessionName) -> [Int] { counts[name] ?? Array(repeating: 0, count: Self.parts) }
}
