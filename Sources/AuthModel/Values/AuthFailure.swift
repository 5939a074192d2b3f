/// A failed operation: what happened, and what the user can do next, as codes with arguments.
///
/// The catalogues have the texts: one line in lower case without a full stop.
public struct AuthFailure: Error, Equatable, Sendable {
    /// The class of a failure, which decides what happens next. Each class has its own exit code.
    public enum Kind: Equatable, Sendable {
        /// A bug or an unexpected error.
        case bug
        /// The configuration, the store or the machine must be fixed first.
        case configuration
        /// The user cancelled.
        case cancelled
        /// The user, browser or provider did not answer before the deadline.
        case timedOut
        /// The provider refused. `code` is its OAuth error code, or `nil` if it sent none.
        case denied(code: String?)
        /// The grant is no longer valid. The user must sign in again.
        case signInAgain
        /// A network or server problem. A later attempt may succeed, but not before `retryAfter` if the server sent one.
        case unavailable(retryAfter: Duration?)
        /// A security check failed. Continuing could harm the user.
        case security
        /// The session does not exist.
        case notSignedIn
        /// The session already exists.
        case alreadySignedIn
        /// The command line is wrong.
        case usage

        /// The authorization server does not know the client (RFC 6749 section 5.2). Yett then registers its own client again.
        public static let unknownClient = Kind.denied(code: "invalid_client")
    }

    /// The number of times that the same request may be sent again immediately, even if it carries a single-use credential.
    public enum RetryPolicy: Sendable {
        /// Never: the server may have processed the request.
        case none
        /// Only by a later command: the response was cut off or is unreadable, so the server has probably processed the request.
        case later
        /// Once: the connection closed before the first byte of a response. The server may have processed the request, but there is no
        /// other way to continue.
        case once
        /// Without a limit: the server was unreachable, or refused the request because of overload (429, 503).
        case freely
    }

    /// The class of the failure.
    public var kind: Kind
    /// The summary.
    public var message: UserMessage
    /// The next step for the user; `nil` if the message says it.
    public var hint: UserMessage?
    /// Whether the same request may be sent again immediately. Equality ignores it, because it describes how to continue and not what
    /// happened.
    public var retryPolicy = RetryPolicy.none
    /// The issuer that the provider's metadata name in place of the requested one; `nil` for other failures. Equality ignores it, because
    /// the message says it.
    package var namedIssuer: String?
    /// The number of callbacks that did not belong to this sign-in and arrived before its time limit; `nil` if the failure has another
    /// cause.
    public var ignoredCallbackCount: Int?

    /// Creates a failure that permits no repetition.
    public init(_ kind: Kind, _ message: UserMessage, hint: UserMessage? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// Creates a failure from a front end's own English texts.
    public init(_ kind: Kind, text: String, hint: String? = nil) {
        self.init(kind, .verbatim(text), hint: hint.map(UserMessage.verbatim))
    }

    /// The exit code of the program.
    public var exitCode: Int32 {
        switch kind {
        case .bug: 1
        case .configuration: 2
        case .cancelled: 3
        case .timedOut: 4
        case .denied: 5
        case .signInAgain: 6
        case .unavailable: 7
        case .security: 8
        case .notSignedIn: 9
        case .alreadySignedIn: 10
        case .usage: 64
        }
    }

    /// Compares everything except ``retryPolicy`` and ``namedIssuer``.
    public static func == (left: AuthFailure, right: AuthFailure) -> Bool {
        left.kind == right.kind && left.message == right.message && left.hint == right.hint
            && left.ignoredCallbackCount == right.ignoredCallbackCount
    }

    /// Whether the same call may succeed later without any change by the user.
    public var isTransient: Bool {
        if case .unavailable = kind { true } else { false }
    }

    /// A sign-in that the user cancelled.
    package static let signInCancelled = AuthFailure(.cancelled, "sign_in.cancelled")

    /// Returns the failure of a sign-in whose hosts may not belong together: its pages, and last the host that gets the tokens.
    package static func hostsNotConfirmed(_ hosts: [String], at provider: ProviderName) -> AuthFailure {
        let pages = hosts.dropLast().joined(separator: ", ")
        return AuthFailure(
            .security, UserMessage(UserMessage.hostsNotConfirmedCode, ["page": pages, "tokens": hosts.last ?? ""]),
            hint: UserMessage("hint.confirm_sign_in_hosts", ["provider": provider]))
    }

    /// The hosts of ``hostsNotConfirmed(_:at:)``; `nil` for other failures.
    package var unconfirmedHosts: [String]? {
        guard message.code == UserMessage.hostsNotConfirmedCode, case .text(let pages)? = message.arguments["page"],
            case .text(let tokens)? = message.arguments["tokens"]
        else { return nil }
        return pages.split(separator: ", ").map(String.init) + [tokens]
    }

    /// Returns the failure for a token that a resource rejected, of a session that is not renewed.
    ///
    /// - Parameter needsSignIn: whether the session has ended with that; otherwise a sign-in has to replace a session that is valid.
    package static func tokenRejected(_ session: SessionName, needsSignIn: Bool) -> AuthFailure {
        AuthFailure(
            .signInAgain, .tokenRejected(session),
            hint: UserMessage(needsSignIn ? "hint.sign_in_again" : "hint.sign_in_again_anyway", ["provider": session]))
    }

    /// Whether the failure is ``tokenRejected(_:needsSignIn:)``.
    package var isTokenRejection: Bool { message.code == UserMessage.tokenRejectedCode }
}

extension UserMessage {
    fileprivate static let hostsNotConfirmedCode = "sign_in.hosts_not_confirmed"
    fileprivate static let tokenRejectedCode = "token.rejected_not_renewable"

    /// Returns the message that a resource rejected the token of a session that cannot be renewed. Such a session keeps it as a warning.
    package static func tokenRejected(_ session: SessionName) -> UserMessage { UserMessage(tokenRejectedCode, ["session": session]) }
}

/// A failure, as `error` in an answer: `{"kind", "summary", "summary_message"?, "hint", "hint_message"?, "exit", "code"?, "retry_after"?,
/// "rejected_callbacks"?}`. `summary` and `hint` are in English; the messages have code and arguments. `code` is the OAuth error.
extension AuthFailure: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        var members: [JSONValue.Member] =
            [
                .init("kind", .string(kind.word))
            ] + message.members("summary", texts) + (hint?.members("hint", texts) ?? [.init("hint", .null)]) + [
                .init("exit", .number(exitCode))
            ]
        if case .denied(let code?) = kind { members.append(.init("code", .string(code))) }
        if case .unavailable(let delay?) = kind { members.append(.init("retry_after", delay.wire)) }
        if let ignoredCallbackCount { members.append(.init("rejected_callbacks", .number(ignoredCallbackCount))) }
        return .object(members)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "error")
        let code = try reader.optionalText("code")
        let delay = try reader.optional("retry_after", Duration.init(wire:))
        let kind: Kind = try reader.required("kind") { $0.string.flatMap { Kind(word: $0, code: code, retryAfter: delay) } }
        self.init(kind, try reader.message("summary"), hint: try reader.optionalMessage("hint"))
        ignoredCallbackCount = try reader.optional("rejected_callbacks", \.integer).map(Int.init(clamping:))
    }
}

extension AuthFailure.Kind {
    /// The kind's name in the protocol.
    fileprivate var word: String {
        switch self {
        case .bug: "bug"
        case .configuration: "configuration"
        case .cancelled: "cancelled"
        case .timedOut: "timed_out"
        case .denied: "denied"
        case .signInAgain: "sign_in_again"
        case .unavailable: "unavailable"
        case .security: "security"
        case .notSignedIn: "not_signed_in"
        case .alreadySignedIn: "already_signed_in"
        case .usage: "usage"
        }
    }

    fileprivate init?(word: String, code: String?, retryAfter: Duration?) {
        let kinds: [AuthFailure.Kind] = [
            .bug, .configuration, .cancelled, .timedOut, .denied(code: code), .signInAgain, .unavailable(retryAfter: retryAfter), .security,
            .notSignedIn, .alreadySignedIn, .usage,
        ]
        guard let kind = kinds.first(where: { $0.word == word }) else { return nil }
        self = kind
    }
}

/// An end without a session, with the members of a failure and the exit status 0: clients of the first version read it as one.
extension NoSession: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .object(
            [.init("kind", .string(reason.rawValue))] + message.members("summary", texts)
                + (hint?.members("hint", texts) ?? [.init("hint", .null)])
                + [.init("exit", .number(0))])
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "error")
        self.init(try reader.word("kind"), try reader.message("summary"), hint: try reader.optionalMessage("hint"))
    }
}
