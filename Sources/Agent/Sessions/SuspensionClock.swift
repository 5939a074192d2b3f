import Glibc

/// Measures how long the machine has slept since its start.
///
/// During a sleep the monotonic clock stops and the boot clock continues. So a difference that grew between two readings is a sleep,
/// even if the civil clock was changed.
public struct SuspensionClock: Sendable {
    /// Returns the total sleep time so far.
    var slept: @Sendable () -> Duration

    /// Minimum difference that counts as a sleep, and not as the time between two readings.
    static let threshold = Duration.seconds(1)

    /// The kernel's clocks.
    public static let system = SuspensionClock { read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC) }

    /// For a machine that never sleeps.
    public static let none = SuspensionClock { .zero }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
