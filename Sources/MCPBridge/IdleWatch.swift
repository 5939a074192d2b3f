internal import AuthEngine
internal import AuthModel
internal import Synchronization

/// Ends a response whose server is silent for too long, as if the connection had broken.
final class IdleWatch: Sendable {
    private let time: any TimeSource
    /// The time since boot of the last piece.
    private let last: Mutex<Duration>
    private let task: Mutex<Task<Void, Never>?>

    /// Starts to watch a response's body.
    init(_ body: ResponseBody, _ time: any TimeSource) {
        self.time = time
        last = Mutex(time.bootTime)
        task = Mutex(nil)
        let watching = Task { [weak self, weak body] in
            while let end = self?.last.withLock({ $0 + BridgeConnection.idleLimit }) {
                guard time.bootTime < end else { return body?.close() ?? () }
                guard (try? await time.sleep(until: end)) != nil else { return }
            }
        }
        task.withLock { $0 = watching }
    }

    /// Notes that a piece has arrived.
    func reset() { last.withLock { $0 = time.bootTime } }

    /// Ends the watch.
    func stop() { task.withLock { $0 }?.cancel() }
}
