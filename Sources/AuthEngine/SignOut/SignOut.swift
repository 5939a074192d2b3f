import AuthModel
import SessionStore

/// Signs a user out.
///
/// The steps in order:
/// 1. Wait for a renewal in progress, and lock the session across processes.
/// 2. Mark the session as revoked, so that it issues no token if the process is killed from here on.
/// 3. Revoke the tokens at the provider, and prepare the end of its session in the browser (``ProviderSignOut``).
/// 4. Delete the session, with any answer of the provider. Revocations that did not reach the provider are queued in the same write.
/// 5. Start waiting for the browser.
/// 6. Store a guest session, and sign out of the base session if asked.
/// 7. Report the sign-out, and deliver older queued revocations.
struct SignOut: Sendable {
    let context: EngineContext
    let renewals: RenewalState
    let returns: BrowserReturns
    let guests: GuestSessions
    let revocations: RevocationDelivery

    /// Signs out: revokes the tokens at the provider, deletes the session, and returns a receipt of each step.
    func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        let name = try await context.sessions.resolve(name)
        // 1. A renewal in progress would write new tokens after the old ones are deleted.
        if let running = renewals.inProgress[name] { _ = await running.value }
        let lock = try await context.sessions.lock(name)
        defer { lock.release() }

        let limit = context.environment.limits.signOut
        var receipt = SignOutReceipt(session: name, entries: [])
        var queuedRevocations = QueuedRevocations()
        var wait: EndSessionWait?
        var ended: SessionRecord?
        if mode != .localOnly {
            let record = try await context.sessions.record(name)
            ended = record
            // 2. Mark.
            await markRevoked(name, holding: lock)
            // 3. Revoke.
            (queuedRevocations, wait) = await ProviderSignOut(providers: context.providers, time: context.time, limit: limit)
                .run(record, mode: mode, receipt: &receipt)
        }
        // 4. Delete.
        do {
            _ = try await context.store.delete(name, revoking: queuedRevocations.revocations, after: queuedRevocations.pause)
        } catch {
            await wait?.listener.close()
            throw Self.deletionFailure(receipt, because: error.failure)
        }
        renewals.unsaved.remove(name)
        // 5. The session is deleted here before the browser is started, so nothing depends on what the browser's return reports.
        if let wait, let browserReturn = receipt.browserReturn { returns.begin(wait, as: browserReturn) }
        receipt.entries.append(.init(.forget, .done))
        // 6. Guest and base session.
        if let ended { await guests.create(afterSignOutOf: ended, limit: limit / 2) }
        if let ended, mode == .withBase { receipt.entries.append(.init(.endBaseSession, await signOutOfBase(of: ended))) }
        // 7. Report.
        let done = mode == .localOnly ? UserMessage("sign_out.forgotten") : UserMessage("sign_out.done")
        await context.events.announce(.signedOut, name, receipt.isComplete ? done : UserMessage("sign_out.incomplete_at_provider"))
        await context.events.announceSessions()
        if queuedRevocations.revocations.isEmpty { await revocations.wait(for: await revocations.start()) }
        return receipt
    }

    /// Deletes a session that a sign-in as another user has replaced. Queues its revocations unless the provider knows that it has ended.
    func remove(_ record: SessionRecord, providerKnows: Bool) async {
        let name = record.summary.name
        guard let known = try? await context.store.record(name), known.summary.receivedAt == record.summary.receivedAt else { return }
        var queuedRevocations: [QueuedRevocation] = []
        if !providerKnows, let adapter = context.providers[name.provider] {
            for case .token(_, let revocation) in await adapter.revocations(for: known) { queuedRevocations.append(revocation) }
        }
        guard (try? await context.store.delete(name, revoking: queuedRevocations)) != nil else { return }
        await context.events.announce(.signedOut, name, UserMessage("sign_out.done"))
        await context.events.announceSessions()
    }

    /// Marks the session as revoked before its provider is told. If the process is killed in between, the session is shown as revoked,
    /// issues no token, and the next sign-out finishes it.
    private func markRevoked(_ name: SessionName, holding lock: SessionLock) async {
        // Revoke the tokens even if the store cannot be written.
        try? await context.store.update(name, holding: lock) { record in record?.beginSignOut() }
        await context.events.announceSessions()
    }

    /// Signs out of the session that this one was made from, if there is one.
    private func signOutOfBase(of record: SessionRecord) async -> SignOutReceipt.Outcome {
        guard let base = context.providers[record.summary.name.provider]?.base(of: record) else {
            return .skipped(reason: "session.not_derived")
        }
        do throws(AuthFailure) {
            for entry in try await signOut(base, mode: .revoke).entries {
                if case .failed = entry.outcome { return entry.outcome }
            }
            return .done
        } catch {
            guard error.kind == .notSignedIn else { return .failed(reason: error.message, isQueued: false) }
            return .skipped(reason: UserMessage("session.not_signed_in_at", ["provider": base.provider]))
        }
    }

    /// Returns the failure for a session that is still in the store after its sign-out, with what was done at the provider.
    private static func deletionFailure(_ receipt: SignOutReceipt, because failure: AuthFailure) -> AuthFailure {
        let outcomes = receipt.entries.filter { [.revokeRefreshToken, .revokeAccessToken].contains($0.step) }.map(\.outcome)
        let isRevoked = outcomes.contains(.done)
        let isMissed = outcomes.contains { if case .failed = $0 { true } else { false } }
        let again = UserMessage("phrase.logout_command", ["session": receipt.session])
        let hint =
            switch (isRevoked, isMissed) {
            case (true, false): UserMessage("hint.tokens_revoked_fix_and_run", ["command": again])
            case (true, true): UserMessage("hint.some_tokens_not_revoked_fix_and_run", ["command": again])
            case (false, true): UserMessage("hint.tokens_not_revoked_fix_and_run", ["command": again])
            case (false, false): UserMessage("hint.fix_and_run", ["command": again])
            }
        return AuthFailure(
            failure.kind, UserMessage("sign_out.session_still_in_store", ["session": receipt.session, "detail": failure.message]),
            hint: hint)
    }
}

extension SessionRecord {
    fileprivate mutating func beginSignOut() {
        guard summary.recordedState != .revoked else { return }
        summary.recordedState = .revoked
        summary.isRenewable = false
        summary.nextRenewalAt = nil
        summary.warnings.append(UserMessage("sign_out.complete_with_logout", ["session": summary.name]))
    }
}

/// Revocations that did not reach the provider.
struct QueuedRevocations {
    private(set) var revocations: [QueuedRevocation] = []
    /// The time that the provider asked us to wait (RFC 7009 section 2.2.1).
    private(set) var pause = Duration.zero

    mutating func add(_ revocation: QueuedRevocation, after failure: AuthFailure) {
        revocations.append(revocation)
        pause = max(pause, failure.retryAfter ?? .zero)
    }
}

extension AuthFailure {
    /// Whether the provider itself refused a revocation with an error code. After any other failure the token must be assumed to be alive
    /// (RFC 7009 section 2.2.1): an error of the network, a proxy or this machine's configuration is not the provider's answer, and may be
    /// fixed.
    var isRefusedRevocation: Bool { if case .denied(code: .some) = kind { true } else { false } }

    /// The time that the provider asked us to wait; `nil` if it did not.
    var retryAfter: Duration? { if case .unavailable(let wait) = kind { wait } else { nil } }
}

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
                switch await limited(until: end, to: adapter, { await Self.revoked(revocation, by: adapter) }) {
                case .success: receipt.entries.append(.init(name, .done))
                case .failure(let error):
                    let isQueued = !error.isRefusedRevocation
                    if isQueued { queuedRevocations.add(revocation, after: error) }
                    receipt.entries.append(.init(name, .failed(reason: error.message, isQueued: isQueued)))
                }
            }
        }
        guard mode == .endBrowserSession else { return (queuedRevocations, nil) }
        let page = await limited(until: end, to: adapter) { await Self.endSessionPage(of: record, by: adapter) }
        let wait = await BrowserSessionEnd(time: time).prepare(record, at: page, adapter: adapter, receipt: &receipt)
        return (queuedRevocations, wait)
    }

    /// Runs a part of a sign-out until `end`, so that a silent provider causes no longer delay.
    private func limited<Value: Sendable>(
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
