public import AuthModel
internal import SessionStore

extension Engine {
    /// Time limit for all requests to a provider in one sign-out.
    private static let signOutLimit: Duration = .seconds(15)

    /// Signs out: revokes the tokens at the provider, deletes the session, and returns a receipt of each step.
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        let name = try await resolve(name)
        // A renewal in progress would write new tokens after the old ones are deleted.
        if let running = renewals[name] { _ = await running.value }
        let lock = try await lock(name)
        defer { lock.release() }

        var receipt = SignOutReceipt(session: name, entries: [])
        var queuedRevocations = QueuedRevocations()
        var wait: BrowserReturnWait?
        var ended: SessionRecord?
        if mode != .localOnly {
            let record = try await record(name)
            ended = record
            await markRevoked(name, holding: lock)
            (queuedRevocations, wait) = await signOutAtProvider(record, mode: mode, receipt: &receipt)
        }
        do {
            _ = try await store.delete(name, revoking: queuedRevocations.revocations, after: queuedRevocations.pause)
        } catch {
            await wait?.listener.close()
            throw Self.deletionFailure(receipt, because: error.failure)
        }
        unsavedResponses[name] = nil
        // The session is deleted here before the browser is started, regardless of what its return reports.
        if let wait, let way = receipt.browserReturn { begin(wait, as: way) }
        receipt.entries.append(.init(.forget, .done))
        if let ended { await storeGuestAfterSignOut(after: ended) }
        if let ended, mode == .withBase { receipt.entries.append(.init(.endBaseSession, await signOutOfBase(of: ended))) }
        announce(.signedOut, name, receipt.isComplete ? "signed out" : "signed out here; the sign-out at the provider is incomplete")
        await announceSessions()
        if queuedRevocations.revocations.isEmpty { await waitForDelivery(await startDelivery()) }
        return receipt
    }

    /// Returns the failure for a session that is still in the store after its sign-out, with what was done at the provider.
    private static func deletionFailure(_ receipt: SignOutReceipt, because failure: AuthFailure) -> AuthFailure {
        let outcomes = receipt.entries.filter { [.revokeRefreshToken, .revokeAccessToken].contains($0.step) }.map(\.outcome)
        let isRevoked = outcomes.contains(.done)
        let isMissed = outcomes.contains { if case .failed = $0 { true } else { false } }
        let again = "yett logout \(receipt.session.shellWord)"
        let hint =
            switch (isRevoked, isMissed) {
            case (true, false): "its tokens were revoked at the provider; fix the error, then run: \(again)"
            case (true, true): "some of its tokens were not revoked at the provider; fix the error, then run: \(again)"
            case (false, true): "its tokens were not revoked at the provider; fix the error, then run: \(again)"
            case (false, false): "fix the error, then run: \(again)"
            }
        return AuthFailure(
            failure.kind, "\(receipt.session) is still in the store: \(failure.summary)", hint: hint)
    }

    /// Marks the session as revoked before its provider is told. If the process is killed in between, the session is shown as revoked,
    /// issues no token, and the next sign-out finishes it.
    private func markRevoked(_ name: SessionName, holding lock: SessionLock) async {
        // Revoke the tokens even if the store cannot be written.
        try? await store.update(name, holding: lock) { record in record?.beginSignOut() }
        await announceSessions()
    }

    /// Signs out of the session that this one was made from, if there is one.
    private func signOutOfBase(of record: SessionRecord) async -> SignOutReceipt.Outcome {
        guard let base = adapters[record.summary.name.provider]?.base(of: record) else {
            return .skipped(reason: "it is not derived from another session here")
        }
        do throws(AuthFailure) {
            for entry in try await signOut(base, mode: .revoke).entries {
                if case .failed = entry.outcome { return entry.outcome }
            }
            return .done
        } catch {
            guard error.kind == .notSignedIn else { return .failed(reason: error.summary, isQueued: false) }
            return .skipped(reason: "not signed in at \(base.provider)")
        }
    }

    /// Stores a guest session after a sign-out, if the kind has guests.
    private func storeGuestAfterSignOut(after record: SessionRecord) async {
        guard !record.summary.isAnonymousGuest, let adapter = adapters[record.summary.name.provider] else { return }
        let time = environment.time
        // A gateway must not learn what another gateway knew of this install.
        let before = adapter.isOwn(record) ? record : nil
        let guest = await time.outcome(until: time.bootTime + Self.signOutLimit / 2) { try? await adapter.guest(after: before) ?? nil }
        guard let guest = guest.value else { return }
        await keepGuest(guest, for: record.summary.name.provider)
    }

    /// Runs a part of a sign-out until `end`, so that a silent provider causes no longer delay.
    private func spoken<Value: Sendable>(
        until end: Duration, to adapter: any ProviderAdapter, _ work: @escaping @Sendable () async -> Result<Value, AuthFailure>
    ) async -> Result<Value, AuthFailure> {
        let outcome = await environment.time.outcome(until: end, work)
        guard outcome.isCutOff, case .failure = outcome.value else { return outcome.value }
        return .failure(
            AuthFailure(
                .unavailable(retryAfter: nil),
                "\(adapter.address) did not respond within \(Self.signOutLimit.wholeSeconds) s, the limit for a sign-out"))
    }

    /// Performs the provider's part of a sign-out. Returns the revocations to try again and the wait for the browser.
    private func signOutAtProvider(
        _ record: SessionRecord, mode: SignOutMode, receipt: inout SignOutReceipt
    ) async -> (queuedRevocations: QueuedRevocations, wait: BrowserReturnWait?) {
        guard let adapter = adapters[record.summary.name.provider] else {
            let reason = "the provider is no longer configured"
            receipt.entries.append(.init(.revokeRefreshToken, .failed(reason: reason, isQueued: false)))
            return (QueuedRevocations(), nil)
        }
        var queuedRevocations = QueuedRevocations()
        let end = environment.time.bootTime + Self.signOutLimit
        for step in await adapter.revocations(for: record) {
            switch step {
            case .nothing(let name, let reason):
                receipt.entries.append(.init(name, .skipped(reason: reason)))
            case .token(let name, let revocation):
                switch await spoken(until: end, to: adapter, { await Self.revoked(revocation, by: adapter) }) {
                case .success: receipt.entries.append(.init(name, .done))
                case .failure(let error):
                    let isQueued = !Self.isRefusal(error)
                    if isQueued { queuedRevocations.add(revocation, after: error) }
                    receipt.entries.append(.init(name, .failed(reason: error.summary, isQueued: isQueued)))
                }
            }
        }
        guard mode == .endBrowserSession else { return (queuedRevocations, nil) }
        let page = await spoken(until: end, to: adapter) { await Self.endSessionPage(of: record, by: adapter) }
        return (queuedRevocations, await endBrowserSession(record, at: page, adapter: adapter, receipt: &receipt))
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

extension SessionRecord {
    fileprivate mutating func beginSignOut() {
        guard summary.recordedState != .revoked else { return }
        summary.recordedState = .revoked
        summary.isRenewable = false
        summary.nextRenewalAt = nil
        summary.warnings.append("its sign-out is not complete; complete it with: yett logout \(summary.name.shellWord)")
    }
}
