internal import AuthModel
internal import SessionStore

/// Decides by the provider's policy and the user's consent whether a program gets a token or a proof.
struct TokenAdmission: Sendable {
    let context: EngineContext
    let narrowedTokens: NarrowedTokens

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
        guard let witness = request.consentConfirmation, witness.process != request.process else {
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
            guard request.accessToken != record.tokens?.accessToken, !narrowedTokens.contains(request.accessToken) else { return }
            refusal = .consentRequired(session)
        case .deny: refusal = .tokenDenied(session)
        }
        await context.events.announce(.tokenRefused, session, UserMessage("activity.no_proof", ["detail": refusal.message]))
        throw refusal
    }

    /// Returns the policy of the session's provider; `.allow` if the provider is no longer configured.
    private func policy(of session: SessionName) -> TokenPolicy { context.providers[session.provider]?.configuration.policy ?? .allow }
}
