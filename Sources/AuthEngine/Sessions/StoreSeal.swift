internal import AuthModel
internal import SessionStore

/// Unlocks and locks the store.
struct StoreSeal: Sendable {
    let store: SessionStore
    let events: SessionEvents

    /// The state of the seal. Without a store, only a store with a passphrase counts as locked.
    var state: SealState {
        let state = store.sealState
        return state == .locked(isNew: true) && store.seal != .passphrase ? .unlocked : state
    }

    /// Unlocks an existing store that needs no passphrase.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        // Without a store there is nothing to unlock; the next sign-in creates it.
        guard store.seal != .passphrase, store.sealState == .locked(isNew: false) else { return }
        do { try await store.unlock() } catch { throw error.failure }
        await events.announceSeal()
    }

    /// Makes sure the store is unlocked; creates it if it is missing and needs no passphrase.
    func requireOpen() async throws(AuthFailure) {
        guard case .locked(let isNew) = store.sealState else { return }
        guard isNew else { throw AuthFailure(.configuration, "store.locked", hint: "hint.unlock_then_sign_in") }
        guard store.seal != .passphrase else {
            throw AuthFailure(.configuration, "store.none_yet", hint: "hint.create_store")
        }
        do { try await store.unlock() } catch { throw error.failure }
        await events.announceSessions()
    }

    /// Unlocks the store; creates it if there is none.
    func unlock(passphrase: Secret) async throws(AuthFailure) {
        do { try await store.unlock(passphrase: passphrase) } catch { throw error.failure }
        await events.announceSeal()
    }

    /// Locks the store, clears `tokens`, and waits for the holders of session locks, who save the responses to their requests. Then clears
    /// `unsaved`.
    func lock(clearing tokens: NarrowedTokens, _ unsaved: UnsavedResponses) async throws(AuthFailure) {
        do { try store.lock() } catch { throw error.failure }
        tokens.clear()
        await events.announceSeal()
        // A renewal in progress holds the keys until its response is sealed.
        await store.waitForLockHolders()
        tokens.clear()
        unsaved.removeAll()
    }
}
