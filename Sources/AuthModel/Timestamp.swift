/// A moment on the civil clock, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before. Always within ``range``.
    public let milliseconds: Int64

    /// The milliseconds that RFC 3339 can represent: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_000

    /// Creates the moment, clamped to ``range``. Servers may send any number, but a moment outside the range could not be written and read
    /// again.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound) }

    /// Creates a moment from seconds since 1970, clamped to 1970 and to ``distantFuture``.
    public init(seconds: Double) {
        let value = seconds * 1000
        self.init(milliseconds: value.isNaN ? 0 : Int64(min(max(value, 0), Double(Self.range.upperBound))))
    }

    /// 9999-12-31T23:59:59Z: the last moment that RFC 3339 can represent.
    public static let distantFuture = Timestamp(milliseconds: range.upperBound)

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    /// Compares the times.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment `duration` later, clamped to ``range``.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Returns the moment `duration` earlier, clamped to ``range``.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds > 0 ? .min : .max) : difference)
    }

    /// Returns the time between two moments; negative if `right` is later.
    public static func - (left: Timestamp, right: Timestamp) -> Duration { .milliseconds(left.milliseconds - right.milliseconds) }
}

extension Duration {
    /// The duration in milliseconds, rounded towards zero. Extreme values are clamped instead of trapping.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // A quarter of the range, so that adding two values cannot overflow.
        let limit: Int64 = .max / 4
        return overflow ? (seconds < 0 ? -limit : limit) : min(max(product, -limit), limit) + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in seconds, rounded towards zero.
    public var wholeSeconds: Int64 { components.seconds }
}

/// A clock that tests can control.
public protocol TimeSource: Sendable {
    /// The current civil time.
    var now: Timestamp { get }
    /// The monotonic time, which includes time asleep. For deadlines and lifetimes.
    var bootTime: Duration { get }
    /// Waits until ``bootTime`` reaches `deadline`; throws `CancellationError` if the task is cancelled.
    func sleep(until deadline: Duration) async throws
}
