public import AuthModel

extension AgentSessionService {
    /// Minimum time between two deliveries of queued revocations.
    static let minimumRevocationInterval = Duration.seconds(60)

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    public func deliverRevocations() async -> Timestamp? { await (try? lastKnown())?.deliverRevocations() }

    /// Delivers queued revocations when they are due. Ends when none is left.
    func watchRevocations(after pause: Duration = .zero) {
        revocationTask?.cancel()
        revocationTask = Task { [weak self, time] in
            var wait = pause
            while (try? await time.sleep(until: time.bootTime + wait)) != nil {
                guard let next = await self?.deliverRevocations() else { return }
                wait = max(Self.minimumRevocationInterval, next - time.now)
            }
        }
    }
}
