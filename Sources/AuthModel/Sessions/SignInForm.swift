/// Questions that a sign-in asks the user together, such as an identity provider, an address for a new account, or a password.
public struct SignInForm: Equatable, Sendable {
    /// An option of a choice field.
    public struct Choice: Equatable, Sendable {
        /// The value to answer with.
        public var value: String
        /// The displayed title.
        public var title: UserMessage

        /// Creates a choice.
        public init(_ value: String, title: UserMessage) {
            self.value = value
            self.title = title
        }
    }

    /// One question of the form.
    public struct Field: Equatable, Sendable {
        /// The type of a field.
        public enum Kind: Equatable, Sendable {
            case text
            /// An e-mail address.
            case email
            /// A secret. It is never displayed.
            case secret
            /// One of several options.
            case choice([Choice])
        }

        /// A stable identifier.
        public var id: String
        /// The displayed label, in a few words.
        public var label: UserMessage
        /// The type of the field.
        public var kind: Kind
        /// Whether an answer is required.
        public var isRequired: Bool
        /// The answer to use if no user can be asked, and the initial value in a form.
        public var suggestion: String?

        package init(id: String, label: UserMessage, kind: Kind, isRequired: Bool = true, suggestion: String? = nil) {
            self.id = id
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            self.suggestion = suggestion
        }
    }

    /// The field of the question whether to keep the session of another account than the requested one.
    public static let otherAccountField = "other_account"
    /// The value of ``otherAccountField`` that discards the session: the attempt ends with a failure.
    public static let otherAccountDiscarded = "discard"

    /// Answers by field identifier.
    public typealias Answers = [String: Secret]

    /// The title of the form, in a few words.
    public var title: UserMessage
    /// The fields, in order.
    public var fields: [Field]
    /// The reason why the previous answers were refused. If there are no further answers, the attempt ends with this failure.
    public var refusal: AuthFailure?

    package init(title: UserMessage, fields: [Field], refusal: AuthFailure? = nil) {
        self.title = title
        self.fields = fields
        self.refusal = refusal
    }

    /// The text of ``refusal`` to show above the fields.
    public var problem: UserMessage? { refusal?.message }

    /// Returns the problem with answers to the form; `nil` if they are acceptable.
    ///
    /// - Parameter allowsOthers: whether a choice may have a value that is not offered.
    public func fault(in answers: Answers, allowsOthers: Bool = false) -> AuthFailure? {
        for field in fields {
            if let fault = field.fault(in: answers[field.id], allowsOthers: allowsOthers) { return field.failure(fault) }
        }
        return nil
    }
}

extension SignInForm.Field {
    /// A problem with an answer.
    public enum Fault: Equatable, Sendable {
        /// The field is required and has no answer.
        case missing
        case controlCharacter
        case notAnAddress
        /// The given value is not among the offered options.
        case notOffered(String)
    }

    /// Returns the problem with an answer to the field; `nil` if it is acceptable.
    ///
    /// - Parameter allowsOthers: whether a choice may have a value that is not offered.
    public func fault(in answer: Secret?, allowsOthers: Bool = false) -> Fault? {
        guard let answer, !answer.isEmpty else { return isRequired ? .missing : nil }
        let text = answer.reveal()
        switch kind {
        case .secret: return nil
        case .text: return text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? nil : .controlCharacter
        case .email: return Self.isEmail(text) ? nil : .notAnAddress
        case .choice(let choices): return allowsOthers || choices.contains { $0.value == text } ? nil : .notOffered(text)
        }
    }

    fileprivate func failure(_ fault: Fault) -> AuthFailure {
        switch fault {
        case .missing: AuthFailure(.usage, UserMessage("form.missing", ["field": label]))
        case .controlCharacter: AuthFailure(.usage, UserMessage("form.control_character", ["field": label]))
        case .notAnAddress: AuthFailure(.usage, "form.not_an_email_address", hint: "hint.email_form")
        case .notOffered(let answer):
            AuthFailure(
                .configuration, UserMessage("form.unknown_choice", ["field": label, "answer": answer]),
                hint: offer.map { UserMessage("hint.choose_one_of", ["choices": $0]) })
        }
    }

    /// The options of a choice, for a message.
    private var offer: String? {
        guard case .choice(let choices) = kind else { return nil }
        let names = choices.map(\.value).filter { !$0.isEmpty }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// Returns whether the text has one at sign with text on both sides and a dot in the domain. The mail server decides the rest.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, let domain = parts.last, text.utf8.count <= 254 else { return false }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return !name.isEmpty && labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.properties.generalCategory != .control && !$0.properties.isWhitespace
            }
    }
}

extension SignInForm: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(("fields", fields.wire(texts)), ("refusal", refusal?.wire(texts) ?? .null)).with(title.members("title", texts))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "form")
        self.init(
            title: try reader.message("title"), fields: try reader.list("fields"),
            refusal: try reader.value("refusal").map(AuthFailure.init(wire:)))
    }
}

extension SignInForm.Field: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        var members: [JSONValue.Member] =
            [
                .init("id", .string(id)), .init("kind", .string(kind.word)),
                .init("required", .bool(isRequired)), .init("suggestion", JSONValue(suggestion)),
            ] + label.members("label", texts)
        if case .choice(let choices) = kind { members.append(.init("choices", choices.wire(texts))) }
        return .object(members)
    }

    package init(wire: JSONValue) throws(WireError) {
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
    package func wire(_ texts: MessageTexts) -> JSONValue { .members(("value", .string(value))).with(title.members("title", texts)) }

    package init(wire: JSONValue) throws(WireError) {
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
