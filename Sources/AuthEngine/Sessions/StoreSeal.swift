internal import AuthModel
internal import SessionStore

/// Unlocks and locks the store, and changes how its key is kept.
struct StoreSeal: Sendable {
    let store: SessionStore
    let events: SessionEvents

    /// The state of the seal. If there is no store yet: locked if the seal needs the user, otherwise unlocked.
    var state: StoreState {
        let state = store.storeState
        return state == .locked(isNew: true) && !store.seal.asksUser ? .unlocked : state
    }

    /// The state of the seal, and how the key is kept.
    var report: SealReport {
        SealReport(
            state: state, needsPassphrase: store.seal.asksUser, seal: store.seal, systemKey: store.systemKey,
            securityKeys: store.securityKeys)
    }

    /// Unlocks an existing store that does not need the user.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        // Without a store there is nothing to unlock; the next sign-in creates it.
        guard !store.seal.asksUser, store.storeState == .locked(isNew: false) else { return }
        do throws(StoreError) { try await store.unlock() } catch {
            // The user who locked it wants it locked.
            guard error.kind != .lockedMeanwhile else { return }
            throw error.failure
        }
        await events.announceSeal()
    }

    /// Makes sure the store is unlocked; creates it if it is missing and does not need the user.
    func requireOpen() async throws(AuthFailure) {
        guard case .locked(let isNew) = store.storeState else { return }
        guard isNew else { throw AuthFailure(.configuration, "store.locked", hint: "hint.unlock_then_sign_in") }
        guard !store.seal.asksUser else {
            throw AuthFailure(
                .configuration, "store.none_yet",
                hint: store.seal == .securityKey ? "hint.create_store_with_security_key" : "hint.create_store")
        }
        do { try await store.unlock() } catch { throw error.failure }
        await events.announceSessions()
    }

    /// Unlocks the store; creates it if there is none.
    func unlock(passphrase: Secret, isPIN: Bool) async throws(AuthFailure) {
        do { try await store.unlock(passphrase: passphrase, isPIN: isPIN) } catch { throw error.failure }
        await events.announceSeal()
    }

    /// Changes how the store's key is kept. A store with a passphrase or a security key needs it, although it is
    /// unlocked.
    func change(
        _ operation: ChangeSeal, to target: (source: KeySource, others: [any KeyStorage])?
    ) async throws(AuthFailure) {
        guard let target else {
            throw AuthFailure(
                .usage, UserMessage("store.cannot_change_seal", ["seal": operation.seal.rawValue]), hint: "hint.set_seal_before_sign_in")
        }
        let former = store.seal
        var remaining: StoreError?
        do throws(StoreError) {
            if operation.addsKey {
                try await store.addSecurityKey(pin: operation.passphrase, newPIN: operation.newPassphrase)
            } else {
                try await store.checkPassphrase(operation.passphrase, isPIN: operation.isPIN)
                try await store.changeSeal(to: target.source, passphrase: operation.newPassphrase, leftovers: target.others)
            }
        } catch {
            // The seal is changed, although the old key could not be deleted.
            guard case .oldKeyRemains = error.kind else { throw error.failure }
            remaining = error
        }
        await events.announce(.sealChanged, nil, message(of: operation, after: former))
        await events.announceSeal()
        if let remaining { throw remaining.failure }
    }

    /// Returns the message of the activity log about a change, with the program that wanted it.
    private func message(of operation: ChangeSeal, after former: Seal) -> UserMessage {
        let seal = operation.seal.rawValue
        let change =
            if operation.addsKey {
                UserMessage("activity.security_key_added", ["count": store.securityKeys ?? 0])
            } else if operation.seal == former {
                UserMessage("activity.seal_key_replaced", ["seal": seal])
            } else {
                UserMessage("activity.seal_changed", ["seal": seal, "former": former.rawValue])
            }
        guard let requester = operation.requester else { return change }
        return UserMessage(
            "activity.change_by", ["detail": change, "witness": requester.program, "process": requester.process])
    }

    /// Locks the store, clears `tokens`, and waits for the holders of session locks, who save the responses to their requests. Then clears
    /// `unsaved`.
    func lock(clearing tokens: RestrictedTokens, _ unsaved: UnsavedResponses) async throws(AuthFailure) {
        do { try store.lock() } catch { throw error.failure }
        tokens.clear()
        await events.announceSeal()
        // A renewal in progress holds the keys until its response is sealed.
        await store.waitForLockHolders()
        tokens.clear()
        unsaved.removeAll()
    }
}
