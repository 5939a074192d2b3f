public import AuthModel
internal import SessionStore

/// Tokens for one resource: selects the session and the token.
extension Engine {
    /// Returns the record for a token request.
    ///
    /// With a resource and without an account, it is the session with the most specific claim on the resource; a kind may create a guest
    /// session if there is none. A resource that may get no token is refused, whichever account is named.
    func record(for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        guard let resource = request.resource else { return try await record(request.session) }
        let adapter = try adapter(for: request.session.provider)
        let gate = CredentialGate(adapter.configuration)
        guard request.session.account == nil else {
            let named = try await record(request.session)
            try requireOwn(named)
            guard adapter.claim(of: named.summary, on: resource) != nil else { throw gate.refusal(of: resource) }
            return named
        }
        let here = try await sessions().filter { $0.name.provider == request.session.provider }
        let claims = here.compactMap { session in adapter.claim(of: session, on: resource).map { (session, $0) } }
        let best = claims.map(\.1).max()
        let fitting = claims.filter { $0.1 == best }.map(\.0)
        if let chosen = await chosen(of: fitting) { return try await record(chosen.name) }
        guard fitting.isEmpty else { throw fitting.ambiguity(at: request.session.provider) }
        guard gate.admits(resource) || gate.discoversServers else { throw gate.refusal(of: resource) }
        if let guest = try await guestRecord(of: adapter) { return guest }
        throw AuthFailure(
            .notSignedIn, "not signed in for \(resource.origin.authority): \(request.session)",
            hint: "sign in with: yett login \(request.session.provider)")
    }

    /// Returns the record with a new token in place of one that a resource refused.
    func recovered(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        if record.summary.isRenewable, !request.mayRenew { try await expire(record) }
        guard record.summary.isRenewable, request.mayRenew else {
            throw AuthFailure(
                .signInAgain, "the token of \(name) was rejected, and cannot be renewed",
                hint: "sign in again with: yett login \(name.shellWord)")
        }
        guard try adapter(for: name.provider).mayRenewNow(record) else {
            throw AuthFailure(
                .signInAgain, "the session \(name) was just renewed, but its token was rejected",
                hint: "wait a minute, or sign in again with: yett login \(name.shellWord)")
        }
        do throws(AuthFailure) {
            return try await renewed(record)
        } catch {
            // If the provider's own server refused the token, it is expired for every caller, and the next request renews it.
            let gate = CredentialGate(try adapter(for: name.provider).configuration)
            if error.isTransient, let resource = request.resource, gate.isProviderURL(resource, issuer: record.identity.issuer) {
                try? await expire(record)
            }
            throw error
        }
    }

    /// Marks a token that a resource refused as expired, so that the next caller gets a new one. Sends no request.
    private func expire(_ seen: SessionRecord) async throws(AuthFailure) {
        let now = environment.time.now
        _ = try await settle(seen.summary.name) { record in
            guard record.tokens?.accessToken == seen.tokens?.accessToken else { return }
            record.tokens?.accessExpiresAt = now
            record.summary.accessExpiresAt = now
        }
        await announceSessions()
    }

    /// Replaces the session's access token `old` with `token`, which came from `resource`. Does nothing if `old` is no longer the current
    /// one.
    ///
    /// - Throws: `.security` if `resource` is not a place of the session's provider.
    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        let seen = try await record(session)
        let name = seen.summary.name
        let adapter = try ownAdapter(of: seen)
        guard CredentialGate(adapter.configuration).isProviderURL(resource, issuer: seen.identity.issuer) else {
            throw AuthFailure(
                .security, "\(resource.origin.authority) does not issue tokens of \(name)", hint: "the session is unchanged")
        }
        _ = try await settle(name) { record in
            if record.tokens?.accessToken == old { record.tokens?.accessToken = token }
        }
    }

    /// Issues a token for a resource, from a record whose own token is fresh.
    func grant(
        for resource: WebURL, _ request: TokenRequest, of seen: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> IssuedToken {
        var record = seen
        var isSecondTry = false
        while true {
            if let held = adapter.knownToken(for: resource, of: record, refused: request.refused) {
                return try grant(held, for: resource, of: record)
            }
            do throws(AuthFailure) {
                return try await fetchedGrant(for: resource, request, of: record, adapter: adapter)
            } catch  where error.kind == .signInAgain && !isSecondTry && record.summary.isRenewable && request.mayRenew {
                record = try await renewed(record)
                isSecondTry = true
            }
        }
    }

    /// Fetches the resource's own token under the session's lock, so that concurrent callers fetch it once.
    private func fetchedGrant(
        for resource: WebURL, _ request: TokenRequest, of record: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> IssuedToken {
        let name = record.summary.name
        let lock = try await lock(name)
        defer { lock.release() }
        let current = try await self.record(name)
        if let held = adapter.knownToken(for: resource, of: current, refused: request.refused) {
            return try grant(held, for: resource, of: current)
        }
        let (token, extras) = try await adapter.fetchToken(for: resource, of: current, login: request.webServerLogin)
        let kept = try await settle(name, holding: lock) { $0.extras = extras }
        return try grant(token, for: resource, of: kept)
    }

    /// Writes a change to one record durably and returns the record.
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
                .notSignedIn, "the session \(name) was signed out in the meantime", hint: "sign in with: yett login \(name.provider)")
        }
        return changed
    }

    /// Creates a guest session, if the kind has guests.
    private func guestRecord(of adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord? {
        guard let grant = try await adapter.guest(after: nil) else { return nil }
        return try await storeGuest(grant, of: adapter)
    }

    /// Stores a guest session, if the provider has no session of a user. Ignores a failed write.
    public func keepGuest(_ grant: SignInResult, for provider: ProviderName) async {
        guard let adapter = adapters[provider], let known = try? await sessions(),
            known.allSatisfy({ $0.name.provider != provider || $0.isAnonymousGuest })
        else { return }
        // A guest session holds nothing of value, so a failed write loses nothing.
        _ = try? await storeGuest(grant, of: adapter)
    }

    func storeGuest(_ grant: SignInResult, of adapter: any ProviderAdapter) async throws(AuthFailure) -> SessionRecord {
        let record = try record(of: grant, provider: adapter.configuration.name, label: SessionSummary.guestSubject, adapter: adapter)
        do {
            let kept = try await store.store(record, label: .suggested)
            await announceSessions()
            return kept
        } catch {
            throw error.failure
        }
    }

    /// Deletes the guest session after a user has signed in.
    func forgetGuest(at provider: ProviderName) async {
        guard let known = try? await sessions() else { return }
        for session in known where session.name.provider == provider && session.isAnonymousGuest {
            _ = try? await store.delete(session.name)
        }
    }

    /// Binds a restricted token to the resource that it was requested for. Throws `.security` if it may not be sent there.
    func bind(_ grant: inout IssuedToken, to resource: WebURL, of record: SessionRecord) throws(AuthFailure) {
        let gate = CredentialGate(try adapter(for: record.summary.name.provider).configuration)
        guard gate.admits(resource, issuer: record.identity.issuer) else { throw gate.refusal(of: resource) }
        grant.resource = resource
    }

    /// Returns the adapter of a session that was made at the configured issuer of its provider.
    func ownAdapter(of record: SessionRecord) throws(AuthFailure) -> any ProviderAdapter {
        try requireOwn(record)
        return try adapter(for: record.summary.name.provider)
    }

    /// Throws if the session was made at another issuer than its provider is configured with: its tokens belong to that issuer. Passes if
    /// the provider is no longer configured, because then no server can receive the tokens.
    func requireOwn(_ record: SessionRecord) throws(AuthFailure) {
        let name = record.summary.name
        guard let adapter = adapters[name.provider], !adapter.isOwn(record) else { return }
        throw AuthFailure(
            .configuration, "the configuration of \(name.provider) has changed since \(name) signed in",
            hint: "restore its configuration, or sign in again with: yett login \(name.provider)")
    }

    /// Issues the token for `resource` only.
    ///
    /// Throws `.security` if a token of the session may not be sent there: ``CredentialGate`` decides for the session's own token,
    /// regardless of the kind's decision; a server's token goes only to that server.
    private func grant(_ token: ResourceToken, for resource: WebURL, of record: SessionRecord) throws(AuthFailure) -> IssuedToken {
        guard let tokens = record.tokens else { throw Self.sessionEnded(record) }
        let gate = CredentialGate(try adapter(for: record.summary.name.provider).configuration)
        let isAdmitted =
            switch token {
            case .own: gate.admits(resource, issuer: record.identity.issuer)
            case .another(_, let server, _, _): resource.lies(in: server)
            }
        guard isAdmitted else { throw gate.refusal(of: resource) }
        var grant = IssuedToken(
            token: tokens.accessToken, tokenType: tokens.tokenType, expiresAt: tokens.accessExpiresAt, scopes: tokens.scopes,
            session: record.summary.name)
        grant.certificate = try adapter(for: record.summary.name.provider).certificate(of: record)
        grant.resource = resource
        switch token {
        case .own(let fields): grant.fields = fields.map { IssuedToken.Field($0.name, $0.value) }
        case .another(let secret, _, let end, let fields):
            grant.token = secret
            grant.expiresAt = end
            grant.fields = fields.map { IssuedToken.Field($0.name, $0.value) }
        }
        return grant
    }
}
