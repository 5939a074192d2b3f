public import AuthModel

extension AgentSessionService {
    /// The least time between two looks for what is to be revoked.
    static let revocationPause = Duration.seconds(60)

    public func deliverRevocations() async -> Timestamp? { await (try? lastKnown())?.deliverRevocations() }

    /// Tells providers of the sign-outs that they could not be told of, whenever that is due. Where there are none, nothing is waited for.
    func watchRevocations(after pause: Duration = .zero) {
        revocationTask?.cancel()
        revocationTask = Task { [weak self, time] in
            var wait = pause
            while (try? await time.sleep(until: time.bootTime + wait)) != nil {
                guard let next = await self?.deliverRevocations() else { return }
                wait = max(Self.revocationPause, next - time.now)
            }
        }
    }
}
