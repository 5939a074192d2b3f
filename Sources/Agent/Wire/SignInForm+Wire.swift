import AuthModel

extension SignInForm: WireValue {
    var wire: JSONValue {
        .members(("fields", fields.wire), ("refusal", refusal?.wire ?? .null)).with(title.members("title"))
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "form")
        self.init(
            title: try reader.message("title"), fields: try reader.list("fields"),
            refusal: try reader.value("refusal").map(AuthFailure.init(wire:)))
    }
}

extension SignInForm.Field: WireValue {
    var wire: JSONValue {
        var members: [JSONValue.Member] =
            [
                .init("id", .string(id)), .init("kind", .string(kind.word)),
                .init("required", .bool(isRequired)), .init("suggestion", JSONValue(suggestion)),
            ] + label.members("label")
        if case .choice(let choices) = kind { members.append(.init("choices", choices.wire)) }
        return .object(members)
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "field")
        let kind: Kind
        switch try reader.text("kind") {
        case "text": kind = .text
        case "email": kind = .email
        case "secret": kind = .secret
        case "choice": kind = .choice(try reader.list("choices"))
        default: throw WireError(place: "kind")
        }
        self.init(
            id: try reader.text("id"), label: try reader.message("label"), kind: kind,
            isRequired: try reader.required("required", \.bool), suggestion: try reader.optional("suggestion", \.string))
    }
}

extension SignInForm.Field.Kind {
    /// The kind's name in the protocol.
    fileprivate var word: String {
        switch self {
        case .text: "text"
        case .email: "email"
        case .secret: "secret"
        case .choice: "choice"
        }
    }
}

extension SignInForm.Choice: WireValue {
    var wire: JSONValue { .members(("value", .string(value))).with(title.members("title")) }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "choice")
        self.init(try reader.required("value", \.string), title: try reader.message("title"))
    }
}

extension SignInForm.Answers {
    /// An object with one member per answer.
    var wire: JSONValue { .object(sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value.reveal())) }) }

    /// Reads an object of texts; `nil` for anything else.
    init?(wire: JSONValue) {
        guard let members = wire.members else { return nil }
        self.init()
        for member in members {
            guard let text = member.value.string, text.utf8.count <= 4096 else { return nil }
            self[member.name] = Secret(text)
        }
    }
}
