import AuthModel
import Synchronization

/// A clock that stands still until a sleep moves it to the deadline.
final class JumpingTime: TimeSource {
    private let boot = Mutex<Duration>(.seconds(1000))

    var now: Timestamp { Fixture.now + (bootTime - .seconds(1000)) }
    var bootTime: Duration { boot.withLock { $0 } }

    func sleep(until deadline: Duration) async throws {
        try Task.checkCancellation()
        boot.withLock { $0 = max($0, deadline) }
    }
}
