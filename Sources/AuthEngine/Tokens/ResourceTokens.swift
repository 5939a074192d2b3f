import AuthModel
import OAuth
import SessionStore

/// Tokens for one resource: selects the session and the token.
struct ResourceTokens: Sendable {
    let context: EngineContext
    let renewal: TokenRenewal
    let guests: GuestSessions

    // MARK: The session

    /// Returns the record for a token request of a session for a resource.
    ///
    /// Without an account, it is the session with the highest priority for the resource; a kind may create a guest session if there is
    /// none. A resource that may get no token is refused, whichever account is named.
    func record(for session: SessionName, at resource: WebURL) async throws(AuthFailure) -> SessionRecord {
        let adapter = try context.providers.adapter(for: session.provider)
        let gate = CredentialGate(adapter.configuration)
        guard session.account == nil else {
            let named = try await context.sessions.record(session)
            try context.providers.requireOwn(named)
            guard adapter.priority(of: named.summary, for: resource) != nil || gate.admits(resource, of: named) else {
                throw gate.refusal(of: resource)
            }
            return named
        }
        let here = try await context.sessions.all(at: session.provider)
        var priorities = here.compactMap { known in adapter.priority(of: known, for: resource).map { (known, $0) } }
        if gate.learnsHosts {
            for known in here {
                let record = try await context.sessions.record(known.name)
                // A session's own host is more specific than the hosts of all sessions.
                if gate.isOwnHost(resource, of: record) { priorities.append((known, 1)) }
            }
        }
        let best = priorities.map(\.1).max()
        let fitting = priorities.filter { $0.1 == best }.map(\.0)
        if let chosen = await context.sessions.accounts.chosen(of: fitting) { return try await context.sessions.record(chosen.name) }
        guard fitting.isEmpty else { throw fitting.ambiguity(at: session.provider) }
        guard gate.admits(resource) || gate.discoversServers else { throw gate.refusal(of: resource) }
        if let guest = try await guests.create(by: adapter) { return guest }
        throw AuthFailure(
            .notSignedIn, UserMessage("session.not_signed_in_for", ["host": resource.origin.authority, "session": session]),
            hint: UserMessage("hint.sign_in", ["provider": session.provider]))
    }

    // MARK: The token

    /// Issues a token for a resource, from a record whose own token is fresh.
    func token(
        for resource: WebURL, _ request: TokenRequest, of seen: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> IssuedToken {
        var record = seen
        var isSecondTry = false
        while true {
            if let known = adapter.knownToken(for: resource, of: record, refused: request.refused) {
                return try issue(known, for: resource, of: record)
            }
            do throws(AuthFailure) {
                return try await fetchedToken(for: resource, request, of: record, adapter: adapter)
            } catch  where error.kind == .signInAgain && !isSecondTry && record.summary.isRenewable && request.mayRenew {
                record = try await renewal.renewed(record)
                isSecondTry = true
            }
        }
    }

    /// Fetches the resource's own token under the session's lock, so that concurrent callers fetch it once.
    private func fetchedToken(
        for resource: WebURL, _ request: TokenRequest, of record: SessionRecord, adapter: any ProviderAdapter
    ) async throws(AuthFailure) -> IssuedToken {
        // Another machine may not choose where this one sends requests, nor hold the session's lock while a server is slow.
        guard !request.isForwarded else { throw CredentialGate(adapter.configuration).refusal(of: resource) }
        let name = record.summary.name
        let lock = try await context.sessions.lock(name)
        defer { lock.release() }
        let current = try await context.sessions.record(name)
        if let known = adapter.knownToken(for: resource, of: current, refused: request.refused) {
            return try issue(known, for: resource, of: current)
        }
        guard let fetched = try await adapter.fetchToken(for: resource, of: current, login: request.webServerLogin) else {
            throw CredentialGate(adapter.configuration).refusal(of: resource)
        }
        let kept = try await context.sessions.change(name, holding: lock) { $0.extras = fetched.extras }
        return try issue(fetched.token, for: resource, of: kept)
    }

    /// Issues the token for `resource` only.
    ///
    /// Throws `.security` if a token of the session may not be sent there: ``CredentialGate`` decides for the session's own token, also
    /// if the kind decided otherwise; a server's token goes only to that server.
    private func issue(_ token: ResourceToken, for resource: WebURL, of record: SessionRecord) throws(AuthFailure) -> IssuedToken {
        var issued = try record.issuedToken(.access)
        let adapter = try context.providers.adapter(for: record.summary.name.provider)
        let gate = CredentialGate(adapter.configuration)
        let isAdmitted =
            switch token {
            case .own: gate.admits(resource, of: record)
            case .another(_, let server, _, _): resource.lies(in: server)
            }
        guard isAdmitted else { throw gate.refusal(of: resource) }
        issued.certificate = adapter.certificate(of: record)
        issued.resource = resource
        switch token {
        case .own(let fields): issued.fields = fields
        case .another(let secret, _, let end, let fields):
            issued.token = secret
            issued.expiresAt = end
            issued.fields = fields
        }
        return issued
    }

    /// Binds a restricted token to the resource that it was requested for. Throws `.security` if it may not be sent there.
    func bind(_ issued: inout IssuedToken, to resource: WebURL, of record: SessionRecord) throws(AuthFailure) {
        let gate = CredentialGate(try context.providers.adapter(for: record.summary.name.provider).configuration)
        guard gate.admits(resource, of: record) else { throw gate.refusal(of: resource) }
        issued.resource = resource
    }

    // MARK: A resource's answer

    /// Replaces the session's access token `old` with `token`, which came from `resource`. Does nothing if `old` is no longer the current
    /// one.
    ///
    /// - Throws: `.security` if `resource` is not a place of the session's provider.
    func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        let seen = try await context.sessions.record(session)
        let name = seen.summary.name
        let adapter = try context.providers.ownAdapter(of: seen)
        guard CredentialGate(adapter.configuration).isProviderURL(resource, issuer: seen.identity.issuer) else {
            throw AuthFailure(
                .security, UserMessage("resource.not_token_issuer", ["host": resource.origin.authority, "session": name]),
                hint: "hint.session_unchanged")
        }
        _ = try await context.sessions.change(name) { record in
            if record.tokens?.accessToken == old { record.tokens?.accessToken = token }
        }
    }
}

extension CredentialGate {
    /// Whether the token of a session may be sent to `resource`.
    fileprivate func admits(_ resource: WebURL, of record: SessionRecord) -> Bool {
        admits(resource, issuer: record.identity.issuer, apiHost: SessionExtras(record.extras).apiHost)
    }

    /// Whether `resource` is at the session's own API host.
    fileprivate func isOwnHost(_ resource: WebURL, of record: SessionRecord) -> Bool {
        learnsHosts && SessionExtras(record.extras).apiHost?.origin == resource.origin
    }
}

/// Signs DPoP proofs with the keys of sessions (RFC 9449).
struct ResourceProof: Sendable {
    let context: EngineContext
    let policyCheck: TokenPolicyCheck

    /// Returns a DPoP proof for one request to a resource, signed with the session's key (RFC 9449 section 7.1).
    func proof(_ request: ProofRequest) async throws(AuthFailure) -> String {
        let record = try await context.sessions.record(request.session)
        try context.providers.requireOwn(record)
        try await policyCheck.admit(request, of: record)
        guard let key = SessionExtras(record.extras).dpopKey else {
            throw AuthFailure(
                .configuration, UserMessage("token.not_bound_to_key", ["session": record.summary.name]), hint: "hint.send_as_bearer")
        }
        guard let method = WebRequest.Method(rawValue: request.method) else {
            throw AuthFailure(.usage, UserMessage("http.unknown_method", ["method": request.method]))
        }
        let url = try CredentialGate.normalized(request.url)
        var random = SystemRandomNumberGenerator()
        do {
            let proved = try WebRequest(method: method, url: url).proved(
                by: key, accessToken: request.accessToken, nonce: request.nonce, now: context.time.now, using: &random)
            return proved.headers.first { $0.name == "DPoP" }?.value ?? ""
        } catch {
            throw error.failure
        }
    }
}
