internal import AuthEngine
internal import AuthModel

/// The JSON object that is posted to a backend to create an account, with placeholders for the user's answers.
struct SignUpBody: Equatable, Sendable {
    /// A placeholder for an answer of the user. Its raw value is the ID of the form's field, and is written in braces in the object.
    enum Place: String, Sendable, CaseIterable {
        case email
        case displayName = "display_name"

        fileprivate var mark: String { "{\(rawValue)}" }
    }

    /// The object, with placeholders in its texts.
    let template: JSONValue

    /// `{"email": "{email}"}`.
    static let standard = SignUpBody(checked: ["email": .string(Place.email.mark)])

    private init(checked template: JSONValue) { self.template = template }

    /// Creates a body; `nil` if the value is not an object, or has no placeholder for the email address.
    init?(_ template: JSONValue) {
        guard template.members != nil, Self.names(.email, in: template) else { return nil }
        self.init(checked: template)
    }

    /// Whether the object has the placeholder.
    func asks(for place: Place) -> Bool { Self.names(place, in: template) }

    /// Returns the object with the answers in place of the placeholders. A value whose placeholder has no answer is left out.
    func filled(with answers: [Place: String]) -> JSONValue {
        Self.filled(template, with: answers.filter { !$0.value.isEmpty }) ?? .object([])
    }

    private static func names(_ place: Place, in value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.contains(place.mark)
        case .array(let elements): elements.contains { names(place, in: $0) }
        case .object(let members): members.contains { names(place, in: $0.value) }
        case .null, .bool, .number: false
        }
    }

    private static func filled(_ value: JSONValue, with answers: [Place: String]) -> JSONValue? {
        switch value {
        case .string(let text): filled(text, with: answers).map(JSONValue.string)
        case .array(let elements): .array(elements.compactMap { filled($0, with: answers) })
        case .object(let members):
            .object(members.compactMap { member in filled(member.value, with: answers).map { .init(member.name, $0) } })
        case .null, .bool, .number: value
        }
    }

    /// Fills a text in one pass, so that an answer that looks like a placeholder is not replaced.
    private static func filled(_ text: String, with answers: [Place: String]) -> String? {
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            filled += rest[..<start]
            rest = rest[start...]
            if let place = Place.allCases.first(where: { rest.hasPrefix($0.mark) }) {
                guard let answer = answers[place] else { return nil }
                filled += answer
                rest = rest.dropFirst(place.mark.count)
            } else {
                filled.append(rest.removeFirst())
            }
        }
        return filled + rest
    }
}
