public import AuthModel
internal import Glibc

/// The system clock.
public struct SandboxClock: TimeSource {
    /// Creates a clock.
    public init() {}

    /// The current time.
    public var now: Timestamp { Timestamp(milliseconds: read(CLOCK_REALTIME)) }

    /// The time since boot, including suspension.
    public var bootTime: Duration { .milliseconds(read(CLOCK_BOOTTIME)) }

    /// Waits until `bootTime` reaches `deadline`; throws when the task is cancelled.
    public func sleep(until deadline: Duration) async throws {
        // A single long wait does not count the time in which the machine is suspended, so wait in short steps and read the clock after
        // each.
        while bootTime < deadline { try await Task.sleep(for: min(deadline - bootTime, .seconds(1))) }
    }

    /// Waits for `duration`, or until the task is cancelled; for responses that must be late.
    static func pause(for duration: Duration) async {
        guard duration > .zero else { return }
        let clock = SandboxClock()
        try? await clock.sleep(until: clock.bootTime + duration)
    }

    private func read(_ clock: clockid_t) -> Int64 {
        var value = timespec()
        clock_gettime(clock, &value)
        return Int64(value.tv_sec) * 1000 + Int64(value.tv_nsec) / 1_000_000
    }
}
