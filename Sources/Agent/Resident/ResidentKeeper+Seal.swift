public import AuthModel

extension ResidentKeeper {
    public func seal() async -> SealState {
        await putKeysAwayAfterSleep()
        guard let keeper = try? await lastKnown() else { return .locked(isNew: false) }
        return await keeper.seal()
    }

    public func takesPassphrase() async -> Bool {
        guard let keeper = try? await lastKnown() else { return true }
        return await keeper.takesPassphrase()
    }

    public func openUnasked() async throws(AuthFailure) {
        guard !isShut else { return }
        let keeper = try await lastKnown()
        guard await keeper.seal() != .unlocked else { return }
        try await keeper.openUnasked()
        if await keeper.seal() == .unlocked { await opened(keeper) }
    }

    public func unlock(passphrase: Secret) async throws(AuthFailure) {
        let keeper = try await lastKnown()
        guard await keeper.seal() != .unlocked else { return }
        guard let turn = throttle.begin(at: time.bootTime) else {
            throw AuthFailure(
                .unavailable(retryAfter: throttle.wait(at: time.bootTime) + .seconds(1)), "too many passphrases are being tried",
                hint: "wait a moment")
        }
        do { try await time.sleep(until: turn) } catch { throw AuthFailure(.cancelled, "cancelled") }
        try await keeper.unlock(passphrase: passphrase)
        throttle.succeeded()
        await opened(keeper)
    }

    private func opened(_ keeper: any Keeper) async {
        isLocked = false
        isShut = false
        touch()
        watchIdleness()
        watchRevocations()
        if let sessions = try? await keeper.sessions() { notice(sessions) }
    }

    public func lock() async throws(AuthFailure) {
        try await putKeysAway()
        isShut = true
    }

    /// Locks, and leaves it to the next request that needs the keys to open the store again, where that takes nobody.
    func putKeysAway() async throws(AuthFailure) {
        cache.clear()
        defer { cache.clear() }
        try await lastKnown().lock()
        isLocked = true
        plan([])
    }
}
