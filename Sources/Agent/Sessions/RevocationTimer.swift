internal import AuthModel
internal import Synchronization

/// Delivers queued revocations when they are due.
final class RevocationTimer: Sendable {
    private let services: CurrentService
    private let time: any TimeSource
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Minimum time between two deliveries of queued revocations.
    static let minimumInterval = Duration.seconds(60)

    init(services: CurrentService, time: any TimeSource) {
        self.services = services
        self.time = time
    }

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    func deliver() async -> Timestamp? { await (try? services.lastKnown())?.deliverRevocations() }

    /// Starts to deliver queued revocations when they are due. Ends when none is left.
    func start(after pause: Duration = .zero) {
        task.withLock { task in
            task?.cancel()
            task = Task { [weak self, time] in
                var wait = pause
                while (try? await time.sleep(until: time.bootTime + wait)) != nil {
                    guard let next = await self?.deliver() else { return }
                    wait = max(Self.minimumInterval, next - time.now)
                }
            }
        }
    }

    /// Stops the deliveries.
    func cancel() { task.withLock { $0?.cancel() } }
}
