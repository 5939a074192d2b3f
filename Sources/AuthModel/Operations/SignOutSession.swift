/// Ends a session. When this returns, the session is deleted locally, regardless of the provider's response.
package struct SignOutSession: SessionOperation {
    package typealias Reply = SignOutReceipt
    package static let route = OperationRoute("signOut", .post, "/v1/sign-out", [.isRepeatable, .countsAsUse, .changesTokens])

    package var session: SessionName
    package var mode: SignOutMode

    package init(_ session: SessionName, mode: SignOutMode) {
        self.session = session
        self.mode = mode
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        session = try reader.session()
        mode = reader.value("mode") == nil ? .revoke : try reader.nested("mode")
    }

    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("session", .string(session.description)), ("mode", mode.wire(texts)))
    }
}

/// Waits until the user's browser returns from ``SignOutReceipt/browserURL``, and returns the outcome of the step
/// ``SignOutReceipt/Step/endBrowserSession``. The session is already deleted locally. This is asked once per sign-out.
///
/// Throws `.cancelled` if the task is cancelled or ``StopWaitingForBrowser`` is asked; the port is then closed.
package struct AwaitBrowserReturn: SessionOperation {
    package typealias Reply = SignOutReceipt.Outcome
    package static let route = OperationRoute("browserReturn", .get, "/v1/browser-returns/{id}", [.worksWhileLocked])

    package var id: BrowserReturn.ID

    package init(_ id: BrowserReturn.ID) { self.id = id }
    package init(wire: JSONValue) throws(WireError) { id = try WireReader(wire).identifier() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(id.text))) }
}

/// Stops waiting for a browser. When this returns, its port is closed.
package struct StopWaitingForBrowser: SessionOperation {
    package typealias Reply = Void
    package static let route = OperationRoute("stopWaiting", .delete, "/v1/browser-returns/{id}", [.worksWhileLocked, .isQuick])

    package var id: BrowserReturn.ID

    package init(_ id: BrowserReturn.ID) { self.id = id }
    package init(wire: JSONValue) throws(WireError) { id = try WireReader(wire).identifier() }
    package func wire(_ texts: MessageTexts) -> JSONValue { .members((OperationRoute.variable, .string(id.text))) }
}

extension SessionService {
    /// Ends a session. When this returns, the session is deleted locally, regardless of the provider's response.
    package func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        try await perform(SignOutSession(name, mode: mode))
    }

    /// Waits until the user's browser returns from ``SignOutReceipt/browserURL``.
    package func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        try await perform(AwaitBrowserReturn(id))
    }

    /// Stops waiting for a browser. A service that cannot be reached does not wait.
    package func stopWaiting(for id: BrowserReturn.ID) async { try? await perform(StopWaitingForBrowser(id)) }
}
extension SignOutMode: WireValue {
    private static let words: [(mode: SignOutMode, word: String)] = [
        (.revoke, "revoke"), (.localOnly, "local_only"), (.endBrowserSession, "end_browser_session"),
        (.withBase, "with_base"),
    ]

    package func wire(_ texts: MessageTexts) -> JSONValue { JSONValue(Self.words.first { $0.mode == self }?.word) }

    package init(wire: JSONValue) throws(WireError) {
        guard let text = wire.string, let mode = Self.words.first(where: { $0.word == text })?.mode else { throw WireError(place: "mode") }
        self = mode
    }
}

extension SignOutReceipt: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("session", .string(session.description)), ("steps", entries.wire(texts)), ("browser_url", JSONValue(browserURL?.text)),
            ("shown_url", JSONValue(shownURL?.text)), ("browser_return", browserReturn?.wire(texts) ?? .null))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "receipt")
        self.init(
            session: try reader.session(), entries: try reader.list("steps"),
            browserURL: try reader.optionalURL("browser_url"),
            shownURL: try reader.optionalURL("shown_url"),
            browserReturn: try reader.optional("browser_return") { try? BrowserReturn(wire: $0) })
    }
}

extension BrowserReturn: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("id", .string(id.text)), ("redirect", JSONValue(redirect?.text)), ("ends_at", JSONValue(endsAt)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "browser_return")
        self.init(
            id: ID(try reader.text("id")), redirect: try reader.optionalURL("redirect"),
            endsAt: try reader.moment("ends_at"))
    }
}

extension SignOutReceipt.Outcome: WireValue {
    private func members(_ texts: MessageTexts) -> [JSONValue.Member] {
        let (word, reason, isQueued): (String, UserMessage?, Bool) =
            switch self {
            case .done: ("done", nil, false)
            case .skipped(let reason): ("skipped", reason, false)
            case .unconfirmed(let reason): ("unconfirmed", reason, false)
            case .failed(let reason, let isQueued): ("failed", reason, isQueued)
            }
        return [.init("outcome", .string(word))] + (reason?.members("reason", texts) ?? [.init("reason", .null)]) + [
            .init("queued", .bool(isQueued))
        ]
    }

    package func wire(_ texts: MessageTexts) -> JSONValue { .object(members(texts)) }

    fileprivate func wire(of step: SignOutReceipt.Step, _ texts: MessageTexts) -> JSONValue {
        .object([.init("step", .string(step.rawValue))] + members(texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "step")
        switch try reader.text("outcome") {
        case "done": self = .done
        case "skipped": self = .skipped(reason: try reader.message("reason"))
        case "unconfirmed": self = .unconfirmed(reason: try reader.message("reason"))
        case "failed": self = .failed(reason: try reader.message("reason"), isQueued: try reader.flag("queued"))
        default: throw WireError(place: "outcome")
        }
    }
}

extension SignOutReceipt.Entry: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue { outcome.wire(of: step, texts) }

    package init(wire: JSONValue) throws(WireError) {
        self.init(try WireReader(wire, "step").word("step"), try SignOutReceipt.Outcome(wire: wire))
    }
}
