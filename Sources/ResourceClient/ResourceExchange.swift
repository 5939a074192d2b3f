package import AuthModel
internal import OAuth

/// Decides how a request continues where the address selects the session, from what happened. It does no input or output.
///
/// The request is sent without a token if there is none for the address. Each recovery is taken at most once: a renewal, a sign-in, a guest
/// session. A write stays with the user whose token was refused.
package struct ResourceExchange: Sendable {
    /// The credentials of a request: a token, or none and why.
    package enum Credentials: Sendable {
        case token(IssuedToken)
        case missing(AuthFailure)
    }

    /// An event that the driver reports.
    package enum Event: Sendable {
        /// The request begins. `isSignedIn`: whether a session of a signed-in user exists.
        case started(isSignedIn: Bool)
        /// The engine issued a token of this session; `nil` if the session is no longer known.
        case issued(IssuedToken, session: SessionSummary?)
        /// There is no token for the address, and why. `hasGuest`: whether a guest session exists.
        case notIssued(AuthFailure, hasGuest: Bool)
        /// A web server in front accepted the user's password after the credentials were selected; the request was not sent.
        case admitted
        /// The request could not be sent.
        case notSent(AuthFailure)
        /// The resource accepted the request, or its response is not about the token.
        case accepted
        /// The resource wants a token, or another one, for its own reason. `session` is the session of the token that was sent.
        case refused(reason: UserMessage?, session: SessionSummary?)
        /// The user has signed in.
        case signedIn
        /// The user chose to continue without a sign-in.
        case signInSkipped
    }

    /// The next thing for the driver to do.
    package enum Step: Sendable {
        /// Select the credentials for the address. `refused` is the token that the resource no longer accepts.
        case select(refused: Secret?)
        /// Send the request, after a warning.
        case send(Credentials, warning: UserMessage?)
        /// Send the request without a token; its response is the final one.
        case sendAnonymously
        /// Sign in, because of this failure.
        case signIn(AuthFailure)
        /// The response is the final one. If it was sent without a token, `withoutToken` says why.
        case finish(withoutToken: AuthFailure?)
        /// The response to a request without a token is the final one, although the resource refused it.
        case finishRefused
        /// The request failed.
        case fail(AuthFailure)
    }

    private enum Recovery: Hashable { case renewal, signIn, guest }

    private let name: SessionName
    private let host: String
    private let challenge: ChallengeResponse
    private let requirement: SessionRequirement
    private let isRead: Bool
    private let confirmsUntrustedCertificates: Bool
    private var used: Set<Recovery> = []
    private var credentials: Credentials?
    private var refused: Secret?
    /// The reason why a read continues with another session than the user's that was refused; `nil` once the user is told.
    private var fallback: AuthFailure?
    /// The user whose write was refused; it is sent again only with that user's session.
    private var writer: SessionName?

    /// Creates the machine for one request.
    ///
    /// - Parameters:
    ///   - name: the session, or the provider, that the user named.
    ///   - host: the resource's host, for messages.
    ///   - challenge: what to do when the resource requires another sign-in.
    ///   - requirement: which sessions the request may use.
    ///   - isRead: whether the request only reads.
    ///   - confirmsUntrustedCertificates: whether a sign-in asks the user about a server certificate that no known authority signed.
    package init(
        name: SessionName, host: String, challenge: ChallengeResponse, requirement: SessionRequirement, isRead: Bool,
        confirmsUntrustedCertificates: Bool
    ) {
        self.name = name
        self.host = host
        self.challenge = challenge
        self.requirement = requirement
        self.isRead = isRead
        self.confirmsUntrustedCertificates = confirmsUntrustedCertificates
    }

    /// Whether the session of a token must be known before the token is sent.
    package var needsSession: Bool { fallback != nil || writer != nil }

    /// Whether the session of a token must be known after the resource refused the token.
    package var needsSessionAfterRefusal: Bool { used.contains(.renewal) ? challenge != .anonymous : !isRead }

    /// Whether a guest session may be used now, after a renewal failed.
    package var mayUseGuest: Bool { requirement == .anybody && used.contains(.renewal) && !used.contains(.guest) }

    /// Returns the step after `event`.
    package mutating func next(after event: Event) -> Step {
        switch event {
        case .started(let isSignedIn):
            if isSignedIn || requirement == .anybody { return .select(refused: nil) }
            return signIn(
                because: AuthFailure(
                    .notSignedIn, UserMessage("session.not_signed_in", ["session": name]),
                    hint: UserMessage("hint.sign_in", ["provider": name.provider])))
        case .issued(let token, let session): return issued(token, session)
        case .notIssued(let failure, let hasGuest): return notIssued(failure, hasGuest: hasGuest)
        case .admitted: return .select(refused: refused)
        case .notSent(let failure): return notSent(failure)
        case .accepted:
            if case .missing(let failure) = credentials { return .finish(withoutToken: failure) }
            return .finish(withoutToken: nil)
        case .refused(let reason, let session): return refused(reason, session)
        case .signedIn: return .select(refused: refused)
        case .signInSkipped: return .sendAnonymously
        }
    }

    // MARK: Credentials

    private mutating func issued(_ token: IssuedToken, _ session: SessionSummary?) -> Step {
        let isUser = session.map { $0.recordedState != .guest } ?? false
        let user: UserMessage = isUser ? .verbatim(token.session.description) : "phrase.a_guest"
        let warning = fallback.map { UserMessage("resource.continuing_as", ["detail": $0.message, "user": user]) }
        fallback = nil
        if let writer, token.session != writer || !isUser { return .fail(otherUser(user, than: writer)) }
        credentials = .token(token)
        return .send(.token(token), warning: warning)
    }

    private mutating func notIssued(_ failure: AuthFailure, hasGuest: Bool) -> Step {
        guard failure.kind == .signInAgain else {
            if let writer { return .fail(otherUser("phrase.anonymous_user", than: writer)) }
            credentials = Credentials.missing(failure)
            return .send(.missing(failure), warning: nil)
        }
        var failure = failure
        refused = nil
        if hasGuest, writer != nil { failure.message = failure.message.followed(by: "phrase.not_sent_again_as_guest") }
        if hasGuest, isRead {
            // The vendor's own client does the same. `--require signed-in` prevents it.
            used.insert(.guest)
            fallback = failure
            return .select(refused: nil)
        }
        return challenge == .anonymous ? .sendAnonymously : signIn(because: failure)
    }

    /// Keeps a write with the user whose token was refused.
    private func otherUser(_ other: UserMessage, than writer: SessionName) -> AuthFailure {
        AuthFailure(
            .signInAgain, UserMessage("resource.not_sent_again_as_other_user", ["session": writer, "user": other]),
            hint: UserMessage("hint.sign_in_again", ["provider": writer]))
    }

    // MARK: Refusals

    private mutating func notSent(_ failure: AuthFailure) -> Step {
        // The sign-in asks the user whether to trust the server.
        guard case .missing = credentials, failure.kind == .security, confirmsUntrustedCertificates, challenge == .prompt,
            used.insert(.signIn).inserted
        else { return .fail(failure) }
        return .signIn(failure)
    }

    private mutating func refused(_ reason: UserMessage?, _ session: SessionSummary?) -> Step {
        switch credentials {
        case .token(let token) where used.insert(.renewal).inserted:
            refused = token.token
            if !isRead, let session, session.recordedState != .guest { writer = token.session }
            return .select(refused: refused)
        case .token where challenge == .anonymous: return .sendAnonymously
        case .token(let token):
            refused = nil
            return signIn(because: refusal(of: token, reason, isGuest: session?.recordedState == .guest))
        case .missing(var failure):
            if challenge == .anonymous { return .finishRefused }
            if let reason, failure.kind == .notSignedIn {
                failure.message = UserMessage("resource.says", ["failure": failure.message, "host": host, "reason": reason])
            }
            return signIn(because: failure)
        case nil: return .fail(AuthFailure(.bug, "resource.refused_before_sent"))
        }
    }

    /// Returns the failure for a resource that refused a token that was just renewed.
    private func refusal(of token: IssuedToken, _ reason: UserMessage?, isGuest: Bool) -> AuthFailure {
        let reason = reason.map { UserMessage("phrase.colon", ["text": $0]) } ?? .empty
        return isGuest
            ? AuthFailure(
                .notSignedIn, UserMessage("resource.guest_not_accepted", ["host": host, "reason": reason]),
                hint: UserMessage("hint.sign_in", ["provider": name.provider]))
            : AuthFailure(
                .signInAgain, UserMessage("resource.renewed_token_refused", ["host": host, "reason": reason]),
                hint: UserMessage("hint.sign_in_again_anyway", ["provider": token.session]))
    }

    /// Signs in if the options allow it and no sign-in has run for this request; otherwise fails.
    private mutating func signIn(because failure: AuthFailure) -> Step {
        guard challenge == .prompt, failure.kind != .security, used.insert(.signIn).inserted else { return .fail(failure) }
        return .signIn(failure)
    }
}

/// The sessions that a request may use.
package enum SessionRequirement: Sendable {
    /// Any session, including a guest session.
    case anybody
    /// A session of a signed-in user only.
    case signedIn
}
