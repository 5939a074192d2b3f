public import AuthModel
import Glibc

/// The system clocks.
public struct SystemTimeSource: TimeSource {
    /// Creates a time source.
    public init() {}

    /// The current time of CLOCK_REALTIME, in milliseconds.
    public var now: Timestamp {
        let time = Self.read(CLOCK_REALTIME)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The time since boot of CLOCK_BOOTTIME, which includes time in suspend.
    public var bootTime: Duration {
        let time = Self.read(CLOCK_BOOTTIME)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Waits on the boot clock. If the machine was suspended past the deadline, this returns at once after resume.
    public func sleep(until deadline: Duration) async throws {
        // Swift's continuous clock waits on a timer of CLOCK_BOOTTIME. It may fire slightly early because of rounding, hence the loop.
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

extension TimeSource {
    /// Runs `work` and cancels it at `deadline` on the boot clock. Waits for the result of `work` even after cancelling it.
    ///
    /// - Returns: the result of `work`, and whether it was cancelled by the deadline.
    package func outcome<Value: Sendable>(
        until deadline: Duration, _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isCutOff: Bool) {
        let running = Task { await work() }
        let watch = Task {
            guard (try? await sleep(until: deadline)) != nil else { return false }
            running.cancel()
            return true
        }
        let value = await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            running.cancel()
        }
        watch.cancel()
        return (value, await watch.value)
    }
}
