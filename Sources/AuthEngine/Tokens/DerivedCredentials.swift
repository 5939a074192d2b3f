import AuthModel
import SessionStore

/// Credentials that other services issued for a session's token, sealed in the session's record.
struct DerivedCredentials: Sendable {
    let context: EngineContext

    /// How the purposes of the engine's own credentials begin. No program reads or keeps one by its purpose.
    static let ownPrefix = "engine:"
    /// The time after which no credential is issued again: the longest life of a role's credentials.
    static let longestUse = Duration.seconds(43_200)

    /// Returns a kept credential; `nil` if there is none that is still usable, or if the policy decides about each use.
    func credential(for purpose: String, _ request: TokenRequest) async throws(AuthFailure) -> DerivedCredential? {
        let record = try await context.sessions.record(request.session)
        let adapter = try context.providers.ownAdapter(of: record)
        guard adapter.configuration.policy == .allow, record.isActive, !purpose.hasPrefix(Self.ownPrefix),
            let kept = record.derivedCredentials.first(where: { $0.purpose == purpose && $0.usableUntil > context.time.now })
        else { return nil }
        let name = record.summary.name
        try? await context.store.markUsed(name, at: context.time.now, by: request.caller)
        await context.events.announce(.issued, name, request.keptCredentialMessage)
        return kept
    }

    /// Keeps a credential. Does nothing for a session that has ended, or whose policy decides about each use.
    func keep(_ credential: DerivedCredential, of session: SessionName) async throws(AuthFailure) {
        let record = try await context.sessions.record(session)
        let adapter = try context.providers.ownAdapter(of: record)
        guard adapter.configuration.policy == .allow else { return }
        guard credential.purpose.utf8.count + credential.secret.count <= DerivedCredential.sizeLimit else {
            throw AuthFailure(.usage, "session.credential_too_large")
        }
        guard !credential.purpose.hasPrefix(Self.ownPrefix) else { throw AuthFailure(.usage, "session.credential_purpose_reserved") }
        let now = context.time.now
        var credential = credential
        credential.usableUntil = min(credential.usableUntil, now + Self.longestUse)
        let kept = credential
        _ = try await context.sessions.change(record.summary.name) { record in
            if record.isActive { record.store(kept, at: now) }
        }
    }
}
