package import AuthModel
package import TOML

/// A parsed TOML text (the configuration or a theme), with the file name that messages use.
package struct ConfigurationDocument {
    /// The root table.
    package var root: TOMLValue { document.root }
    /// The file name that messages use.
    package let name: String
    private let document: TOMLDocument

    /// Parses a text. Throws `.configuration`, with the line, if the text is not valid TOML or a value contains a control character.
    package init(_ text: String, name: String) throws(AuthFailure) {
        self.name = name
        do throws(TOMLError) {
            document = try TOMLDocument(text)
        } catch {
            throw AuthFailure(error, in: name)
        }
        // A TOML escape can produce a control character, and no setting needs one.
        if let path = Self.pathOfControlCharacter(in: root, at: []) {
            throw AuthFailure(
                .configuration, UserMessage("config.control_character", ["place": place(path)]), hint: "hint.remove_escape_sequence")
        }
    }

    /// Returns `config.toml:LINE` for the line of `path`.
    package func place(_ path: [String]) -> String {
        line(of: path).map { "\(name):\($0)" } ?? name
    }

    /// Returns the line of a path, or of its nearest parent that has one.
    package func line(of path: [String]) -> Int? { document.line(of: path) }

    private static func pathOfControlCharacter(in value: TOMLValue, at path: [String]) -> [String]? {
        func holdsOne(_ text: String) -> Bool { text.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        switch value {
        case .string(let text): return holdsOne(text) ? path : nil
        case .array(let elements): return elements.lazy.compactMap { pathOfControlCharacter(in: $0, at: path) }.first
        case .table(let members):
            return members.lazy.compactMap { member in
                holdsOne(member.name) ? path : pathOfControlCharacter(in: member.value, at: path + [member.name])
            }.first
        case .integer, .float, .boolean, .moment: return nil
        }
    }
}

extension AuthFailure {
    /// Creates a failure for text that is not valid TOML; `name` is the file name that messages use.
    package init(_ error: TOMLError, in name: String) {
        self.init(in: "\(name):\(error.line)", UserMessage(error.reason), hint: UserMessage(error.hint))
    }

    /// Creates a failure for an error at a place in a file that the user wrote or copied.
    ///
    /// The quoted text is made safe to print: a long text is shortened in the middle, and control and formatting characters are replaced.
    package init(in place: String, _ problem: UserMessage, hint: UserMessage?) {
        let message = UserMessage("config.problem_at", ["place": place, "problem": problem.mapTexts(Self.readable)])
        self.init(.configuration, message, hint: hint?.mapTexts(Self.readable))
    }

    private static func readable(_ text: String) -> String {
        let short = text.count > 300 ? "\(text.prefix(150))…\(text.suffix(100))" : text
        var shown = String.UnicodeScalarView()
        for scalar in short.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}

extension UserMessage {
    fileprivate init(_ message: TOMLError.Message) { self.init(code: message.code, arguments: message.arguments.mapValues(Argument.text)) }
}
