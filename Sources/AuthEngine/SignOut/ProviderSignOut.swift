internal import AuthModel
internal import SessionStore

/// The provider's part of a sign-out: revokes the tokens and, if asked, ends the provider's session in the browser.
struct ProviderSignOut: Sendable {
    let providers: ProviderDirectory
    let time: any TimeSource

    /// Time limit for all requests to a provider in one sign-out.
    static let limit: Duration = .seconds(15)

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
        let end = time.bootTime + Self.limit
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
                UserMessage("sign_out.provider_timed_out", ["host": adapter.address, "seconds": Self.limit.wholeSeconds])))
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
