public import AuthModel
import Glibc

/// The machine's clocks.
public struct SystemTimeSource: TimeSource {
    public init() {}

    public var now: Timestamp {
        let time = Self.read(CLOCK_REALTIME)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    public var bootTime: Duration {
        let time = Self.read(CLOCK_BOOTTIME)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Waits on the boot clock, so a machine that slept past the deadline wakes this up at once and not later by the time it slept.
    public func sleep(until deadline: Duration) async throws {
        // Swift's continuous clock waits on a timer of CLOCK_BOOTTIME. It may be early by a rounding, hence the loop.
        while true {
            let left = deadline - bootTime
            guard left > .zero else { return try Task.checkCancellation() }
            try await Task.sleep(for: left, tolerance: .zero, clock: .continuous)
        }
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let status = clock_gettime(clock, &time)
        precondition(status == 0, "Linux has both clocks since 2.6.39")
        return time
    }
}
