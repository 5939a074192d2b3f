package import AuthModel
package import OAuth

/// Decides how a request with one session's token continues, from what happened. It does no input or output.
///
/// Each recovery is taken at most once: a renewal, a sign-in, a request without a token. A resource that requires the same step-up sign-in
/// twice is refused by ``OAuth/StepUp``.
package struct SessionExchange: Sendable {
    /// What happened.
    package enum Event: Sendable {
        /// The session has ended and cannot be renewed, so no token was issued.
        case sessionEnded(AuthFailure)
        /// The provider said whether its resources can be used without a sign-in, after ``Step/askWhetherOpen(_:)``.
        case openness(Bool, AuthFailure)
        /// The resource answered. `required` is the sign-in that it requires.
        case answered(TokenVerdict, required: StepUp?, token: Secret)
        /// The user has signed in, as requested.
        case signedIn
    }

    /// What to do next.
    package enum Step: Equatable, Sendable {
        /// Send the request with the current token. `refused` is the token that the resource no longer accepts.
        case send(refused: Secret?)
        /// Send the request without a token; its response is the final one.
        case sendAnonymously
        /// Ask the provider whether its resources can be used without a sign-in.
        case askWhetherOpen(AuthFailure)
        /// Sign in again, for the resource's reason.
        case signIn(reason: UserMessage)
        /// Run the sign-in that the resource requires.
        case stepUp(StepUp)
        /// The response is the final one.
        case finish
        /// The request failed.
        case fail(AuthFailure)
    }

    private enum Recovery: Hashable { case renewal, signIn }

    private let challenge: ChallengeResponse
    private let restrictions: TokenRestrictions
    private let host: String
    private var used: Set<Recovery> = []
    private var refused: Secret?
    /// The last sign-in that the resource required.
    package private(set) var lastStepUp: StepUp?

    /// Creates the machine for one request.
    ///
    /// - Parameters:
    ///   - challenge: what to do when the resource requires another sign-in.
    ///   - restrictions: the restrictions of the token, which a sign-in cannot lift.
    ///   - host: the resource's host, for messages.
    package init(challenge: ChallengeResponse, restrictions: TokenRestrictions, host: String) {
        self.challenge = challenge
        self.restrictions = restrictions
        self.host = host
    }

    /// The first step.
    package var first: Step { .send(refused: nil) }

    /// Returns the step after `event`.
    package mutating func next(after event: Event) -> Step {
        switch event {
        case .sessionEnded(let failure):
            return challenge == .anonymous ? .sendAnonymously : .askWhetherOpen(failure)
        case .openness(let isOpen, let failure):
            if isOpen { return .sendAnonymously }
            guard challenge == .prompt, used.insert(.signIn).inserted else { return .fail(failure) }
            refused = nil
            return .signIn(reason: failure.message)
        case .answered(_, let required?, _): return meet(required)
        case .answered(.taken, nil, _): return .finish
        case .answered(.refused, nil, let token):
            guard used.insert(.renewal).inserted else {
                refused = nil
                return signIn(because: "phrase.token_no_longer_accepted")
            }
            // The token request names the refused token, so that concurrent requests with the same token share one renewal: a later one
            // gets the token of the first renewal. A session that cannot be renewed ends with it.
            refused = token
            return .send(refused: token)
        case .answered(.signInWanted(let reason), nil, _): return signIn(because: reason)
        case .signedIn: return .send(refused: refused)
        }
    }

    private mutating func signIn(because reason: UserMessage) -> Step {
        if challenge == .anonymous { return .sendAnonymously }
        guard challenge == .prompt, used.insert(.signIn).inserted else { return .finish }
        return .signIn(reason: reason)
    }

    private mutating func meet(_ required: StepUp) -> Step {
        switch challenge {
        case .anonymous: return .sendAnonymously
        case .fail:
            return .fail(
                AuthFailure(
                    .denied(code: required.reason.code),
                    UserMessage("resource.requires_another_sign_in", ["host": host, "reason": required.reason.line]),
                    hint: "hint.allow_challenge_prompt"))
        case .prompt:
            let missing = required.scopes.values.filter { !restrictions.scopes.contains($0) }
            guard restrictions.scopes.isEmpty || missing.isEmpty else {
                return .fail(
                    AuthFailure(
                        .denied(code: required.reason.code),
                        UserMessage("resource.requires_excluded_scopes", ["host": host, "scopes": missing.joined(separator: " ")]),
                        hint: "hint.add_or_remove_scope"))
            }
            lastStepUp = required
            return .stepUp(required)
        }
    }
}
