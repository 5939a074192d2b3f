import AuthModel
import OAuth
import SessionStore

/// Issues tokens: selects the session, checks the policy, renews if it is necessary, and records the use.
struct TokenIssuing: Sendable {
    let context: EngineContext
    let policyCheck: TokenPolicyCheck
    let renewal: TokenRenewal
    let restricted: RestrictedTokenIssuing
    let resources: ResourceTokens

    /// Issues a token. Checks the provider's policy first, and renews the session if it is necessary.
    func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        var request = request
        let record: SessionRecord
        if let resource = request.resource {
            let resource = try CredentialGate.normalized(resource)
            request.resource = resource
            record = try await resources.record(for: request.session, at: resource)
        } else {
            record = try await context.sessions.record(request.session)
        }
        try context.providers.requireOwn(record)
        // Check before the user is asked for consent to an impossible request.
        if request.restrictions != .session { try restricted.validateRestrictions(of: request, for: record) }
        try await policyCheck.admit(request, of: record.summary.name)
        return try await issue(record, for: request)
    }

    /// Issues a token without checking the policy: for the engine itself, and for requests that ``TokenPolicyCheck`` allowed.
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
            issued = try await restricted.token(of: record, for: request)
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

/// Decides by the provider's policy and the user's consent whether a program gets a token or a proof.
struct TokenPolicyCheck: Sendable {
    let context: EngineContext
    let restrictedTokens: RestrictedTokens

    /// Checks that the provider's policy or the user's consent allows this token request. Throws `.denied` otherwise.
    func admit(_ request: TokenRequest, of session: SessionName) async throws(AuthFailure) {
        let program = request.caller ?? "phrase.a_program"
        let refusal: AuthFailure
        switch (policy(of: session), request.consent) {
        case (.allow, _): return
        case (.ask, .given): return await announceConsent(to: request, of: session, program)
        case (.ask, nil): refusal = .consentRequired(session)
        case (.ask, .refused): refusal = .tokenRefused(session, isUnanswered: false)
        case (.ask, .unanswered): refusal = .tokenRefused(session, isUnanswered: true)
        case (.deny, _): refusal = .tokenDenied(session)
        }
        if refusal.isFinalRefusal(request) {
            await context.events.announce(
                .tokenRefused, session, UserMessage("activity.no_token_for_program", ["program": program, "detail": refusal.message]))
        }
        throw refusal
    }

    /// Records which program reported the user's consent.
    private func announceConsent(to request: TokenRequest, of session: SessionName, _ program: UserMessage) async {
        guard let witness = request.witness, witness.process != request.process else {
            return await context.events.announce(
                .consentedByCaller, session, UserMessage("activity.token_consented_by_caller", ["program": program]))
        }
        await context.events.announce(
            .consented, session,
            UserMessage("activity.token_consented_in", ["program": program, "witness": witness.program, "process": witness.process]))
    }

    /// Checks a proof request against the policy. A caller that presents a token of this session needs no new consent for its proof.
    func admit(_ request: ProofRequest, of record: SessionRecord) async throws(AuthFailure) {
        let session = record.summary.name
        let refusal: AuthFailure
        switch policy(of: session) {
        case .allow: return
        case .ask:
            guard request.accessToken != record.tokens?.accessToken, !restrictedTokens.contains(request.accessToken) else { return }
            refusal = .consentRequired(session)
        case .deny: refusal = .tokenDenied(session)
        }
        await context.events.announce(.tokenRefused, session, UserMessage("activity.no_proof", ["detail": refusal.message]))
        throw refusal
    }

    /// Returns the policy of the session's provider; `.allow` if the provider is no longer configured.
    private func policy(of session: SessionName) -> TokenPolicy { context.providers[session.provider]?.configuration.policy ?? .allow }
}
