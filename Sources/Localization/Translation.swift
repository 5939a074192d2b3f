import AuthModel

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
