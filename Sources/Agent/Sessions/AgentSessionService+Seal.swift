public import AuthModel

extension AgentSessionService {
    /// Returns the seal's state. After a sleep of the machine, locks the store first.
    public func seal() async -> SealState {
        await putKeysAwayAfterSleep()
        return await knownSeal()
    }

    /// Returns the seal's state of the current session service; locked if there is none.
    private func knownSeal() async -> SealState {
        (try? await lastKnown().seal()) ?? .locked(isNew: false)
    }

    /// Returns whether a passphrase unlocks the store; true if there is no session service.
    public func takesPassphrase() async -> Bool {
        guard let service = try? await lastKnown() else { return true }
        return await service.takesPassphrase()
    }

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !isShut, !isAsleep else { return }
        let service = try await lastKnown()
        guard try await service.seal() != .unlocked else { return }
        try await service.unlockIfNoPassphraseNeeded()
        // The user may have locked the store while the key was fetched, or the machine is about to sleep.
        guard !isShut, !isAsleep else { return try await putKeysAway() }
        guard try await service.seal() == .unlocked else { return }
        touch()
        watchIdleness()
        watchRevocations()
        await followSeal()
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
            try await putKeysAway()
            throw AuthFailure(.cancelled, "the store was locked meanwhile", hint: "unlock it again")
        }
        isShut = false
        isAsleep = false
        touch()
        watchIdleness()
        watchRevocations()
        await followSeal()
    }

    /// Locks the store until the user unlocks it.
    public func lock() async throws(AuthFailure) {
        let wasShut = isShut
        // Set before the keys are removed: a concurrent request then does not unlock, and an unlock in progress has no effect.
        isShut = true
        locks += 1
        do throws(AuthFailure) {
            try await putKeysAway()
        } catch {
            isShut = wasShut
            throw error
        }
    }

    /// Locks the store. The next request that needs the keys unlocks it again, if that needs no user.
    func putKeysAway() async throws(AuthFailure) {
        cache.clear()
        defer { cache.clear() }
        let service = try await lastKnown()
        isLocked = true
        plan([])
        do throws(AuthFailure) {
            try await service.lock()
        } catch {
            await followSeal()
            throw error
        }
        await followSeal()
    }

    /// Updates the plan for the current seal. Reads the state, because its events arrive later and may be outdated.
    func followSeal() async {
        guard let service = try? await lastKnown() else { return }
        sealLooks += 1
        let look = sealLooks
        let isOpen = (try? await service.seal()) == .unlocked
        // A later call has newer information.
        guard look == sealLooks else { return }
        isLocked = !isOpen
        if let sessions = try? await service.sessions() { notice(sessions) }
    }
}
