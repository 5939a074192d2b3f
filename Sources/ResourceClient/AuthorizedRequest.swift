package import AuthModel
package import OAuth

/// Decides how a request with a session's token continues, from what happened. It does no input or output.
///
/// `yett request`, `yett proxy` and `yett mcp` carry its steps out, each as a ``RequestDriver``. Kinds with one
/// session for each resource use ``ResourceExchange`` instead. Each recovery is taken at most once, in this order:
///
/// 1. a proof with the nonce that the resource has just given, for the same token (RFC 9449 section 9);
/// 2. the sign-in that the challenge names (RFC 9470), because a renewed token does not meet it either;
/// 3. a renewed token in place of the refused one;
/// 4. a sign-in.
///
/// A response that is refused after all of them is final. Redirects are followed within the origin.
package struct AuthorizedRequest: Sendable {
    /// A way to recover from a refusal.
    package enum Recovery: Hashable, Sendable { case nonce, stepUp, renewal, signIn }

    /// A resource's response, as far as it decides what follows.
    package struct Answer: Sendable {
        let status: Int
        let location: String?
        let verdict: TokenVerdict
        /// Whether the resource refused the proof and gave a nonce for the next one.
        let hasNewNonce: Bool

        package init(status: Int, location: String? = nil, verdict: TokenVerdict, hasNewNonce: Bool = false) {
            self.status = status
            self.location = location
            self.verdict = verdict
            self.hasNewNonce = hasNewNonce
        }
    }

    /// An event that the driver reports.
    package enum Event: Sendable {
        /// There is a token; `nil` if the request is sent without one.
        case issued(Secret?)
        /// There is no token, and why.
        case notIssued(AuthFailure)
        /// The provider said whether its resources can be used without a sign-in, after ``Step/checkAnonymousAccess(_:)``.
        case anonymousAccess(Bool, AuthFailure)
        /// The resource answered.
        case answered(Answer)
        /// The sign-in that the last response requires, after ``Step/readChallenge(after:)``.
        case required(StepUp?)
        /// The user has signed in, as requested.
        case signedIn
        /// The session already is as the challenge wants it, so a sign-in would change nothing.
        case stepUpIsUseless
    }

    /// The next thing for the driver to do.
    package enum Step: Equatable, Sendable {
        /// Get a token for ``AuthorizedRequest/request``. `refused` is the token that the resource no longer accepts.
        case authorize(refused: Secret?)
        /// Send ``AuthorizedRequest/request`` with the token.
        case send
        /// Send ``AuthorizedRequest/request`` without a token.
        case sendAnonymously
        /// Ask the provider whether its resources can be used without a sign-in.
        case checkAnonymousAccess(AuthFailure)
        /// Read which sign-in the last response requires. `after` is the one that it required before.
        case readChallenge(after: StepUp?)
        /// Run the sign-in that the resource requires.
        case stepUp(StepUp)
        /// Sign in.
        case signIn(SignInCause)
        /// The last response is the final one.
        case finish
        /// The request failed.
        case fail(AuthFailure)
    }

    /// The reason why the user has to sign in.
    package enum SignInCause: Equatable, Sendable {
        /// There is no token. `afterRefusal`: because the resource refused the last one.
        case noToken(AuthFailure, afterRefusal: Bool)
        /// The resource refused the token, for this reason.
        case refused(UserMessage)
    }

    /// The request without credentials. A redirect changes its URL.
    package private(set) var request: WebRequest
    private let challenge: ChallengeResponse
    private let restrictions: TokenRestrictions
    private var recoveries: Set<Recovery>
    private var redirects: Redirects?
    private var token: Secret?
    private var refused: Secret?
    private var verdict = TokenVerdict.accepted
    private var isAnonymous = false
    private var lastStepUp: StepUp?

    /// Creates the machine for one request.
    ///
    /// - Parameters:
    ///   - request: the request, without credentials.
    ///   - recoveries: the allowed recoveries. Without `stepUp`, challenges are not read.
    ///   - challenge: what to do when the resource requires another sign-in.
    ///   - restrictions: the restrictions of the token, which a sign-in cannot lift.
    ///   - redirects: the redirects that are followed; `nil` if a redirect is a final response.
    package init(
        _ request: WebRequest, recoveries: Set<Recovery> = [.nonce, .stepUp, .renewal, .signIn], challenge: ChallengeResponse = .prompt,
        restrictions: TokenRestrictions = .session, redirects: Redirects? = nil
    ) {
        self.request = request
        self.recoveries = recoveries
        self.challenge = challenge
        self.restrictions = restrictions
        self.redirects = redirects
    }

    package var first: Step { .authorize(refused: nil) }

    /// Returns the step after `event`.
    package mutating func next(after event: Event) -> Step {
        switch event {
        case .issued(let token):
            self.token = token
            return .send
        case .notIssued(let failure):
            guard [.signInAgain, .notSignedIn].contains(failure.kind) else { return .fail(failure) }
            return challenge == .anonymous ? anonymously() : .checkAnonymousAccess(failure)
        case .anonymousAccess(true, _): return anonymously()
        case .anonymousAccess(false, let failure):
            guard challenge == .prompt, spend(.signIn) else { return .fail(failure) }
            return .signIn(.noToken(failure, afterRefusal: refused != nil))
        case .answered(let answer): return answered(answer)
        case .required(let required?): return meet(required)
        case .required(nil): return stepForVerdict()
        case .signedIn:
            refused = nil
            return .authorize(refused: nil)
        case .stepUpIsUseless:
            lastStepUp = nil
            return stepForVerdict()
        }
    }

    /// Uses a recovery up. Returns whether it was still left.
    private mutating func spend(_ recovery: Recovery) -> Bool { recoveries.remove(recovery) != nil }

    private mutating func anonymously() -> Step {
        isAnonymous = true
        return .sendAnonymously
    }

    private mutating func answered(_ answer: Answer) -> Step {
        if answer.hasNewNonce, spend(.nonce) { return .send }
        do throws(AuthFailure) {
            // A service may redirect to its sign-in page in place of a refusal.
            if answer.verdict == .accepted,
                let next = try redirects?.target(of: request, status: answer.status, location: answer.location)
            {
                request.url = next
                return isAnonymous ? .sendAnonymously : .authorize(refused: refused)
            }
        } catch {
            return .fail(error)
        }
        if isAnonymous { return .finish }
        verdict = answer.verdict
        if recoveries.contains(.stepUp), [401, 403].contains(answer.status) { return .readChallenge(after: lastStepUp) }
        return stepForVerdict()
    }

    /// Returns the step after a response that requires no particular sign-in.
    private mutating func stepForVerdict() -> Step {
        switch verdict {
        case .accepted: return .finish
        case .refused:
            // The token request names the refused token, so that concurrent requests with the same token share one renewal: a later one
            // gets the renewed token. A session that cannot be renewed is marked as expired.
            if let token, spend(.renewal) {
                refused = token
                return .authorize(refused: token)
            }
            return signIn(because: "phrase.token_no_longer_accepted")
        case .signInWanted(let reason): return signIn(because: reason)
        }
    }

    private mutating func signIn(because reason: UserMessage) -> Step {
        if challenge == .anonymous { return anonymously() }
        guard challenge == .prompt, spend(.signIn) else { return .finish }
        return .signIn(.refused(reason))
    }

    private mutating func meet(_ required: StepUp) -> Step {
        let host = request.url.origin.authority
        switch challenge {
        case .anonymous: return anonymously()
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

/// The choice of the user for a resource that requires another sign-in.
package enum ChallengeResponse: String, Sendable, CaseIterable {
    /// Run the required sign-in, once.
    case prompt
    /// Fail.
    case fail
    /// Send the request again without a token.
    case anonymous
}

/// The redirects of one request: at most five in a row, and within its origin, so that its credentials never reach another one.
package struct Redirects: Sendable {
    private let repeatsBodies: Bool
    private let returnsOthers: Bool
    private var count = 0

    private static let limit = 5

    /// Creates the redirects of a request.
    ///
    /// - Parameters:
    ///   - repeatsBodies: whether a request with a body is sent again after a status that allows it (RFC 9110 sections 15.4.8 and 15.4.9).
    ///   - returnsOthers: whether a redirect that is not followed is a final response, and no failure.
    package init(repeatsBodies: Bool = false, returnsOthers: Bool = false) {
        self.repeatsBodies = repeatsBodies
        self.returnsOthers = returnsOthers
    }

    /// Returns where a response leads; `nil` for a final one. Throws for too many redirects, and, unless they are final responses, for
    /// another origin and for a request that must not be repeated.
    package mutating func target(of request: WebRequest, status: Int, location: String?) throws(AuthFailure) -> WebURL? {
        let found: WebURL?
        do throws(AuthFailure) {
            found = try request.redirect(status: status, location: location, repeatsBody: repeatsBodies)
        } catch {
            guard returnsOthers else { throw error }
            return nil
        }
        guard let next = found else { return nil }
        count += 1
        guard count <= Self.limit else { throw request.redirectLoop }
        return next
    }
}
