public import AuthModel
internal import SessionStore

/// Tokens that a provider holds for a person, whoever they were issued to.
extension Engine {
    public func remoteTokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        let record = try await freshRecord(name)
        guard let tokens = try await adapter(for: record.summary.name.provider).remoteTokens(of: record) else {
            throw AuthFailure(
                .configuration, "\(record.summary.name.provider) lists no tokens", hint: "yett status shows the sessions here")
        }
        return tokens
    }

    public func revokeRemoteToken(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await freshRecord(name)
        let session = record.summary.name
        let isAlive = try await adapter(for: session.provider).revokeRemoteToken(id, of: record)
        announce(.signedOut, session, "a token was revoked at the provider")
        guard !isAlive else { return planned(record.summary) }
        do {
            let ended: SessionRecord? = try await store.update(session) { record in
                record?.tokens = nil
                record?.summary.settledState = .revoked
                record?.summary.isRenewable = false
                return record
            }
            await announceSessions()
            return planned(ended?.summary ?? record.summary)
        } catch {
            throw error.failure
        }
    }

    /// The session with a token that the provider takes.
    private func freshRecord(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let record = try await record(name)
        return try await current(record, for: TokenRequest(session: record.summary.name))
    }
}
