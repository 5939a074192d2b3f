internal import AuthModel

/// What a backend is posted to make an account: a JSON object with places for what the person answers.
struct SignUpBody: Equatable, Sendable {
    /// Something that the person answers. Its raw value is the field's in the form, and stands in braces in the object.
    enum Place: String, Sendable, CaseIterable {
        case email
        case displayName = "display_name"

        fileprivate var mark: String { "{\(rawValue)}" }
    }

    /// The object, with places in its texts.
    let template: JSONValue

    /// `{"email": "{email}"}`.
    static let standard = SignUpBody(checked: ["email": .string(Place.email.mark)])

    private init(checked template: JSONValue) { self.template = template }

    /// `nil` where that is no object, or has no place for the address.
    init?(_ template: JSONValue) {
        guard template.members != nil, Self.names(.email, in: template) else { return nil }
        self.init(checked: template)
    }

    /// Whether there is a place for that.
    func asks(for place: Place) -> Bool { Self.names(place, in: template) }

    /// The object with the answers in their places. What has a place for something that was not answered is left out.
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

    /// Goes through the text once: an answer that looks like a place is none.
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
