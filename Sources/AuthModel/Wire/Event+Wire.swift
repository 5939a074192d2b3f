/// An event of a sign-in attempt. `type` distinguishes the events.
extension SignInEvent: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .planned(let steps): .members(("type", "planned"), ("steps", steps.wire(texts)))
        case .began(let step): .members(("type", "began"), ("step", step.wire(texts)))
        case .completed(let step): .members(("type", "completed"), ("step", step.wire(texts)))
        case .stepFailed(let step, let failure):
            .members(("type", "step_failed"), ("step", step.wire(texts)), ("error", failure.wire(texts)))
        case .hosts(let authorization, let token):
            .members(("type", "hosts"), ("authorization", .string(authorization)), ("token", .string(token)))
        case .available(let method): .members(("type", "opened"), ("way_in", method.wire(texts)))
        case .asked(let form): .members(("type", "asked"), ("form", form.wire(texts)))
        case .deviceCodeOffered: .members(("type", "device_code_offered"))
        case .deviceCodeRefused(let reason): .members(("type", "device_code_refused")).with(reason.members("reason", texts))
        case .authenticator(let page): .members(("type", "authenticator"), ("page", .string(page.text)))
        case .deadline(let moment): .members(("type", "deadline"), ("at", moment.wire))
        case .ignoredCallback(let reason): .members(("type", "ignored_callback")).with(reason.members("reason", texts))
        case .warning(let message): .members(("type", "warning")).with(message.members("text", texts))
        case .finished(.success(let session)): .members(("type", "finished"), ("session", session.wire(texts)))
        case .finished(.failure(let failure)): .members(("type", "finished"), ("error", failure.wire(texts)))
        case .finishedWithoutSession(let end): .members(("type", "finished"), ("error", end.wire(texts)))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "event")
        switch try reader.text("type") {
        case "planned": self = .planned(try reader.list("steps"))
        case "began": self = .began(try reader.nested("step"))
        case "completed": self = .completed(try reader.nested("step"))
        case "step_failed": self = .stepFailed(try reader.nested("step"), try reader.nested("error"))
        case "hosts": self = .hosts(authorization: try reader.text("authorization"), token: try reader.text("token"))
        case "opened": self = .available(try reader.nested("way_in"))
        case "asked": self = .asked(try reader.nested("form"))
        case "device_code_offered": self = .deviceCodeOffered
        case "device_code_refused": self = .deviceCodeRefused(reason: try reader.message("reason"))
        case "authenticator": self = .authenticator(page: try reader.url("page"))
        case "deadline": self = .deadline(try reader.moment("at"))
        case "ignored_callback": self = .ignoredCallback(reason: try reader.message("reason"))
        case "warning": self = .warning(try reader.message("text"))
        case "finished":
            if let error = reader.value("error") {
                let isEnd = error["kind"]?.string.flatMap(NoSession.Reason.init) != nil
                self = isEnd ? .finishedWithoutSession(try reader.nested("error")) : .finished(.failure(try reader.nested("error")))
            } else {
                self = .finished(.success(try reader.nested("session")))
            }
        default: throw WireError(place: "type")
        }
    }
}

extension SessionServiceEvent: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        switch self {
        case .sessionsChanged(let sessions): .members(("type", "sessions_changed"), ("sessions", sessions.wire(texts)))
        case .storeStateChanged(let seal): .members(("type", "seal_changed"), ("seal", seal.wire(texts)))
        case .activity(let activity): .members(("type", "activity"), ("activity", activity.wire(texts)))
        case .asked(let question): .members(("type", "asked"), ("question", question.wire(texts)))
        case .settled(let id): .members(("type", "settled"), ("id", .string(id.text)))
        }
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "event")
        switch try reader.text("type") {
        case "sessions_changed":
            // A session that cannot be read is skipped; a client that requests the list reports it.
            self = .sessionsChanged(try reader.readable("sessions"))
        case "seal_changed": self = .storeStateChanged(try reader.nested("seal"))
        case "activity": self = .activity(try reader.nested("activity"))
        case "asked": self = .asked(try reader.nested("question"))
        case "settled": self = .settled(TokenConsentRequest.ID(try reader.text("id")))
        default: throw WireError(place: "type")
        }
    }
}

extension TokenConsentRequest: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("id", .string(id.text)), ("session", .string(session.description)), ("kind", .string(wanted.rawValue)),
            ("process", process.map { JSONValue.number($0) } ?? .null),
            ("destination", JSONValue(destination)), ("scopes", JSONValue(restrictions.scopes.values)),
            ("audience", JSONValue(restrictions.audience)), ("role", JSONValue(subject?.word)), ("deadline", deadline.wire)
        ).with(program.members("program", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "question")
        self.init(
            id: ID(try reader.text("id")), session: try reader.session(), wanted: try reader.word("kind"),
            restrictions: try TokenRestrictions(reader),
            program: try reader.message("program"), process: try reader.optional("process") { $0.integer.flatMap(Int32.init(exactly:)) },
            destination: try reader.optionalText("destination"),
            subject: try reader.optionalText("role").map { TokenRequest.RoleSubject(word: $0) }, deadline: try reader.moment("deadline"))
    }
}

extension TokenRequest.RoleSubject {
    /// The role, or `*` for the list of roles.
    fileprivate var word: String { if case .credentials(let role) = self { role } else { "*" } }

    fileprivate init(word: String) { self = word == "*" ? .list : .credentials(word) }
}

extension Activity.Kind {
    /// A word of this version, or one that an activity log of an earlier version holds.
    fileprivate init?(word: String) { self.init(rawValue: word == "hand_out_refused" ? Self.tokenRefused.rawValue : word) }
}

extension Activity: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("at", at.wire), ("kind", .string(kind.rawValue)), ("session", JSONValue(session?.description))
        ).with(message.members("text", texts)).with(count == 1 ? [] : [.init("count", .number(count))])
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "activity")
        self.init(
            at: try reader.moment("at"), kind: try reader.required("kind") { $0.string.flatMap(Kind.init(word:)) },
            session: try reader.optional("session") { $0.string.flatMap(SessionName.init(_:)) }, message: try reader.message("text"),
            count: try reader.optional("count") { $0.integer.flatMap { $0 > 0 ? Int(exactly: $0) : nil } } ?? 1)
    }
}
