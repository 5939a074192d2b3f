import AuthModel
import SessionStore

/// Tokens that a provider issued for the user, to this or any other client.
struct RemoteTokens: Sendable {
    let context: EngineContext
    let renewal: TokenRenewal

    /// Lists the tokens that the provider issued for the user.
    func tokens(of name: SessionName) async throws(AuthFailure) -> [RemoteToken] {
        let record = try await freshRecord(name)
        let provider = record.summary.name.provider
        guard let list = try context.providers.adapter(for: provider).remoteTokenList else {
            throw AuthFailure(.configuration, UserMessage("token.list_not_supported", ["provider": provider]), hint: "hint.show_sessions")
        }
        return try await list.remoteTokens(of: record)
    }

    /// Revokes a token at the provider, and updates the session if it was its own.
    func revoke(_ id: String, of name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await freshRecord(name)
        let session = record.summary.name
        let adapter = try context.providers.adapter(for: session.provider)
        guard let list = adapter.remoteTokenList else {
            throw AuthFailure(
                .configuration, UserMessage("revocation.no_single_tokens", ["provider": session.provider]),
                hint: "hint.sign_out_with_logout")
        }
        let left = try await list.revokeRemoteToken(id, of: record)
        await context.events.announce(.signedOut, session, UserMessage("revocation.token_revoked"))
        switch left {
        case .alive: return context.sessions.listing.withProgress(record.summary)
        case .notRenewable: return try await change(record) { $0.removeRefreshToken() }
        case .ended:
            await revokeRefreshToken(of: record, by: adapter)
            return try await change(record) { $0.markRevokedWithoutTokens() }
        }
    }

    /// Changes the session whose own token was revoked, unless it has received new tokens since.
    private func change(
        _ seen: SessionRecord, _ body: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> SessionSummary {
        do {
            let changed: SessionRecord? = try await context.store.update(seen.summary.name) { record in
                guard record?.summary.receivedAt == seen.summary.receivedAt else { return record }
                if var known = record {
                    body(&known)
                    record = known
                }
                return record
            }
            await context.events.announceSessions()
            return context.sessions.listing.withProgress(changed?.summary ?? seen.summary)
        } catch {
            throw error.failure
        }
    }

    /// Revokes the refresh token of a session whose access token was revoked. Otherwise no later operation would revoke it.
    private func revokeRefreshToken(of record: SessionRecord, by adapter: any ProviderAdapter) async {
        for case .token(.revokeRefreshToken, let revocation) in await adapter.revocations(for: record) {
            do throws(AuthFailure) {
                try await adapter.revoke(revocation)
            } catch  where !error.isRefusedRevocation {
                // Queue it like every revocation that did not reach the provider.
                _ = try? await context.store.enqueue(revocation)
            } catch {}
        }
    }

    /// Returns the session with a token that the provider accepts.
    private func freshRecord(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let record = try await context.sessions.record(name)
        try context.providers.requireOwn(record)
        return try await renewal.current(record, for: TokenRequest(session: record.summary.name))
    }
}

extension SessionRecord {
    /// Removes the revoked refresh token. The access token stays valid until it expires.
    fileprivate mutating func removeRefreshToken() {
        tokens?.refreshToken = nil
        tokens?.refreshExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
        summary.warnings.append(UserMessage("revocation.refresh_token_revoked"))
    }

    /// Removes all tokens and marks the session as revoked.
    fileprivate mutating func markRevokedWithoutTokens() {
        tokens = nil
        summary.recordedState = .revoked
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
    }
}
