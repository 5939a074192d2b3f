internal import AuthModel
internal import SessionStore

/// Delivers revocations that could not be sent during the sign-out.
struct RevocationDelivery: Sendable {
    let context: EngineContext

    /// Maximum time that a sign-in or sign-out waits for queued revocations, after its own work is done.
    private static let patience: Duration = .seconds(2)

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    func deliver() async -> Timestamp? {
        await sendDue()
        return try? await context.store.pendingRevocations().map(\.nextAttemptAt).min()
    }

    /// Starts sending the revocations that are due; returns `nil` if there are none. The stream finishes when they are sent.
    func start() async -> AsyncStream<Never>? {
        let now = context.time.now
        guard let waiting = try? await context.store.pendingRevocations(), waiting.contains(where: { $0.nextAttemptAt <= now }) else {
            return nil
        }
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        Task {
            await sendDue()
            continuation.finish()
        }
        return end
    }

    /// Waits for the delivery to finish, but at most ``patience``: a silent provider must not delay work at another one.
    func wait(for end: AsyncStream<Never>?) async {
        guard let end else { return }
        let time = context.time
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await time.sleep(until: time.bootTime + Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }

    private func sendDue() async {
        let store = context.store
        guard let waiting = try? await store.pendingRevocations() else { return }
        for pending in waiting where pending.nextAttemptAt <= context.time.now {
            let session = pending.revocation.session
            guard let adapter = context.providers[session.provider] else { continue }
            // If the result cannot be stored, the revocation is sent again later. Revoking twice does no harm.
            do throws(AuthFailure) {
                try await adapter.revoke(pending.revocation)
                try? await store.removeRevocation(pending.id)
                await context.events.announce(.signedOut, session, UserMessage("revocation.left_token_revoked"))
            } catch {
                if error.isRefusedRevocation {
                    try? await store.removeRevocation(pending.id)
                    await context.events.announce(
                        .signedOut, session, UserMessage("revocation.left_token_stays_valid", ["detail": error.message]))
                } else {
                    let pause = max(Self.pause(after: pending.attempts), error.retryAfter ?? .zero)
                    try? await store.postponeRevocation(pending.id, until: context.time.now + pause)
                }
            }
        }
    }

    /// Returns five minutes, doubled per attempt up to a day.
    private static func pause(after attempts: Int) -> Duration {
        .seconds(min(300 << min(max(attempts, 0), 9), 86_400))
    }
}
