import AuthEngine
import AuthModel
import Synchronization

/// The machine's clock, which a test can advance, so that issued tokens age.
final class ShiftedTime: TimeSource {
    private let offset = Mutex(Duration.zero)
    private let time = SystemTimeSource()

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }

    var now: Timestamp { time.now + offset.withLock { $0 } }

    var bootTime: Duration { time.bootTime }

    func sleep(until deadline: Duration) async throws { try await time.sleep(until: deadline) }
}
