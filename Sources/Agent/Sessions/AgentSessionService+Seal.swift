public import AuthModel

extension AgentSessionService {
    public func seal() async -> SealState {
        await putKeysAwayAfterSleep()
        return await knownSeal()
    }

    /// The state of the store as the session service at work knows it; locked where there is none.
    private func knownSeal() async -> SealState {
        (try? await lastKnown().seal()) ?? .locked(isNew: false)
    }

    public func takesPassphrase() async -> Bool {
        guard let service = try? await lastKnown() else { return true }
        return await service.takesPassphrase()
    }

    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !isShut, !isAsleep else { return }
        let service = try await lastKnown()
        guard try await service.seal() != .unlocked else { return }
        try await service.unlockIfNoPassphraseNeeded()
        // Somebody may have locked it on purpose while the key was fetched, or closed the lid.
        guard !isShut, !isAsleep else { return try await putKeysAway() }
        guard try await service.seal() == .unlocked else { return }
        touch()
        watchIdleness()
        watchRevocations()
        await followSeal()
    }

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

    public func lock() async throws(AuthFailure) {
        let wasShut = isShut
        // Before the keys are gone: a request that comes meanwhile opens nothing, and an unlocking that is under way counts no more.
        isShut = true
        locks += 1
        do throws(AuthFailure) {
            try await putKeysAway()
        } catch {
            isShut = wasShut
            throw error
        }
    }

    /// Locks, and leaves it to the next request that needs the keys to open the store again, where that takes nobody.
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

    /// Plans by the seal as it is now: what is told of it comes later, and may be over by then.
    func followSeal() async {
        guard let service = try? await lastKnown() else { return }
        sealLooks += 1
        let look = sealLooks
        let isOpen = (try? await service.seal()) == .unlocked
        // Whoever looked after us knows better.
        guard look == sealLooks else { return }
        isLocked = !isOpen
        if let sessions = try? await service.sessions() { notice(sessions) }
    }
}
