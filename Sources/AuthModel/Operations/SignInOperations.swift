/// Passes text that the user pasted to an attempt: the complete redirect URL, or a code.
package struct PasteText: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("paste", .post, "/v1/sign-ins/{id}/paste", [])

    package var text: Secret
    package var attempt: SignInAttempt.ID

    package init(_ text: Secret, into attempt: SignInAttempt.ID) {
        self.text = text
        self.attempt = attempt
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        text = try reader.secret("text")
        attempt = try reader.identifier()
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members((OperationRoute.variable, .string(attempt.text)), ("text", .string(text.reveal())))
    }
}

/// Answers the questions of ``SignInEvent/asked(_:)``. If an answer is invalid, throws `.usage` or `.configuration`, and the questions stay
/// open.
package struct SubmitAnswers: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("answer", .post, "/v1/sign-ins/{id}/answer", [])

    package var answers: SignInForm.Answers
    package var attempt: SignInAttempt.ID

    package init(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) {
        self.answers = answers
        self.attempt = attempt
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        answers = try reader.required("answers", SignInForm.Answers.init(wire:))
        attempt = try reader.identifier()
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members((OperationRoute.variable, .string(attempt.text)), ("answers", answers.wire))
    }
}

/// Requests a device code (RFC 8628) as an additional sign-in method of a waiting attempt. Before this returns, the code is reported as
/// ``SignInMethod/device(_:)``; an existing code is reused. See ``SignInEvent/deviceCodeOffered``.
///
/// Throws if the provider issues no code; the attempt continues.
package struct RequestDeviceCode: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("deviceCode", .post, "/v1/sign-ins/{id}/device-code", [])

    package var attempt: SignInAttempt.ID

    package init(for attempt: SignInAttempt.ID) { self.attempt = attempt }
    package init(wire: JSONValue) throws(WireError) { attempt = try WireReader(wire).identifier() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(attempt.text))) }
}

/// Cancels an attempt. When this returns, its port is closed. Its event stream ends with a cancelled failure.
package struct CancelSignIn: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("cancel", .delete, "/v1/sign-ins/{id}", [.worksWhileLocked, .isQuick])

    package var attempt: SignInAttempt.ID

    package init(_ attempt: SignInAttempt.ID) { self.attempt = attempt }
    package init(wire: JSONValue) throws(WireError) { attempt = try WireReader(wire).identifier() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(attempt.text))) }
}

/// Answers the question whether a program gets a token, which is asked where a provider's ``TokenPolicy`` wants that. Throws `.usage` if
/// the question is no longer open.
package struct AnswerQuestion: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("answerQuestion", .post, "/v1/questions/{id}", [.worksWhileLocked, .isQuick])

    package var id: TokenConsentRequest.ID
    package var allows: Bool
    /// The process that passes the user's answer on, for the log; `nil` if it is this one. Never taken from the caller's request.
    package var witness: RequestingProcess?

    package init(_ id: TokenConsentRequest.ID, allows: Bool, from witness: RequestingProcess? = nil) {
        (self.id, self.allows, self.witness) = (id, allows, witness)
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        id = try reader.identifier()
        allows = try reader.flag("allow")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members((OperationRoute.variable, .string(id.text)), ("allow", .bool(allows)))
    }
}

extension SessionService {
    /// Passes text that the user pasted to an attempt: the complete redirect URL, or a code.
    package func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await perform(PasteText(text, into: attempt))
    }

    /// Answers the questions of ``SignInEvent/asked(_:)``.
    package func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await perform(SubmitAnswers(answers, to: attempt))
    }

    /// Requests a device code as an additional sign-in method of a waiting attempt.
    package func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await perform(RequestDeviceCode(for: attempt))
    }

    /// Cancels an attempt. A service that cannot be reached has none.
    package func cancel(_ attempt: SignInAttempt.ID) async { try? await perform(CancelSignIn(attempt)) }

    /// Answers a consent question.
    package func answerQuestion(
        _ id: TokenConsentRequest.ID, allows: Bool, from witness: RequestingProcess? = nil
    ) async throws(AuthFailure) {
        try await perform(AnswerQuestion(id, allows: allows, from: witness))
    }
}

extension SignInRequest: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("provider", .string(provider.text)), ("purpose", .string(purpose.word)),
            ("account", JSONValue(account)), ("flow", .string(flow.rawValue)), ("scopes", JSONValue(scopes.values)),
            ("login_hint", JSONValue(loginHint)), ("prompt", JSONValue(prompt)), ("max_age", maxAge.map { JSONValue.number($0) } ?? .null),
            ("acr_values", JSONValue(acrValues)), ("claims", JSONValue(claims)), ("ui_locales", JSONValue(uiLocales)),
            ("port", port.map { JSONValue.number($0) } ?? .null),
            ("timeout", timeout?.wire ?? .null), ("resources", JSONValue(resources)),
            ("surroundings", surroundings?.wire(texts) ?? .null),
            ("answers", answers.wire), ("other_choices", .bool(allowsOtherChoices)),
            ("replaces_session", .bool(replacesSession)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        func number(_ name: String, _ range: ClosedRange<Int64>) throws(WireError) -> Int? {
            try reader.optional(name) { value in value.integer.flatMap { range.contains($0) ? Int($0) : nil } }
        }
        self.init(provider: try reader.provider())
        purpose = try reader.optional("purpose") { value in Purpose.allCases.first { $0.word == value.string } } ?? .signIn
        account = try reader.optional("account") { value in value.string.flatMap { SessionName.isLabel($0) ? $0 : nil } }
        flow = try reader.optional("flow") { $0.string.flatMap(Flow.init(rawValue:)) } ?? .auto
        let scopes = try reader.optional("scopes", \.strings) ?? []
        guard scopes.allSatisfy(ScopeSet.isScope) else { throw WireError(place: "scopes") }
        self.scopes = ScopeSet(scopes)
        loginHint = try reader.optional("login_hint", Self.line)
        prompt = try reader.optional("prompt", Self.line)
        maxAge = try number("max_age", 0...Int64(Int32.max))
        acrValues = try reader.optional("acr_values", Self.line)
        claims = try reader.optional("claims", Self.line)
        uiLocales = try reader.optional("ui_locales", Self.line)
        port = try number("port", 1...65_535)
        timeout = try reader.optional("timeout") { value in Duration(wire: value).flatMap { $0 <= .zero ? nil : $0 } }
        resources = try reader.optional("resources", \.strings) ?? []
        answers = try reader.optional("answers", SignInForm.Answers.init(wire:)) ?? [:]
        allowsOtherChoices = try reader.optional("other_choices", \.bool) ?? false
        replacesSession = try reader.optional("replaces_session", \.bool) ?? false
        guard resources.allSatisfy({ Self.line(.string($0)) != nil }) else { throw WireError(place: "resources") }
        if reader.value("surroundings") != nil { surroundings = try reader.nested("surroundings") }
    }

    /// Returns text without control characters, at most 4096 bytes; `nil` for anything else.
    private static func line(_ value: JSONValue) -> String? {
        value.string.flatMap { text in
            text.utf8.count <= 4096 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? text : nil
        }
    }
}

extension SignInRequest.Purpose {
    fileprivate var word: String {
        switch self {
        case .signIn: "sign_in"
        case .signUp: "sign_up"
        case .recover: "recover"
        }
    }
}

/// The user's surroundings. The agent's own are those of the command that started it.
extension Surroundings: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("remote", .bool(isRemote)), ("display", .bool(hasDisplay)), ("wsl", .bool(isWSL)),
            ("ssh_server", sshServer.map { .members(("address", .string($0.address)), ("port", .number($0.port))) } ?? .null))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "surroundings")
        self.init(
            isRemote: try reader.flag("remote"), hasDisplay: try reader.flag("display"), isWSL: try reader.flag("wsl"),
            sshServer: try reader.optional("ssh_server") { server in
                guard let address = server["address"]?.string, let port = server["port"]?.integer.flatMap(Int.init(exactly:)) else {
                    return nil
                }
                return SSHServer(address: address, port: port)
            })
    }
}

extension SignInStep: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("id", .string(id))).with(title.members("title", texts)) }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "step")
        self.init(id: try reader.text("id"), title: try reader.message("title"))
    }
}

extension SignInMethod: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .browser(let url, let redirect):
            .members(("way", "browser"), ("url", .string(url.text)), ("redirect", .string(redirect)))
        case .signUpPage(let url): .members(("way", "sign_up_page"), ("url", .string(url.text)))
        case .device(let device):
            .members(
                ("way", "device"), ("user_code", .string(device.userCode)), ("page", .string(device.page.text)),
                ("complete_page", JSONValue(device.completePage?.text)), ("qr_code", JSONValue(device.qrCode)))
        case .sshForward(let command): .members(("way", "ssh_forward"), ("command", .string(command)))
        case .paste: .members(("way", "paste"))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "way")
        switch try reader.text("way") {
        case "browser": self = .browser(url: try reader.url("url"), redirect: try reader.text("redirect"))
        case "sign_up_page": self = .signUpPage(try reader.url("url"))
        case "device":
            self = .device(
                DeviceCodePrompt(
                    userCode: try reader.text("user_code"), page: try reader.url("page"),
                    completePage: try reader.optionalURL("complete_page"),
                    qrCode: try reader.texts("qr_code")))
        case "ssh_forward": self = .sshForward(command: try reader.text("command"))
        case "paste": self = .paste
        default: throw WireError(place: "way")
        }
    }
}
