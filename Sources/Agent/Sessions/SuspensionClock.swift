import Glibc

/// How long the machine has slept since it was started.
///
/// The monotonic clock stands still meanwhile and the boot clock runs on, so a difference that grew between two looks is a sleep, whatever
/// the civil clock was set to.
public struct SuspensionClock: Sendable {
    /// The time slept so far.
    var slept: @Sendable () -> Duration

    /// What counts as a sleep, rather than as the time between two readings.
    static let threshold = Duration.seconds(1)

    /// The kernel's clocks.
    public static let system = SuspensionClock { read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC) }

    /// A machine that never sleeps.
    public static let none = SuspensionClock { .zero }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
