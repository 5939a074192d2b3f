public import AuthModel
internal import SessionStore

extension Engine {
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        let name = try await resolve(name)
        // A renewal under way would write new tokens after we forgot the old ones.
        if let running = renewals[name] { _ = await running.value }
        let lock = try await lock(name)
        defer { lock.release() }

        var receipt = SignOutReceipt(session: name, entries: [])
        var undelivered: [QueuedRevocation] = []
        var wait: BrowserReturnWait?
        var ended: SessionRecord?
        if mode != .localOnly {
            let record = try await record(name)
            ended = record
            (undelivered, wait) = await tellProvider(record, mode: mode, receipt: &receipt)
        }
        do {
            _ = try await store.delete(name, revoking: undelivered)
        } catch {
            await wait?.listener.close()
            throw error.failure
        }
        // The session is gone here before the browser is sent anywhere, and whatever it comes back with.
        if let wait, let way = receipt.browserReturn { begin(wait, as: way) }
        receipt.entries.append(.init(.forget, .done))
        if let ended { await leaveGuest(after: ended) }
        announce(.signedOut, name, receipt.isComplete ? "signed out" : "signed out here; the provider could not be told everything")
        await announceSessions()
        if undelivered.isEmpty { await deliverPendingRevocations() }
        return receipt
    }

    /// Where the kind has guests, somebody who signs out goes on as one.
    private func leaveGuest(after record: SessionRecord) async {
        guard !record.summary.isNobodys, let adapter = adapters[record.summary.name.provider],
            let guest = try? await adapter.guest(after: record)
        else { return }
        await keepGuest(guest, for: record.summary.name.provider)
    }

    /// Goes through the provider's part of a sign-out, and returns the revocations to be tried again, and how the browser comes back.
    private func tellProvider(
        _ record: SessionRecord, mode: SignOutMode, receipt: inout SignOutReceipt
    ) async -> (undelivered: [QueuedRevocation], wait: BrowserReturnWait?) {
        guard let adapter = adapters[record.summary.name.provider] else {
            let reason = "the provider is no longer configured"
            receipt.entries.append(.init(.revokeRefreshToken, .failed(reason: reason, isQueued: false)))
            return ([], nil)
        }
        var undelivered: [QueuedRevocation] = []
        for step in await adapter.revocations(for: record) {
            switch step {
            case .nothing(let name, let reason):
                receipt.entries.append(.init(name, .skipped(reason: reason)))
            case .token(let name, let revocation):
                do throws(AuthFailure) {
                    try await adapter.revoke(revocation)
                    receipt.entries.append(.init(name, .done))
                } catch {
                    let isQueued = !Self.isRefusal(error)
                    if isQueued { undelivered.append(revocation) }
                    receipt.entries.append(.init(name, .failed(reason: error.summary, isQueued: isQueued)))
                }
            }
        }
        guard mode == .endBrowserSession else { return (undelivered, nil) }
        return (undelivered, await endBrowserSession(record, adapter: adapter, receipt: &receipt))
    }

    /// Tries the revocations that are due once more. Asks the network for nothing while there are none.
    func deliverPendingRevocations() async {
        guard let waiting = try? await store.pendingRevocations() else { return }
        for pending in waiting where pending.nextAttemptAt <= environment.time.now {
            guard let adapter = adapters[pending.revocation.session.provider] else { continue }
            // What cannot be noted is tried again at the next occasion: revoking twice does no harm.
            do throws(AuthFailure) {
                try await adapter.revoke(pending.revocation)
                try? await store.removeRevocation(pending.id)
            } catch {
                if Self.isRefusal(error) {
                    try? await store.removeRevocation(pending.id)
                } else {
                    try? await store.postponeRevocation(pending.id, until: environment.time.now + Self.pause(after: pending.attempts))
                }
            }
        }
    }

    /// Whether the provider itself said no, and why. After anything else the token must be taken to be alive (RFC 7009 section 2.2.1): what
    /// a network, a proxy or this machine's configuration says is not the provider's word, and may be mended.
    private static func isRefusal(_ failure: AuthFailure) -> Bool {
        if case .denied(code: .some) = failure.kind { true } else { false }
    }

    /// Five minutes, doubling up to a day.
    private static func pause(after attempts: Int) -> Duration {
        .seconds(min(300 << min(max(attempts, 0), 9), 86_400))
    }
}
