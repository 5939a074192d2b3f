/// Questions that a sign-in asks the person, all at once: an identity provider to choose, an address for a new account, a password.
public struct SignInForm: Equatable, Sendable {
    /// One of the answers that a field offers.
    public struct Choice: Equatable, Sendable {
        /// What is answered.
        public var value: String
        /// What the person reads.
        public var title: String

        public init(_ value: String, title: String) {
            self.value = value
            self.title = title
        }
    }

    public struct Field: Equatable, Sendable {
        public enum Kind: Equatable, Sendable {
            case text
            /// An e-mail address.
            case email
            /// Never shown.
            case secret
            /// One of a few.
            case choice([Choice])
        }

        /// A stable word for it.
        public var id: String
        /// What the person reads, in a few words.
        public var label: String
        public var kind: Kind
        public var isRequired: Bool
        /// What is answered where nobody can be asked, and what a form begins with.
        public var suggestion: String?

        public init(id: String, label: String, kind: Kind, isRequired: Bool = true, suggestion: String? = nil) {
            self.id = id
            self.label = label
            self.kind = kind
            self.isRequired = isRequired
            self.suggestion = suggestion
        }
    }

    /// Answers by the fields they are for.
    public typealias Answers = [String: Secret]

    /// What it is about, in a few words.
    public var title: String
    public var fields: [Field]
    /// Why the answers before were not taken: what the attempt ends with where nobody gives others.
    public var refusal: AuthFailure?

    public init(title: String, fields: [Field], refusal: AuthFailure? = nil) {
        self.title = title
        self.fields = fields
        self.refusal = refusal
    }

    /// ``refusal`` as it stands above the fields.
    public var problem: String? { refusal?.summary }

    /// What is wrong with answers to it; `nil` where they can be taken.
    ///
    /// - Parameter allowsOthers: whether a choice may be something else than what is offered.
    public func fault(in answers: Answers, allowsOthers: Bool = false) -> AuthFailure? {
        for field in fields {
            if let fault = field.fault(in: answers[field.id], allowsOthers: allowsOthers) { return field.failure(fault) }
        }
        return nil
    }
}

extension SignInForm.Field {
    /// What can be wrong with an answer.
    public enum Fault: Equatable, Sendable {
        /// There is none, and the field is required.
        case missing
        case controlCharacter
        case notAnAddress
        /// A choice that is not offered; what was answered.
        case notOffered(String)
    }

    /// What is wrong with an answer to it; `nil` where it can be taken.
    ///
    /// - Parameter allowsOthers: whether a choice may be something else than what is offered.
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
        case .missing: AuthFailure(.usage, "\(label.lowercasedFirst) is missing")
        case .controlCharacter: AuthFailure(.usage, "\(label.lowercasedFirst) holds a control character")
        case .notAnAddress: AuthFailure(.usage, "that is no e-mail address", hint: "write it like ada@example.org")
        case .notOffered(let answer):
            AuthFailure(.configuration, "there is no \(label.lowercasedFirst) '\(answer)'", hint: offer.map { "there are \($0)" })
        }
    }

    /// What a choice offers, for a message.
    private var offer: String? {
        guard case .choice(let choices) = kind else { return nil }
        let names = choices.map(\.value).filter { !$0.isEmpty }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// Something before and behind one at sign, with a dot in the domain; what more an address is, the mail server says.
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

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
