internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Synchronization

/// Tells a program that uses a session's tokens for a long time when it must stop: after a lock, when the session has ended, or with the agent.
final class SessionWithdrawals: Sendable {
    private let session: SessionName
    private let service: any SessionService
    private let time: any TimeSource
    /// Whether the agent is on another machine, which passes no events on.
    private let isRemote: Bool
    private let (uses, use) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The number of tokens so far.
    private let count = Mutex(0)

    /// The interval at which an agent on another machine is asked.
    private static let interval = Duration.seconds(5)

    init(_ tool: ToolSession, in context: CommandContext) {
        session = tool.session.name
        service = tool.service
        time = context.edges.time
        isRemote = context.agentLocation.remoteSocket != nil
    }

    /// Records that a token was issued. An agent must be running then, so its events can be waited for again.
    func noteUse() {
        count.withLock { $0 += 1 }
        use.yield()
    }

    /// Returns an element for each withdrawal. For one reader.
    func stream() -> AsyncStream<Void> {
        let (withdrawals, withdrawal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            if isRemote { await poll(withdrawal) } else { await watch(withdrawal) }
            withdrawal.finish()
        }
        withdrawal.onTermination = { _ in task.cancel() }
        return withdrawals
    }

    private func watch(_ withdrawal: AsyncStream<Void>.Continuation) async {
        var withdrawn = -1
        while !Task.isCancelled {
            for await event in await service.events(.changes) {
                switch event {
                case .storeStateChanged(.locked): withdrawal.yield()
                case .sessionsChanged(let sessions) where !isUsable(among: sessions): withdrawal.yield()
                case .storeStateChanged, .sessionsChanged, .activity, .asked, .settled: break
                }
            }
            // An agent that ended has forgotten its keys, as after a lock. This does not start another one; the next request does.
            // Tokens are withdrawn once: not again if none was issued since.
            let issued = count.withLock { $0 }
            if issued != withdrawn { withdrawal.yield() }
            withdrawn = issued
            var next = uses.makeAsyncIterator()
            _ = await next.next()
        }
    }

    private func poll(_ withdrawal: AsyncStream<Void>.Continuation) async {
        while (try? await time.sleep(until: time.bootTime + Self.interval)) != nil {
            do throws(AuthFailure) {
                guard try await service.storeState() == .unlocked, isUsable(among: try await service.sessions()) else {
                    withdrawal.yield()
                    continue
                }
            } catch {
                withdrawal.yield()
            }
        }
    }

    private func isUsable(among sessions: [SessionSummary]) -> Bool {
        sessions.contains { $0.name == session && ![.needsSignIn, .revoked].contains($0.recordedState) }
    }
}
