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
        let adapter = try adapter(for: session.provider)
        let left = try await adapter.revokeRemoteToken(id, of: record)
        announce(.signedOut, session, "a token was revoked at the provider")
        switch left {
        case .alive: return planned(record.summary)
        case .unrenewable: return try await change(record) { $0.loseRefreshToken() }
        case .ended:
            await revokeRefreshToken(of: record, by: adapter)
            return try await change(record) { $0.endByRevocation() }
        }
    }

    /// Changes the session whose own token was ended, unless it has new ones by now.
    private func change(
        _ seen: SessionRecord, _ body: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> SessionSummary {
        do {
            let changed: SessionRecord? = try await store.update(seen.summary.name) { record in
                guard record?.summary.receivedAt == seen.summary.receivedAt else { return record }
                if var known = record {
                    body(&known)
                    record = known
                }
                return record
            }
            await announceSessions()
            return planned(changed?.summary ?? seen.summary)
        } catch {
            throw error.failure
        }
    }

    /// Ends the refresh token of a session whose access token was ended: left alive, nobody would be there to end it any more.
    private func revokeRefreshToken(of record: SessionRecord, by adapter: any ProviderAdapter) async {
        for case .token(.revokeRefreshToken, let revocation) in await adapter.revocations(for: record) {
            do throws(AuthFailure) {
                try await adapter.revoke(revocation)
            } catch  where !Self.isRefusal(error) {
                // It goes the way of every revocation that the provider could not be told of.
                _ = try? await store.enqueue(revocation)
            } catch {}
        }
    }

    /// The session with a token that the provider takes.
    private func freshRecord(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let record = try await record(name)
        try requireOwn(record)
        return try await current(record, for: TokenRequest(session: record.summary.name))
    }
}

extension SessionRecord {
    /// The refresh token is dead, and the access token good until its end.
    fileprivate mutating func loseRefreshToken() {
        tokens?.refreshToken = nil
        tokens?.refreshExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
        summary.warnings.append("its refresh token was revoked: it cannot be renewed, and ends with its access token")
    }

    /// No token is left.
    fileprivate mutating func endByRevocation() {
        tokens = nil
        summary.settledState = .revoked
        summary.refreshExpiresAt = nil
        summary.isRenewable = false
    }
}
