public import AuthModel
internal import SessionStore

extension Engine {
    /// Renews a session now, even during a pause after failures.
    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await record(name)
        return try await renewed(record).summary
    }

    static func sessionEnded(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, record.summary.warnings.last ?? "the session \(record.summary.name) has ended",
            hint: "sign in again with: yett login \(record.summary.name.provider)")
    }

    /// Renews `seen`, or joins a renewal of it that is in progress here or in another process.
    func renewed(_ seen: SessionRecord) async throws(AuthFailure) -> SessionRecord {
        let name = seen.summary.name
        let task: Task<Result<SessionRecord, AuthFailure>, Never>
        if let running = renewals[name] {
            task = running
        } else {
            task = Task { await self.runRenewal(of: seen) }
            renewals[name] = task
            await announceSessions()
        }
        return try await task.value.get()
    }

    /// Renews `seen` and waits at most `patience` for the result; returns `nil` if it takes longer. The renewal continues even if the
    /// caller stops waiting.
    func renewed(_ seen: SessionRecord, within patience: Duration) async throws(AuthFailure) -> SessionRecord? {
        let time = environment.time
        let deadline = time.bootTime + patience
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<SessionRecord, AuthFailure>.self)
        Task {
            do throws(AuthFailure) { outcome.yield(.success(try await self.renewed(seen))) } catch { outcome.yield(.failure(error)) }
            outcome.finish()
        }
        let soon = await withTaskGroup(of: Result<SessionRecord, AuthFailure>?.self) { group in
            group.addTask {
                for await outcome in outcomes { return outcome }
                return nil
            }
            group.addTask {
                try? await time.sleep(until: deadline)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return try soon?.get()
    }

    private func runRenewal(of seen: SessionRecord) async -> Result<SessionRecord, AuthFailure> {
        let name = seen.summary.name
        let outcome = await locked(name) { (lock) throws(AuthFailure) in
            // Another process may have renewed while we waited for the lock. Then its result is the answer, and our refresh token is spent.
            let current = try await self.savingDeferredResponse(try await self.record(name), holding: lock)
            if current.summary.receivedAt != seen.summary.receivedAt, current.tokens != nil { return current }
            // If another process tried and failed, its failure is the answer during the back-off.
            if current.renewalFailures != seen.renewalFailures { try await self.requireNoPause(of: current) }
            return try await self.renew(current, holding: lock)
        }
        renewals[name] = nil
        switch outcome {
        case .success:
            await endPause(of: seen)
            announce(.renewed, name, "renewed")
        case .failure(let failure): announce(.renewalFailed, name, failure.summary)
        }
        await announceSessions()
        return outcome
    }

    func locked<Value: Sendable>(
        _ name: SessionName, _ body: (SessionLock) async throws(AuthFailure) -> Value
    ) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            let lock = try await lock(name)
            defer { lock.release() }
            return .success(try await body(lock))
        } catch {
            return .failure(error)
        }
    }

    /// Locks a session across processes. Waits at most one minute.
    func lock(_ name: SessionName) async throws(AuthFailure) -> SessionLock {
        do { return try await store.lock(name, until: environment.time.bootTime + .seconds(60)) } catch { throw error.failure }
    }

    private func renew(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        let adapter = try ownAdapter(of: record)
        guard record.tokens != nil else { throw Self.sessionEnded(record) }
        guard record.summary.isRenewable else {
            throw AuthFailure(
                .signInAgain, "the session \(name) cannot be renewed",
                hint: "sign in again with: yett login \(name.provider); the scope offline_access may help")
        }
        try await requireSpace(for: name, holding: lock)
        let renewal: Renewal
        do {
            renewal = try await RenewalRetry(time: environment.time, lostResponses: record.renewalFailures.lostResponses).run {
                () async throws(RenewalFailure) in
                try await adapter.renew(record, sessions: self)
            }
        } catch {
            return try await settle(record, holding: lock, after: error)
        }
        let isRenewable = adapter.canRenew(renewal.tokens)
        return try await settle(record, holding: lock) { $0.take(renewal, isRenewable: isRenewable) }.record
    }
}
