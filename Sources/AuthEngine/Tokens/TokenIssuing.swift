internal import AuthModel
internal import OAuth
internal import SessionStore

/// Issues tokens: selects the session, checks the policy, renews if it is necessary, and records the use.
struct TokenIssuing: Sendable {
    let context: EngineContext
    let admission: TokenAdmission
    let renewal: TokenRenewal
    let narrowing: TokenNarrowing
    let resources: ResourceTokens

    /// Issues a token. Checks the provider's policy first, and renews the session if it is necessary.
    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        var request = request
        if let resource = request.resource { request.resource = try CredentialGate.normalized(resource) }
        let record = try await resources.record(for: request)
        try context.providers.requireOwn(record)
        // Check before the user is asked for consent to an impossible request.
        if request.restrictions != .session { try narrowing.validateRestrictions(of: request, for: record) }
        try await admission.admit(request, of: record.summary.name)
        return try await issue(record, for: request)
    }

    /// Issues a token without checking the policy: for the engine itself, and for requests that ``TokenAdmission`` allowed.
    func issue(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        try context.providers.requireOwn(record)
        // A revoked session's tokens are kept only to finish its sign-out.
        if record.summary.recordedState == .revoked { throw .sessionEnded(record) }
        var issued: IssuedToken
        var record = record
        if record.isGood(for: request.restrictions) {
            record = try await renewal.current(record, for: request)
            if let resource = request.resource, request.wanted == .access {
                issued = try await resources.token(
                    for: resource, request, of: record, adapter: context.providers.adapter(for: record.summary.name.provider))
            } else {
                issued = try record.issuedToken(request.wanted)
                if let resource = request.resource { try resources.bind(&issued, to: resource, of: record) }
            }
        } else {
            issued = try await narrowing.token(of: record, for: request)
            if let resource = request.resource { try resources.bind(&issued, to: resource, of: record) }
        }
        if request.restrictions == .session, request.wanted == .access, record.expiredOnArrival {
            issued.warning = SessionRecord.expiredOnArrivalWarning
        } else if !record.summary.isRenewable, let end = issued.expiresAt, end - context.time.now < request.minimumValidity {
            let rest = max(0, (end - context.time.now).wholeSeconds)
            issued.warning = UserMessage("token.expires_soon_not_renewable", ["session": record.summary.name, "seconds": rest])
        }
        // Issue a good token even if the store cannot be written and its use is not recorded.
        try? await context.store.markUsed(record.summary.name, at: context.time.now, by: request.caller)
        await context.events.announce(.issued, record.summary.name, request.issuedMessage)
        return issued
    }
}

extension SessionRecord {
    /// Returns the session's own token. Throws if there is none.
    func issuedToken(_ wanted: TokenRequest.Wanted) throws(AuthFailure) -> IssuedToken {
        guard let tokens else { throw .sessionEnded(self) }
        switch wanted {
        case .access:
            return IssuedToken(
                token: tokens.accessToken, tokenType: tokens.tokenType, expiresAt: tokens.accessExpiresAt, scopes: tokens.scopes,
                session: summary.name)
        case .id:
            guard let idToken = tokens.idToken else {
                throw AuthFailure(
                    .configuration, UserMessage("token.no_id_token", ["session": summary.name]), hint: "hint.request_scope_openid")
            }
            return IssuedToken(
                token: idToken, tokenType: "Bearer", expiresAt: idTokenExpiresAt, scopes: tokens.scopes, session: summary.name)
        }
    }
}
