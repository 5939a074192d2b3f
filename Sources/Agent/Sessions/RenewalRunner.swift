internal import AuthModel

/// Renews sessions ahead of their expiry, when the plan says so.
struct RenewalRunner: Sendable {
    let services: CurrentService
    let plan: RenewalPlan
    let overview: SessionOverview
    let observers: EventObservers
    let seal: StoreLockControl

    /// Starts the renewals that are due.
    func renewDue() async {
        await seal.lockAfterSleep()
        // A store that needs no user to unlock continues to be renewed.
        if plan.isLocked { try? await seal.unlockIfNoPassphraseNeeded() }
        while let (name, basis) = plan.begin() {
            Task { await renew(name, basis) }
        }
        plan.arm()
    }

    private func renew(_ name: SessionName, _ basis: RenewalSchedule.Basis) async {
        do throws(AuthFailure) {
            guard try await renewIfUnchanged(name, basis) else { return plan.postpone(name) }
            plan.finish(name, basis, nil)
        } catch {
            plan.finish(name, basis, error)
        }
        guard let sessions = try? await services.lastKnown().sessions() else { return plan.arm() }
        await overview.notice(sessions)
        // The renewal's own event came before its end, when the next renewal was not yet planned.
        observers.announce(.sessionsChanged(plan.planned(sessions)))
    }

    /// Renews a session, unless another caller did. Returns false while another caller may be about to.
    private func renewIfUnchanged(_ name: SessionName, _ basis: RenewalSchedule.Basis) async throws(AuthFailure) -> Bool {
        let service = try await services.lastKnown()
        // Another process may have renewed it, without an event here yet.
        let session = try await service.sessions().first { $0.name == name }
        guard session?.receivedAt == basis.receivedAt, session?.accessExpiresAt == basis.expiresAt else { return true }
        guard !plan.hasWaitingCaller(at: name.provider) else { return false }
        _ = try await service.renew(name)
        return true
    }
}
