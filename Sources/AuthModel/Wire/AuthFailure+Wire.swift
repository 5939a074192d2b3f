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
