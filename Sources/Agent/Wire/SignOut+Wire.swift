import AuthModel

extension SignOutMode: WireValue {
    private static let words: [(mode: SignOutMode, word: String)] = [
        (.revoke, "revoke"), (.localOnly, "local_only"), (.endBrowserSession, "end_browser_session"),
    ]

    var wire: JSONValue { JSONValue(Self.words.first { $0.mode == self }?.word) }

    init(wire: JSONValue) throws(WireFault) {
        guard let text = wire.string, let mode = Self.words.first(where: { $0.word == text })?.mode else { throw WireFault(place: "mode") }
        self = mode
    }
}

extension SignOutReceipt: WireValue {
    var wire: JSONValue {
        .members(
            ("session", .string(session.description)), ("steps", entries.wire), ("browser_url", JSONValue(browserURL?.text)))
    }

    init(wire: JSONValue) throws(WireFault) {
        let reader = try WireReader(wire, "receipt")
        self.init(
            session: try reader.session(), entries: try reader.list("steps"),
            browserURL: try reader.optional("browser_url") { $0.string.flatMap(WebURL.init(_:)) })
    }
}

extension SignOutReceipt.Entry: WireValue {
    var wire: JSONValue {
        let (word, reason, isQueued): (String, String?, Bool) =
            switch outcome {
            case .done: ("done", nil, false)
            case .skipped(let reason): ("skipped", reason, false)
            case .failed(let reason, let isQueued): ("failed", reason, isQueued)
            }
        return .members(
            ("step", .string(step.rawValue)), ("outcome", .string(word)), ("reason", JSONValue(reason)), ("queued", .bool(isQueued)))
    }

    init(wire: JSONValue) throws(WireFault) {
        let reader = try WireReader(wire, "step")
        let outcome: SignOutReceipt.Outcome =
            switch try reader.text("outcome") {
            case "done": .done
            case "skipped": .skipped(reason: try reader.text("reason"))
            case "failed": .failed(reason: try reader.text("reason"), isQueued: try reader.flag("queued"))
            default: throw WireFault(place: "outcome")
            }
        self.init(try reader.word("step"), outcome)
    }
}
