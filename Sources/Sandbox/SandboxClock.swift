public import AuthModel
internal import Glibc

/// The machine's clock.
public struct SandboxClock: TimeSource {
    public init() {}

    public var now: Timestamp { Timestamp(milliseconds: read(CLOCK_REALTIME)) }

    public var bootTime: Duration { .milliseconds(read(CLOCK_BOOTTIME)) }

    public func sleep(until deadline: Duration) async throws {
        // The kernel does not count sleep of the machine in one long wait, so the clock is read again after each short one.
        while bootTime < deadline { try await Task.sleep(for: min(deadline - bootTime, .seconds(1))) }
    }

    /// Waits for so long, or until its task is cancelled: for answers that are to be late.
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
