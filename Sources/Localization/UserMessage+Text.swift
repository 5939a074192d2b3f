package import AuthModel

extension UserMessage {
    /// The text in a language. A message that the catalogues do not contain is shown by its sender's text, or else its code and arguments.
    package func text(in language: Language = .current) -> String {
        guard let template = language.messages.texts[code] ?? Language.english.messages.texts[code] else {
            return fallback ?? description
        }
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
    package var summary: String { message.english }

    /// The next step for the user in English; `nil` if the summary says it.
    package var hintText: String? { hint?.english }
}

/// Returns a text in the current language. `{1}`, `{2}` … are replaced by the arguments.
package func tr(_ text: String, _ arguments: any CustomStringConvertible...) -> String {
    fill(Language.current.catalog.texts[text] ?? text, arguments)
}

/// Returns the singular or plural form of a text; its argument is the count. Every supported language has one singular and one plural form.
package func plural(_ count: Int, _ one: String, _ many: String) -> String {
    let forms = Language.current.catalog.plurals[many] ?? (one, many)
    return fill(count == 1 ? forms.one : forms.many, [count])
}

/// Returns the text with the placeholders `{1}` to `{9}` replaced.
func fill(_ text: String, _ arguments: [any CustomStringConvertible]) -> String {
    guard !arguments.isEmpty else { return text }
    var out = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
        out += rest[..<open]
        rest = rest[open...]
        let number = rest.dropFirst().prefix(1)
        if let index = Int(number), arguments.indices.contains(index - 1), rest.dropFirst(2).first == "}" {
            let argument = arguments[index - 1]
            out += (argument as? UserMessage)?.text() ?? argument.description
            rest = rest.dropFirst(3)
        } else {
            out += "{"
            rest = rest.dropFirst()
        }
    }
    return out + rest
}
