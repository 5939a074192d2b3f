import AuthModel

extension ResidentKeeper {
    /// The sessions with what is planned for them.
    func planned(_ sessions: [SessionSummary]) -> [SessionSummary] {
        let (now, bootTime) = (time.now, time.bootTime)
        return sessions.map { session in
            var session = session
            session.nextRenewalAt = schedule.plannedAt(session.name, now: now, bootTime: bootTime)
            return session
        }
    }

    /// Plans for the sessions as they are now.
    func plan(_ sessions: [SessionSummary]) {
        schedule.update(sessions, now: time.now, bootTime: time.bootTime)
        arm()
    }

    /// Sets the one alarm there is, for the next renewal.
    private func arm() {
        renewalTask?.cancel()
        renewalTask = schedule.nextWake().map { wake in
            Task { [weak self, time] in
                guard (try? await time.sleep(until: wake)) != nil else { return }
                await self?.renewDue()
            }
        }
    }

    private func renewDue() {
        while let (name, basis) = schedule.begin(bootTime: time.bootTime) {
            Task { await self.renewAhead(name, basis) }
        }
        arm()
    }

    private func renewAhead(_ name: SessionName, _ basis: RenewalSchedule.Basis) async {
        let failure = await renewalFailure(name, basis)
        schedule.finish(name, failure, bootTime: time.bootTime)
        if failure == nil, let sessions = try? await lastKnown().sessions() { return plan(sessions) }
        arm()
    }

    private func renewalFailure(_ name: SessionName, _ basis: RenewalSchedule.Basis) async -> AuthFailure? {
        do throws(AuthFailure) {
            let keeper = try await lastKnown()
            // Somebody else may have renewed it, and we were not told yet.
            let session = try await keeper.sessions().first { $0.name == name }
            guard session?.receivedAt == basis.receivedAt, session?.accessExpiresAt == basis.expiresAt else { return nil }
            _ = try await keeper.renew(name)
            return nil
        } catch {
            return error
        }
    }
}
