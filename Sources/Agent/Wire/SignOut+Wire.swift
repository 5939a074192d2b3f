import AuthModel

extension SignOutMode: WireValue {
    private static let words: [(mode: SignOutMode, word: String)] = [
        (.revoke, "revoke"), (.localOnly, "local_only"), (.endBrowserSession, "end_browser_session"),
        (.withBase, "with_base"),
    ]

    var wire: JSONValue { JSONValue(Self.words.first { $0.mode == self }?.word) }

    init(wire: JSONValue) throws(WireError) {
        guard let text = wire.string, let mode = Self.words.first(where: { $0.word == text })?.mode else { throw WireError(place: "mode") }
        self = mode
    }
}

extension SignOutReceipt: WireValue {
    var wire: JSONValue {
        .members(
            ("session", .string(session.description)), ("steps", entries.wire), ("browser_url", JSONValue(browserURL?.text)),
            ("shown_url", JSONValue(shownURL?.text)), ("browser_return", browserReturn?.wire ?? .null))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "receipt")
        self.init(
            session: try reader.session(), entries: try reader.list("steps"),
            browserURL: try reader.optional("browser_url") { $0.string.flatMap(WebURL.init(_:)) },
            shownURL: try reader.optional("shown_url") { $0.string.flatMap(WebURL.init(_:)) },
            browserReturn: try reader.optional("browser_return") { try? BrowserReturn(wire: $0) })
    }
}

extension BrowserReturn: WireValue {
    var wire: JSONValue {
        .members(("id", .string(id.text)), ("redirect", JSONValue(redirect?.text)), ("ends_at", JSONValue(endsAt)))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "browser_return")
        self.init(
            id: ID(try reader.text("id")), redirect: try reader.optional("redirect") { $0.string.flatMap(WebURL.init(_:)) },
            endsAt: try reader.moment("ends_at"))
    }
}

extension SignOutReceipt.Outcome: WireValue {
    private var members: [JSONValue.Member] {
        let (word, reason, isQueued): (String, UserMessage?, Bool) =
            switch self {
            case .done: ("done", nil, false)
            case .skipped(let reason): ("skipped", reason, false)
            case .unconfirmed(let reason): ("unconfirmed", reason, false)
            case .failed(let reason, let isQueued): ("failed", reason, isQueued)
            }
        return [.init("outcome", .string(word))] + (reason?.members("reason") ?? [.init("reason", .null)]) + [
            .init("queued", .bool(isQueued))
        ]
    }

    var wire: JSONValue { .object(members) }

    /// Returns a step with this outcome.
    func wire(of step: SignOutReceipt.Step) -> JSONValue { .object([.init("step", .string(step.rawValue))] + members) }

    init(wire: JSONValue) throws(WireError) {
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
    var wire: JSONValue { outcome.wire(of: step) }

    init(wire: JSONValue) throws(WireError) {
        self.init(try WireReader(wire, "step").word("step"), try SignOutReceipt.Outcome(wire: wire))
    }
}
