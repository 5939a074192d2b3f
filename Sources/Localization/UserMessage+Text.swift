package import AuthModel

extension UserMessage {
    /// The text in a language. A message that the catalogues do not contain is shown by its code and arguments.
    package func text(in language: Language = .current) -> String {
        guard let template = language.messages.texts[code] ?? Language.english.messages.texts[code] else { return description }
        return Self.filled(template) { name, form in
            guard let argument = arguments[name] else { return nil }
            switch argument {
            case .text(let text): return form?.applied(to: text) ?? text
            case .message(let message):
                let text = message.text(in: language)
                // Words in place of a name, such as "the store", are not part of a command.
                return form == .lowercased ? Form.lowercased.applied(to: text) : text
            }
        }
    }

    /// The English text.
    package var english: String { text(in: .english) }

    /// Whether the catalogues contain the message's code.
    package var isKnown: Bool { Language.english.messages.texts[code] != nil }

    /// The form in which a placeholder shows its argument.
    enum Form: String {
        /// As one word of a shell command: `{path:sh}`.
        case shellWord = "sh"
        /// With a lower-case first letter: `{field:lower}`.
        case lowercased = "lower"

        func applied(to text: String) -> String {
            switch self {
            case .shellWord: ShellWord(text).text
            case .lowercased: text.prefix(1).lowercased() + text.dropFirst()
            }
        }
    }

    /// Returns the template with its placeholders replaced: `{name}`, or `{name:form}`. A placeholder without a value stays as it is.
    static func filled(_ template: String, value: (_ name: String, _ form: Form?) -> String?) -> String {
        var out = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            out += rest[..<open]
            rest = rest[open...]
            guard let close = rest.firstIndex(of: "}") else { break }
            let parts = rest[rest.index(after: open)..<close].split(separator: ":", omittingEmptySubsequences: false)
            let form = parts.count == 2 ? Form(rawValue: String(parts[1])) : nil
            if let name = parts.first, parts.count == 1 || form != nil, let text = value(String(name), form) {
                out += text
                rest = rest[rest.index(after: close)...]
            } else {
                out += "{"
                rest = rest.dropFirst()
            }
        }
        return out + rest
    }
}

extension AuthFailure {
    /// The message in English.
    package var summary: String { message.english }

    /// The next step for the user, in English; `nil` if the summary says it.
    package var hintText: String? { hint?.english }
}
