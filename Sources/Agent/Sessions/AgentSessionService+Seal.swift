public import AuthModel

extension AgentSessionService {
    /// Returns the seal's state. After a sleep of the machine, locks the store first.
    public func seal() async -> SealState {
        await lockAfterSleep()
        return await knownSeal()
    }

    /// Returns the seal's state of the current session service; locked if there is none.
    private func knownSeal() async -> SealState {
        (try? await lastKnown().seal()) ?? .locked(isNew: false)
    }

    /// Returns whether a passphrase unlocks the store; true if there is no session service.
    public func needsPassphrase() async -> Bool {
        guard let service = try? await lastKnown() else { return true }
        return await service.needsPassphrase()
    }

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !isLockedByUser, !isAsleep else { return }
        let service = try await lastKnown()
        guard try await service.seal() != .unlocked else { return }
        try await service.unlockIfNoPassphraseNeeded()
        // The user may have locked the store while the key was fetched, or the machine is about to sleep.
        guard !isLockedByUser, !isAsleep else { return try await lockAutomatically() }
        guard try await service.seal() == .unlocked else { return }
        touch()
        startIdleTimer()
        watchRevocations()
        await refreshSealState()
    }

    /// Unlocks the store, and starts the idle limit, the renewals and the revocations.
    ///
    /// - Throws: `.cancelled` if the store was locked meanwhile.
    public func unlock(passphrase: Secret) async throws(AuthFailure) {
        let service = try await lastKnown()
        guard try await service.seal() != .unlocked else { return }
        let locksBefore = locks
        try await service.unlock(passphrase: passphrase)
        guard locks == locksBefore else {
            try await lockAutomatically()
            throw AuthFailure(.cancelled, "the store was locked in the meantime", hint: "unlock it again")
        }
        isLockedByUser = false
        isAsleep = false
        touch()
        startIdleTimer()
        watchRevocations()
        await refreshSealState()
    }

    /// Locks the store until the user unlocks it.
    public func lock() async throws(AuthFailure) {
        let wasShut = isLockedByUser
        // Set before the keys are removed: a concurrent request then does not unlock, and an unlock in progress has no effect.
        isLockedByUser = true
        locks += 1
        do throws(AuthFailure) {
            try await lockAutomatically()
        } catch {
            isLockedByUser = wasShut
            throw error
        }
    }

    /// Locks the store. The next request that needs the keys unlocks it again, if that needs no user.
    func lockAutomatically() async throws(AuthFailure) {
        cache.clear()
        defer { cache.clear() }
        let service = try await lastKnown()
        isLocked = true
        plan([])
        do throws(AuthFailure) {
            try await service.lock()
        } catch {
            await refreshSealState()
            throw error
        }
        await refreshSealState()
    }

    /// Updates the plan for the current seal. Reads the state, because its events arrive later and may be outdated.
    func refreshSealState() async {
        guard let service = try? await lastKnown() else { return }
        sealReadCount += 1
        let look = sealReadCount
        let isOpen = (try? await service.seal()) == .unlocked
        // A later call has newer information.
        guard look == sealReadCount else { return }
        isLocked = !isOpen
        if let sessions = try? await service.sessions() { notice(sessions) }
    }
}
