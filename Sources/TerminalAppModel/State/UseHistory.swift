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
        let part = Self.span.wholeMilliseconds / Int64(Self.parts)
        for entry in activity.reversed() {
            let age = (now - entry.at).wholeMilliseconds
            guard age < Self.span.wholeMilliseconds else { break }
            guard entry.kind == .issued, let name = entry.session else { continue }
            let index = Self.parts - 1 - Int(max(0, age) / part)
            counts[name, default: Array(repeating: 0, count: Self.parts)][index] += 1
        }
    }

    /// The number of uses in each part of the time, the oldest first.
    package subscript(name: SessionName) -> [Int] { counts[name] ?? Array(repeating: 0, count: Self.parts) }
}
