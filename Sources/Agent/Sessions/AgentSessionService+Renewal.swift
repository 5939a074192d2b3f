import AuthModel

extension AgentSessionService {
    /// Returns the sessions with their planned renewals.
    func planned(_ sessions: [SessionSummary]) -> [SessionSummary] {
        let (now, bootTime) = (time.now, time.bootTime)
        return sessions.map { session in
            var session = session
            session.nextRenewalAt = schedule.plannedAt(session.name, now: now, bootTime: bootTime)
            return session
        }
    }

    /// Plans renewals for the current sessions.
    func plan(_ sessions: [SessionSummary]) {
        schedule.update(sessions, now: time.now, bootTime: time.bootTime)
        arm()
    }

    /// Sets the alarm for the next renewal.
    private func arm() {
        alarm.set(for: isEnding ? nil : schedule.nextWake(), by: time) { [weak self] wake in await self?.fire(wake) }
    }

    private func fire(_ wake: Duration) async {
        alarm.didFire(at: wake)
        await renewDue()
    }

    private func renewDue() async {
        await lockAfterSleep()
        // A store that needs no user to unlock continues to be renewed.
        if isLocked { try? await unlockIfNoPassphraseNeeded() }
        while !isEnding, let (name, basis) = schedule.begin(bootTime: time.bootTime) {
            Task { await self.renewAheadOfExpiry(name, basis) }
        }
        arm()
    }

    /// Runs an operation that may renew a session for a caller.
    func countingCaller<Value: Sendable>(
        _ name: SessionName, _ body: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        waitingCallers[name.provider, default: 0] += 1
        defer {
            let left = (waitingCallers[name.provider] ?? 1) - 1
            waitingCallers[name.provider] = left == 0 ? nil : left
        }
        return try await body()
    }

    private func renewAheadOfExpiry(_ name: SessionName, _ basis: RenewalSchedule.Basis) async {
        do throws(AuthFailure) {
            guard try await renewIfUnchanged(name, basis) else {
                schedule.postpone(name, bootTime: time.bootTime)
                return arm()
            }
            schedule.finish(name, nil, bootTime: time.bootTime)
        } catch {
            schedule.finish(name, error, bootTime: time.bootTime)
        }
        guard let sessions = try? await lastKnown().sessions() else { return arm() }
        notice(sessions)
        // The renewal's own event came before its end, when the next renewal was not yet planned.
        announce(.sessionsChanged(planned(sessions)))
    }

    /// Renews a session, unless another caller did. Returns false while another caller may be about to.
    private func renewIfUnchanged(_ name: SessionName, _ basis: RenewalSchedule.Basis) async throws(AuthFailure) -> Bool {
        let service = try await lastKnown()
        // Another process may have renewed it, without an event here yet.
        let session = try await service.sessions().first { $0.name == name }
        guard session?.receivedAt == basis.receivedAt, session?.accessExpiresAt == basis.expiresAt else { return true }
        guard waitingCallers[name.provider] == nil else { return false }
        _ = try await service.renew(name)
        return true
    }
}
