import AuthEngine
public import AuthModel
import Synchronization

/// The system clocks with an offset that a test can increase.
public final class ShiftedTime: TimeSource {
    private let system = SystemTimeSource()
    private let offset = Mutex<Duration>(.zero)

    /// Creates clocks without an offset.
    public init() {}

    /// The civil time with the offset.
    public var now: Timestamp { system.now + offset.withLock { $0 } }
    /// The time since boot with the offset.
    public var bootTime: Duration { system.bootTime + offset.withLock { $0 } }

    /// Waits for the system clock, by the offset at the start of the wait.
    public func sleep(until deadline: Duration) async throws { try await system.sleep(until: deadline - offset.withLock { $0 }) }

    /// Advances both clocks.
    public func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
