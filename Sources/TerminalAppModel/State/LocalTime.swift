public import AuthModel

/// The offsets from UTC in the user's time zone, for the times on the screen.
///
/// A value, so that the app needs no clock and no file to show a time, and a test can use any zone.
public struct LocalTime: Equatable, Sendable {
    /// A time with one offset: summer or winter.
    public struct Period: Equatable, Sendable {
        /// The start; the first period has no earlier one.
        public var start: Timestamp
        /// The offset, positive in the east.
        public var offset: Duration
        /// The abbreviation: `CET`.
        public var name: String

        /// Creates a period.
        public init(start: Timestamp, offset: Duration, name: String) {
            self.start = start
            self.offset = offset
            self.name = name
        }
    }

    /// In the order of their start; never empty.
    private let periods: [Period]

    /// Coordinated Universal Time.
    public static let utc = LocalTime(periods: [Period(start: Timestamp(milliseconds: 0), offset: .zero, name: "UTC")])

    /// How far from the present the periods are known.
    private static let reach = Duration.seconds(400 * 86_400)
    /// The shortest time between two changes of an offset that is noticed.
    private static let step: Int64 = 7 * 86_400_000

    private init(periods: [Period]) { self.periods = periods }

    /// Finds the periods around a time.
    ///
    /// - Parameter rule: returns the offset and the abbreviation at a time.
    public init(around now: Timestamp, rule: (Timestamp) -> (offset: Duration, name: String)) {
        var moment = (now - Self.reach).milliseconds
        let end = (now + Self.reach).milliseconds
        func period(_ milliseconds: Int64) -> Period {
            let start = Timestamp(milliseconds: milliseconds)
            let found = rule(start)
            return Period(start: start, offset: found.offset, name: found.name)
        }
        var periods = [period(moment)]
        while moment < end {
            let next = moment + Self.step
            if !period(next).isSame(as: period(moment)) {
                // The change lies in this step: its second is found by halves.
                var (before, after) = (moment / 1000, next / 1000)
                while after - before > 1 {
                    let middle = (before + after) / 2
                    if period(middle * 1000).isSame(as: period(moment)) { before = middle } else { after = middle }
                }
                periods.append(period(after * 1000))
            }
            moment = next
        }
        self.init(periods: periods)
    }

    /// Returns the period of a time.
    package func period(at moment: Timestamp) -> Period { periods.last { $0.start <= moment } ?? periods[0] }
}

extension LocalTime.Period {
    fileprivate func isSame(as other: Self) -> Bool { offset == other.offset && name == other.name }
}
