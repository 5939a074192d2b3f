import AuthModel
import SessionStore

/// Sessions of guests: of users who have not signed in, at the providers that know guests.
struct GuestSessions: Sendable {
    let context: EngineContext

    /// Creates a guest session; returns `nil` if the kind has no guests.
    func create(by adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord? {
        guard let result = try await adapter.guest(after: nil) else { return nil }
        return try await store(result, of: adapter)
    }

    /// Stores a guest session, if the provider has no session of a user. Ignores a failed write.
    func keep(_ result: SignInResult, for provider: ProviderName) async {
        guard let adapter = context.providers[provider], let known = try? await context.sessions.all(),
            known.allSatisfy({ $0.name.provider != provider || $0.isAnonymousGuest })
        else { return }
        // A guest session holds nothing of value, so a failed write loses nothing.
        _ = try? await store(result, of: adapter)
    }

    /// Stores a guest session after a sign-out, if the kind has guests. Waits for the provider at most `limit`.
    func create(afterSignOutOf record: SessionRecord, limit: Duration) async {
        guard !record.summary.isAnonymousGuest, let adapter = context.providers[record.summary.name.provider] else { return }
        let time = context.time
        // A gateway must not learn what another gateway knew of this install.
        let before = adapter.isOwn(record) ? record : nil
        let guest = await time.outcome(until: time.bootTime + limit) { try? await adapter.guest(after: before) ?? nil }
        guard let guest = guest.value else { return }
        await keep(guest, for: record.summary.name.provider)
    }

    /// Deletes the guest session after a user has signed in.
    func forget(at provider: ProviderName) async {
        guard let known = try? await context.sessions.all() else { return }
        for session in known where session.name.provider == provider && session.isAnonymousGuest {
            _ = try? await context.store.delete(session.name)
        }
    }

    private func store(_ result: SignInResult, of adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord {
        let record = try SessionRecord(
            result, provider: adapter.configuration.name, label: SessionSummary.guestSubject, adapter: adapter)
        do {
            let kept = try await context.store.store(record, label: .suggested)
            await context.events.announceSessions()
            return kept
        } catch {
            throw error.failure
        }
    }
}
