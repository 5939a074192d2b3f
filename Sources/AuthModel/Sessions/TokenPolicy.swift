/// Whether Yett issues tokens of a provider's sessions to programs: `policy` in `[providers.NAME]`.
public enum TokenPolicy: String, Sendable, CaseIterable {
    /// To all programs of this user.
    case allow
    /// Only with the user's consent, each time.
    case ask
    /// Never.
    case deny
}

/// A question to the user whether a program may have a token.
public struct TokenConsentRequest: Equatable, Sendable {
    /// The identifier of a question within one session service.
    public typealias ID = Identifier<TokenConsentRequest>

    /// The identifier of the question.
    public var id: ID
    /// The session whose token is requested.
    public var session: SessionName
    /// The type of the requested token.
    public var wanted: TokenRequest.Wanted
    /// The scopes and audience of the token.
    public var restrictions: TokenRestrictions
    /// The requesting program, as reported by the kernel.
    public var program: UserMessage
    /// The requesting process; `nil` if unknown.
    public var process: Int32?
    /// The purpose of the token in the program's words, such as a registry, otherwise the host of the resource; `nil` if both are unknown.
    public var destination: String?
    /// The role or the list that the program gets in place of the token, as the session service knows it; `nil` for the token.
    public var subject: TokenRequest.RoleSubject?
    /// When a missing answer counts as a refusal.
    public var deadline: Timestamp

    /// The time limit for an answer.
    public static let timeLimit = Duration.seconds(30)

    /// Returns the time after a refusal in which the user is not asked again about the same program and session: long for another machine,
    /// and for a program here just so long that its repetitions ask no question, and the user can soon try again.
    public static func mutedTime(isForwarded: Bool) -> Duration { isForwarded ? .seconds(300) : .seconds(5) }

    /// The failure for an answer that arrives too late.
    public static let isOver = AuthFailure(.usage, "restriction.question_gone", hint: "hint.question_answered_or_expired")

    package init(
        id: ID, session: SessionName, wanted: TokenRequest.Wanted, restrictions: TokenRestrictions = .session, program: UserMessage,
        process: Int32?, destination: String? = nil, subject: TokenRequest.RoleSubject? = nil, deadline: Timestamp
    ) {
        self.id = id
        self.session = session
        self.wanted = wanted
        self.restrictions = restrictions
        self.program = program
        self.process = process
        self.destination = destination
        self.subject = subject
        self.deadline = deadline
    }
}

extension AuthFailure {
    private static let consentRequiredCode = "consent_wanted"
    private static let tokenRefusedCode = "token_refused"

    /// Returns the failure for the policy `deny`.
    public static func tokenDenied(_ session: SessionName) -> AuthFailure {
        AuthFailure(
            .denied(code: tokenRefusedCode), UserMessage("restriction.tokens_denied", ["session": session]),
            hint: UserMessage("hint.policy_is_deny", ["provider": session.provider]))
    }

    /// Returns the failure for a program that the user blocked.
    public static func programBlocked(_ program: String) -> AuthFailure {
        AuthFailure(
            .denied(code: tokenRefusedCode), UserMessage("restriction.program_blocked", ["program": program]),
            hint: "hint.unblock_program")
    }

    /// Returns the failure for the policy `ask` if the user could not be asked.
    public static func consentRequired(_ session: SessionName) -> AuthFailure {
        AuthFailure(
            .denied(code: consentRequiredCode), UserMessage("restriction.consent_needed", ["session": session]),
            hint: UserMessage("hint.policy_is_ask_open_app", ["provider": session.provider]))
    }

    /// Returns the failure for a question that the user refused or did not answer.
    public static func tokenRefused(_ session: SessionName, isUnanswered: Bool) -> AuthFailure {
        let limit = TokenConsentRequest.timeLimit.wholeSeconds
        return AuthFailure(
            .denied(code: tokenRefusedCode),
            isUnanswered
                ? UserMessage("restriction.no_consent_in_time", ["seconds": limit, "session": session])
                : UserMessage("restriction.consent_refused", ["session": session]),
            hint: UserMessage(isUnanswered ? "hint.policy_is_ask_try_again" : "hint.policy_is_ask", ["provider": session.provider]))
    }

    /// Returns the failure for a program that asks again a short while after the user refused.
    ///
    /// - Parameter pause: the time until the user is asked again.
    public static func tokenRefusedBefore(_ session: SessionName, pause: Duration) -> AuthFailure {
        AuthFailure(
            .denied(code: tokenRefusedCode), UserMessage("restriction.asks_again_too_soon", ["session": session]),
            hint: UserMessage("hint.try_again_in_seconds", ["seconds": max(1, pause.wholeSeconds)]))
    }

    /// Whether the same request may succeed with the user's consent.
    public var needsConsent: Bool { kind == .denied(code: Self.consentRequiredCode) }

    /// Returns whether a policy refused this request and the user will not be asked again.
    public func isFinalRefusal(_ request: TokenRequest) -> Bool {
        switch request.asking {
        case .service: needsConsent || isTokenRefusal
        case .caller: isTokenRefusal
        case .noPrompt: false
        }
    }

    /// Whether the user refused, and not a policy or the lack of an answer.
    public var isRefusalByUser: Bool { isTokenRefusal && message.code == "restriction.consent_refused" }

    /// Whether a policy or the user refused.
    public var isTokenRefusal: Bool { kind == .denied(code: Self.tokenRefusedCode) }
}
