import AuthModel
import Synchronization

/// Work that is done when it is asked for, but at most once in an interval. Needs no timer: what is asked for too early is not done.
final class RarelyRepeated: Sendable {
    private let interval: Duration
    private let time: any TimeSource
    private let work: @Sendable () -> Void
    private let last = Mutex<Duration?>(nil)

    init(every interval: Duration, by time: any TimeSource, _ work: @escaping @Sendable () -> Void) {
        self.interval = interval
        self.time = time
        self.work = work
    }

    /// Does the work, unless it was done within the interval.
    @Sendable func callAsFunction() {
        let now = time.bootTime
        let isDue = last.withLock { last in
            if let last, now < last + interval { return false }
            last = now
            return true
        }
        if isDue { work() }
    }
}
