internal import AuthModel

/// Writers of the syntaxes that the tools of `yett setup` read. A tool reads back exactly the value, and evaluates nothing in it.
///
/// Values have no control characters: ``SessionName`` and ``WebURL`` refuse them. Commands are quoted for the shell by ``ShellWord`` first.
enum ToolSyntax {
    /// A string in a muttrc. Between double quotes, mutt runs what is between backquotes and replaces `$NAME`, unless a backslash is before.
    static func mutt(_ value: String) -> String { "\"\(escaped(value, "\\\"`$"))\"" }

    /// A value in a configuration file of mbsync, which splits values at spaces and knows quotes, backslashes and comments.
    static func mbsync(_ value: String) -> String {
        isPlain(value) ? value : "\"\(escaped(value, "\\\""))\""
    }

    /// A value in a configuration file of msmtp, which removes the quotes around a value and takes what is between them literally.
    static func msmtp(_ value: String) -> String { isPlain(value) ? value : "\"\(value)\"" }

    /// An element of an option of kubectl that is a list (RFC 4180).
    static func kubectl(_ value: String) -> String {
        value.contains { ",\"".contains($0) } ? "\"\(value.replacing("\"", with: "\"\""))\"" : value
    }

    /// A command for `credential_process` of AWS tools: some split it themselves, with double quotes around words; others give it to a shell.
    ///
    /// Throws `.usage` for a word that has more than letters, digits, spaces and `. _ - @ + / : , =`.
    static func aws(_ words: [String]) throws(AuthFailure) -> String {
        for word in words where !isPlain(word, with: " /:,=") {
            throw AuthFailure(
                .usage, text: "'\(word)' cannot be written into credential_process", hint: "use letters, digits and . _ - @ + / : , =")
        }
        return words.map { $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
    }

    /// Returns whether a value has only letters and digits of any script, `. _ - @ +`, and what is in `others`.
    private static func isPlain(_ value: String, with others: String = "") -> Bool {
        !value.isEmpty && value.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || (".-@+" + others).unicodeScalars.contains($0) }
    }

    private static func escaped(_ value: String, _ special: String) -> String {
        value.map { special.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
