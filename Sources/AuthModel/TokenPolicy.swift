/// Whether tokens of a provider's sessions leave Yett: `policy` in `[providers.NAME]`.
public enum TokenPolicy: String, Sendable, CaseIterable {
    /// To every program of this user.
    case allow
    /// Where a person consents each time.
    case ask
    /// Never.
    case deny
}

/// Asks a person whether a program may have a token.
public struct TokenConsentRequest: Equatable, Sendable {
    /// Names a question within one session service.
    public struct ID: Hashable, Sendable {
        public let text: String

        public init(_ text: String) { self.text = text }
    }

    public var id: ID
    public var session: SessionName
    public var wanted: TokenRequest.Wanted
    /// What the token is good for.
    public var terms: TokenRestrictions
    /// The program that asks, as the kernel says.
    public var program: String
    /// The process that asks; `nil` where nobody knows.
    public var process: Int32?
    /// When silence counts as a no.
    public var deadline: Timestamp

    /// How long a person has for an answer.
    public static let timeLimit = Duration.seconds(30)

    /// For an answer that comes too late.
    public static let isOver = AuthFailure(.usage, "there is no such question any more", hint: "it was answered, or its time is over")

    public init(
        id: ID, session: SessionName, wanted: TokenRequest.Wanted, terms: TokenRestrictions = .session, program: String, process: Int32?,
        deadline: Timestamp
    ) {
        self.id = id
        self.session = session
        self.wanted = wanted
        self.terms = terms
        self.program = program
        self.process = process
        self.deadline = deadline
    }
}

extension AuthFailure {
    private static let consentWantedCode = "consent_wanted"
    private static let tokenRefusedCode = "hand_out_refused"

    /// The policy is to hand nothing out.
    public static func tokenDenied(_ session: SessionName) -> AuthFailure {
        AuthFailure(
            .denied(code: tokenRefusedCode), "the configuration keeps the tokens of \(session) from every program",
            hint: "policy in [providers.\(session.provider)] is \"deny\"")
    }

    /// The policy is to ask, and nobody was asked.
    public static func consentWanted(_ session: SessionName) -> AuthFailure {
        AuthFailure(
            .denied(code: consentWantedCode), "nobody is there who could consent to handing out a token of \(session)",
            hint: "policy in [providers.\(session.provider)] is \"ask\": keep the app open, or run this in a terminal")
    }

    /// The person who was asked said no, or nothing.
    public static func tokenRefused(_ session: SessionName, isUnanswered: Bool) -> AuthFailure {
        let limit = TokenConsentRequest.timeLimit.wholeSeconds
        return AuthFailure(
            .denied(code: tokenRefusedCode),
            isUnanswered
                ? "nobody consented within \(limit) seconds to handing out a token of \(session)" : "a token of \(session) was refused",
            hint: "policy in [providers.\(session.provider)] is \"ask\"" + (isUnanswered ? "; try again when somebody can answer" : ""))
    }

    /// Whether the same request may succeed with a person's consent.
    public var wantsConsent: Bool { kind == .denied(code: Self.consentWantedCode) }

    /// Whether a policy refused this request, and nobody will be asked about it any more.
    public func refusesFinally(_ request: TokenRequest) -> Bool {
        switch request.asking {
        case .service: wantsConsent || isTokenRefusal
        case .caller: isTokenRefusal
        case .nobody: false
        }
    }

    /// Whether a policy, or the person whom it names, said no.
    public var isTokenRefusal: Bool { kind == .denied(code: Self.tokenRefusedCode) }
}
