public import AuthModel
internal import OAuth
internal import SessionStore

extension Engine {
    /// Issues a token. Checks the provider's policy first, and renews the session if it is necessary.
    public func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        var request = request
        if let resource = request.resource { request.resource = try CredentialGate.normalized(resource) }
        let record = try await record(for: request)
        try requireOwn(record)
        // Check before the user is asked for consent to an impossible request.
        if request.terms != .session { try validateRestrictions(of: request, for: record) }
        try admit(request, of: record.summary.name)
        return try await issue(record, for: request)
    }

    /// Issues a token without checking the policy: for the engine itself, and for requests that ``admit(_:of:)`` allowed.
    func issue(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        try requireOwn(record)
        // A revoked session's tokens are kept only to finish its sign-out.
        if record.summary.recordedState == .revoked { throw Self.sessionEnded(record) }
        var grant: IssuedToken
        var record = record
        if record.isGood(for: request.terms) {
            record = try await current(record, for: request)
            if let resource = request.resource, request.wanted == .access {
                grant = try await self.grant(for: resource, request, of: record, adapter: adapter(for: record.summary.name.provider))
            } else {
                grant = try self.grant(record, request)
                if let resource = request.resource { try bind(&grant, to: resource, of: record) }
            }
        } else {
            grant = try await narrowed(record, for: request)
            if let resource = request.resource { try bind(&grant, to: resource, of: record) }
        }
        if request.terms == .session, request.wanted == .access, record.expiredOnArrival {
            grant.warning = SessionRecord.expiredOnArrivalWarning
        }
        // Issue a good token even if the store cannot be written and its use is not recorded.
        try? await store.markUsed(record.summary.name, at: environment.time.now, by: request.caller)
        announce(.issued, record.summary.name, "token issued to \(request.caller ?? "a program")\(request.terms.note)")
        return grant
    }

    /// Returns the record with a token that is fresh and that the resource did not refuse.
    func current(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        if let refused = request.refused, record.tokens?.accessToken == refused { return try await recovered(record, for: request) }
        return isFresh(record, request.wanted, for: request.minimumValidity) ? record : try await renewedIfExpiring(record, for: request)
    }

    /// Returns whether the wanted token is valid for at least `validity` from now. True also for a token that does not expire, and for a
    /// missing token, which no renewal brings.
    private func isFresh(_ record: SessionRecord, _ wanted: TokenRequest.Wanted, for validity: Duration) -> Bool {
        guard let tokens = record.tokens else { return false }
        guard let end = wanted == .access ? tokens.accessExpiresAt : record.idTokenExpiresAt else { return true }
        return end - environment.time.now >= validity
    }

    private func renewedIfExpiring(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        guard record.tokens != nil else { throw Self.sessionEnded(record) }
        // The token was renewed a moment ago and had expired on arrival; another renewal would return the same.
        if record.expiredOnArrival, (.zero..<SessionRecord.expiredOnArrivalGrace).contains(environment.time.now - record.summary.receivedAt)
        {
            return record
        }
        let isLive = isFresh(record, request.wanted, for: .milliseconds(1))
        guard request.mayRenew else {
            let end = isLive ? "expires in less than \(request.minimumValidity.wholeSeconds) s" : "has expired"
            throw AuthFailure(
                .signInAgain, "the \(request.wanted.noun) of \(record.summary.name) \(end)",
                hint: record.summary.isRenewable
                    ? "remove --no-renew to allow a renewal" : "sign in again with: yett login \(record.summary.name.provider)")
        }
        guard record.summary.isRenewable else {
            // The session cannot be renewed, so issue the token for its remaining time.
            if isLive { return record }
            throw AuthFailure(
                .signInAgain, "the \(request.wanted.noun) of \(record.summary.name) has expired and cannot be renewed",
                hint: "sign in again with: yett login \(record.summary.name.provider)")
        }
        if request.wanted == .id, SessionExtras(record.extras).isRenewedWithoutIDToken {
            if isLive { return record }
            throw Self.withoutIDToken(record)
        }
        let renewed: SessionRecord
        do {
            // A pause blocks programs that ask for tokens repeatedly, but not a user's explicit renewal.
            if renewals[record.summary.name] == nil { try await requireNoPause(of: record) }
            if isLive, let patience = environment.patience {
                guard let soon = try await self.renewed(record, within: patience) else { return record }
                renewed = soon
            } else {
                renewed = try await self.renewed(record)
            }
        } catch  where isLive && (error.isTransient || error.kind == .configuration) {
            // The provider is unreachable or the store cannot be written, but the current token still works.
            return record
        }
        guard request.wanted == .access || isFresh(renewed, .id, for: .milliseconds(1)) else { throw Self.withoutIDToken(renewed) }
        return renewed
    }

    private func grant(_ record: SessionRecord, _ request: TokenRequest) throws(AuthFailure) -> IssuedToken {
        guard let tokens = record.tokens else { throw Self.sessionEnded(record) }
        switch request.wanted {
        case .access:
            return IssuedToken(
                token: tokens.accessToken, tokenType: tokens.tokenType, expiresAt: tokens.accessExpiresAt, scopes: tokens.scopes,
                session: record.summary.name)
        case .id:
            guard let idToken = tokens.idToken else {
                throw AuthFailure(
                    .configuration, "the session \(record.summary.name) has no ID token", hint: "request the scope openid when you sign in")
            }
            return IssuedToken(
                token: idToken, tokenType: "Bearer", expiresAt: record.idTokenExpiresAt, scopes: tokens.scopes, session: record.summary.name
            )
        }
    }

    private static func withoutIDToken(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, "the ID token of \(record.summary.name) has expired, and renewals do not return a new one",
            hint: "sign in again with: yett login \(record.summary.name.provider)")
    }
}

extension TokenRequest.Wanted {
    /// The token's name in messages.
    fileprivate var noun: String { self == .id ? "ID token" : "token" }
}

extension SessionRecord {
    /// The expiry time of the ID token; `nil` if there is no ID token or it has no such time.
    fileprivate var idTokenExpiresAt: Timestamp? {
        guard let idToken = tokens?.idToken else { return nil }
        let claims = (try? JSONWebSignature(compact: idToken.reveal()))?.unverifiedClaims ?? identity.idTokenClaims
        return claims["exp"]?.double.map(Timestamp.init(seconds:))
    }
}
