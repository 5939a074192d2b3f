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
        attempt = try reader.attempt()
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
        attempt = try reader.attempt()
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
    package init(wire: JSONValue) throws(WireError) { attempt = try WireReader(wire).attempt() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(attempt.text))) }
}

/// Cancels an attempt. When this returns, its port is closed. Its event stream ends with a cancelled failure.
package struct CancelSignIn: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("cancel", .delete, "/v1/sign-ins/{id}", [.worksWhileLocked, .isQuick])

    package var attempt: SignInAttempt.ID

    package init(_ attempt: SignInAttempt.ID) { self.attempt = attempt }
    package init(wire: JSONValue) throws(WireError) { attempt = try WireReader(wire).attempt() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(attempt.text))) }
}

/// Answers the question whether a program gets a token, which is asked where a provider's ``TokenPolicy`` wants that. Throws `.usage` if the
/// question is no longer open.
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
        id = TokenConsentRequest.ID(try reader.text(OperationRoute.variable))
        allows = try reader.flag("allow")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members((OperationRoute.variable, .string(id.text)), ("allow", .bool(allows)))
    }
}

extension WireReader {
    fileprivate func attempt() throws(WireError) -> SignInAttempt.ID { SignInAttempt.ID(try text(OperationRoute.variable)) }
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
