internal import Synchronization

/// Tells one reader in the agent that something changed. Unlike an observer, the reader is no reason to keep the agent as it is.
final class ChangeBell: Sendable {
    private let continuation = Mutex<AsyncStream<Void>.Continuation?>(nil)

    /// Returns the changes from now on; those in a row count as one.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.continuation.withLock { $0 = continuation }
        return stream
    }

    /// Reports a change.
    func ring() { continuation.withLock { _ = $0?.yield() } }
}
