/// A moment on the civil clock, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before. Always within ``range``.
    public let milliseconds: Int64

    /// The milliseconds of the moments that RFC 3339 can write: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_000

    /// The moment, or the nearest one that RFC 3339 can write. Servers send any number; a moment that cannot be written could not be read
    /// again.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound) }

    /// From seconds since 1970; clamped to 1970 and to ``distantFuture``.
    public init(seconds: Double) {
        let value = seconds * 1000
        self.init(milliseconds: value.isNaN ? 0 : Int64(min(max(value, 0), Double(Self.range.upperBound))))
    }

    /// 9999-12-31T23:59:59Z: the last moment that RFC 3339 can write.
    public static let distantFuture = Timestamp(milliseconds: range.upperBound)

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// The moment `duration` later, clamped to ``range``.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// The moment `duration` earlier, clamped in the same way.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds > 0 ? .min : .max) : difference)
    }

    /// The time that passed between two moments; negative when `right` is the later one.
    public static func - (left: Timestamp, right: Timestamp) -> Duration { .milliseconds(left.milliseconds - right.milliseconds) }
}

extension Duration {
    /// Milliseconds, rounded towards zero; clamped rather than trapping for absurd values.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // A quarter of the range, so that two of them can be added.
        let limit: Int64 = .max / 4
        return overflow ? (seconds < 0 ? -limit : limit) : min(max(product, -limit), limit) + attoseconds / 1_000_000_000_000_000
    }

    /// Seconds, rounded towards zero.
    public var wholeSeconds: Int64 { components.seconds }
}

/// Where "now" comes from, so that a test can hold the clock.
public protocol TimeSource: Sendable {
    /// The civil time.
    var now: Timestamp { get }
    /// Time that runs on while the machine sleeps and never jumps: for deadlines and lifetimes.
    var bootTime: Duration { get }
    /// Waits until ``bootTime`` has reached `deadline`; throws `CancellationError` when the task is cancelled.
    func sleep(until deadline: Duration) async throws
}
