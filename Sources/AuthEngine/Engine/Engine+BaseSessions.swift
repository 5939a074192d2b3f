public import AuthModel
internal import SessionStore

extension Engine: BaseSessions {
    public func latest(of provider: ProviderName) async -> SessionRecord? {
        let last = try? await sessions().filter { $0.name.provider == provider }.max { $0.grantedAt < $1.grantedAt }
        guard let last else { return nil }
        return try? await record(last.name)
    }

    public func leave(_ record: SessionRecord, as guest: Renewal?) async {
        // What cannot be written now is found out at the next use, which the provider refuses.
        _ = try? await store.update(record.summary.name) { known in
            guard var changed = known, changed.summary.receivedAt == record.summary.receivedAt else { return }
            if let guest {
                changed.take(guest, isRenewable: true)
                // The session is still the one that was left.
                changed.summary.receivedAt = record.summary.receivedAt
            } else {
                changed.tokens = nil
                changed.summary.settledState = .needsSignIn
                changed.summary.isRenewable = false
                changed.summary.accessExpiresAt = nil
            }
            known = changed
        }
        await announceSessions()
    }

    public func base(
        _ name: SessionName, for provider: ProviderName, wanted: TokenRequest.Wanted
    ) async throws(AuthFailure) -> BaseSession {
        try refuseRing(from: provider)
        let record = try await record(name)
        // It leaves for the provider that the configuration names, and for no program: the policy has no say in it.
        let grant = try await handOut(
            record, for: TokenRequest(session: record.summary.name, wanted: wanted, caller: "yett, for \(provider)"))
        return BaseSession(name: record.summary.name, identity: record.identity, token: grant.token)
    }

    /// A renewal waits for the base session's, so in a ring all of them would wait for ever.
    private func refuseRing(from start: ProviderName) throws(AuthFailure) {
        var seen: Set<ProviderName> = []
        var next: ProviderName? = start
        while let provider = next {
            guard seen.insert(provider).inserted else {
                throw AuthFailure(
                    .configuration, "the sessions of \(start) are made from themselves",
                    hint: "set from in [providers.\(start)] to a provider that people sign in at")
            }
            next = adapters[provider]?.base?.provider
        }
    }
}
