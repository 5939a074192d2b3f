import AuthEngine
import AuthModel
import Synchronization

/// The system clocks with a civil time that a test can advance, so that issued tokens age. The monotonic time is not shifted.
final class CivilShiftedTime: TimeSource {
    private let offset = Mutex(Duration.zero)
    private let time = SystemTimeSource()

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }

    var now: Timestamp { time.now + offset.withLock { $0 } }

    var bootTime: Duration { time.bootTime }

    func sleep(until deadline: Duration) async throws { try await time.sleep(until: deadline) }
}
