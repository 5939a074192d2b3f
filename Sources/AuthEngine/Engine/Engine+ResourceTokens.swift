public import AuthModel
internal import SessionStore

/// Tokens for one resource: which session asks there, and with what.
extension Engine {
    /// The record that a request for a token is about.
    ///
    /// With a resource and without an account, it is the session whose place the resource lies in deepest; a kind may make one where there is
    /// none.
    func record(for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        guard let resource = request.resource, request.session.account == nil, let adapter = adapters[request.session.provider] else {
            return try await record(request.session)
        }
        let here = try await sessions().filter { $0.name.provider == request.session.provider }
        let claims = here.compactMap { session in adapter.claim(of: session, on: resource).map { (session, $0) } }
        let best = claims.map(\.1).max()
        let fitting = claims.filter { $0.1 == best }.map(\.0)
        if let chosen = await chosen(of: fitting) { return try await record(chosen.name) }
        guard fitting.isEmpty else { throw fitting.ambiguity(at: request.session.provider) }
        if let guest = try await guestRecord(of: adapter) { return guest }
        throw AuthFailure(
            .notSignedIn, "not signed in for \(resource.origin.authority): \(request.session)",
            hint: "sign in with: yett login \(request.session.provider)")
    }

    /// The record with a token in the place of one that a resource refused.
    func recovered(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        guard record.summary.isRenewable, request.mayRenew else {
            throw AuthFailure(
                .signInAgain, "the token of \(name) is no longer taken, and cannot be renewed",
                hint: "sign in again with: yett login \(name)")
        }
        guard try adapter(for: name.provider).mayRecover(record) else {
            throw AuthFailure(
                .signInAgain, "the session \(name) was renewed a moment ago, and is no longer taken",
                hint: "wait a minute, or sign in again with: yett login \(name)")
        }
        return try await renewed(record)
    }

    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName) async throws(AuthFailure) {
        let name = try await resolve(session)
        _ = try await settle(name) { record in
            if record.tokens?.accessToken == old { record.tokens?.accessToken = token }
        }
    }

    /// The grant for a resource, made from a record whose own token is fresh.
    func grant(
        for resource: WebURL, _ request: TokenRequest, of seen: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> TokenGrant {
        var record = seen
        var isSecondTry = false
        while true {
            if let held = adapter.heldToken(for: resource, of: record, refused: request.refused) { return try grant(held, of: record) }
            do throws(AuthFailure) {
                return try await fetchedGrant(for: resource, request, of: record, adapter: adapter)
            } catch  where error.kind == .signInAgain && !isSecondTry && record.summary.isRenewable && request.mayRenew {
                record = try await renewed(record)
                isSecondTry = true
            }
        }
    }

    /// Gets the resource's own token, once for everybody who wants it at this time.
    private func fetchedGrant(
        for resource: WebURL, _ request: TokenRequest, of record: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> TokenGrant {
        let name = record.summary.name
        let lock = try await lock(name)
        defer { lock.release() }
        let current = try await self.record(name)
        if let held = adapter.heldToken(for: resource, of: current, refused: request.refused) { return try grant(held, of: current) }
        let (token, extras) = try await adapter.fetchToken(for: resource, of: current, login: request.webServerLogin)
        let kept = try await settle(name, holding: lock) { $0.extras = extras }
        return try grant(token, of: kept)
    }

    /// Writes a change of one record, durably, and gives the record back.
    private func settle(
        _ name: SessionName, holding lock: SessionLock? = nil, _ change: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> SessionRecord {
        let changed: SessionRecord?
        do {
            changed = try await store.update(name, holding: lock) { record in
                if var known = record {
                    change(&known)
                    record = known
                }
                return record
            }
        } catch {
            throw error.failure
        }
        guard let changed else {
            throw AuthFailure(
                .notSignedIn, "the session \(name) was signed out meanwhile", hint: "sign in with: yett login \(name.provider)")
        }
        return changed
    }

    /// A guest's session, made where nobody is signed in and the kind has guests.
    private func guestRecord(of adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord? {
        guard let grant = try await adapter.guest(after: nil) else { return nil }
        return try await storeGuest(grant, of: adapter)
    }

    public func keepGuest(_ grant: Grant, for provider: ProviderName) async {
        guard let adapter = adapters[provider], let known = try? await sessions(),
            known.allSatisfy({ $0.name.provider != provider || $0.isNobodys })
        else { return }
        // It is the least that there can be: where it cannot be kept, nothing is lost.
        _ = try? await storeGuest(grant, of: adapter)
    }

    func storeGuest(_ grant: Grant, of adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord {
        let record = try record(of: grant, provider: adapter.configuration.name, label: SessionSummary.guestSubject, adapter: adapter)
        do {
            let kept = try await store.store(record, label: .suggested)
            await announceSessions()
            return kept
        } catch {
            throw error.failure
        }
    }

    /// Forgets the guest whose session became somebody's.
    func forgetGuest(at provider: ProviderName) async {
        guard let known = try? await sessions() else { return }
        for session in known where session.name.provider == provider && session.isNobodys { _ = try? await store.delete(session.name) }
    }

    private func grant(_ token: ResourceToken, of record: SessionRecord) throws(AuthFailure) -> TokenGrant {
        guard let tokens = record.tokens else { throw Self.grantIsDead(record) }
        var grant = TokenGrant(
            token: tokens.accessToken, tokenType: tokens.tokenType, expiresAt: tokens.accessExpiresAt, scopes: tokens.scopes,
            session: record.summary.name)
        grant.certificate = try adapter(for: record.summary.name.provider).certificate(of: record)
        switch token {
        case .own(let fields): grant.fields = fields.map { TokenGrant.Field($0.name, $0.value) }
        case .another(let secret, let end, let fields):
            grant.token = secret
            grant.expiresAt = end
            grant.fields = fields.map { TokenGrant.Field($0.name, $0.value) }
        }
        return grant
    }
}
