import AuthModel
import SessionStore

/// The provider's part of a sign-out: revokes the tokens and, if asked, ends the provider's session in the browser.
struct ProviderSignOut: Sendable {
    let providers: ProviderDirectory
    let time: any TimeSource
    /// Time limit for all requests to the provider.
    let limit: Duration

    /// Performs the provider's part of a sign-out. Returns the revocations to try again and the wait for the browser.
    func run(
        _ record: SessionRecord, mode: SignOutMode, receipt: inout SignOutReceipt
    ) async -> (queuedRevocations: QueuedRevocations, wait: EndSessionWait?) {
        guard let adapter = providers[record.summary.name.provider] else {
            let reason = UserMessage("provider.no_longer_configured")
            receipt.entries.append(.init(.revokeRefreshToken, .failed(reason: reason, isQueued: false)))
            return (QueuedRevocations(), nil)
        }
        var queuedRevocations = QueuedRevocations()
        let end = time.bootTime + limit
        for step in await adapter.revocations(for: record) {
            switch step {
            case .nothing(let name, let reason):
                receipt.entries.append(.init(name, .skipped(reason: reason)))
            case .token(let name, let revocation):
                switch await spoken(until: end, to: adapter, { await Self.revoked(revocation, by: adapter) }) {
                case .success: receipt.entries.append(.init(name, .done))
                case .failure(let error):
                    let isQueued = !error.isRefusedRevocation
                    if isQueued { queuedRevocations.add(revocation, after: error) }
                    receipt.entries.append(.init(name, .failed(reason: error.message, isQueued: isQueued)))
                }
            }
        }
        guard mode == .endBrowserSession else { return (queuedRevocations, nil) }
        let page = await spoken(until: end, to: adapter) { await Self.endSessionPage(of: record, by: adapter) }
        let wait = await BrowserSessionEnd(time: time).prepare(record, at: page, adapter: adapter, receipt: &receipt)
        return (queuedRevocations, wait)
    }

    /// Runs a part of a sign-out until `end`, so that a silent provider causes no longer delay.
    private func spoken<Value: Sendable>(
        until end: Duration, to adapter: any ProviderAdapter, _ work: @escaping @Sendable () async -> Result<Value, AuthFailure>
    ) async -> Result<Value, AuthFailure> {
        let outcome = await time.outcome(until: end, work)
        guard outcome.isCutOff, case .failure = outcome.value else { return outcome.value }
        return .failure(
            AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("sign_out.provider_timed_out", ["host": adapter.address, "seconds": limit.wholeSeconds])))
    }

    private static func revoked(_ revocation: QueuedRevocation, by adapter: any ProviderAdapter) async -> Result<Void, AuthFailure> {
        do throws(AuthFailure) { return .success(try await adapter.revoke(revocation)) } catch { return .failure(error) }
    }

    private static func endSessionPage(
        of record: SessionRecord, by adapter: any ProviderAdapter
    ) async -> Result<WebURL?, AuthFailure> {
        do throws(AuthFailure) { return .success(try await adapter.endSessionURL(for: record)) } catch { return .failure(error) }
    }
}

/// Delivers revocations that could not be sent during the sign-out.
struct RevocationDelivery: Sendable {
    let context: EngineContext

    /// Maximum time that a sign-in or sign-out waits for queued revocations, after its own work is done.
    private static let waitLimit: Duration = .seconds(2)

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

    /// Waits for the delivery to finish, but at most ``waitLimit``: a silent provider must not delay work at another one.
    func wait(for end: AsyncStream<Never>?) async {
        guard let end else { return }
        let time = context.time
        await withTaskGroup { group in
            group.addTask { for await _ in end {} }
            group.addTask { try? await time.sleep(until: time.bootTime + Self.waitLimit) }
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
