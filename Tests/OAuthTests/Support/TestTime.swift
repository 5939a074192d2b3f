import AuthModel
import Synchronization

/// A clock that stands where it was last waited for.
final class TestTime: TimeSource {
    private let boot = Mutex<Duration>(.seconds(1000))

    var now: Timestamp { World.now + (bootTime - .seconds(1000)) }
    var bootTime: Duration { boot.withLock { $0 } }

    func sleep(until deadline: Duration) async throws {
        try Task.checkCancellation()
        boot.withLock { $0 = max($0, deadline) }
    }
}
