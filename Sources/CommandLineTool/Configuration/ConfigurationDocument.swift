internal import AuthModel
internal import TOML

/// A text of ours that is TOML, with the name that messages give it. It may be the configuration or a theme.
struct ConfigurationDocument {
    /// The values; always a table.
    var root: TOMLValue { document.root }
    /// How messages name the file.
    let name: String
    private let document: TOMLDocument

    /// Reads a text; throws `.configuration` naming the line where it is not TOML, or where a value holds a control character.
    init(_ text: String, name: String) throws(AuthFailure) {
        self.name = name
        do throws(TOMLError) {
            document = try TOMLDocument(text)
        } catch {
            throw AuthFailure(error, in: name)
        }
        // An escape can write one, and no setting has a use for it.
        if let path = Self.pathOfControlCharacter(in: root, at: []) {
            throw AuthFailure(.configuration, "\(place(path)): a value holds a control character", hint: "remove the escape that writes it")
        }
    }

    /// `config.toml:LINE`, for the line of `path`.
    func place(_ path: [String]) -> String {
        line(of: path).map { "\(name):\($0)" } ?? name
    }

    /// The line of a path, or else of the nearest one above it.
    func line(of path: [String]) -> Int? { document.line(of: path) }

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
    /// A text that is not TOML; `name` is how messages name its file.
    init(_ error: TOMLError, in name: String) {
        self.init(in: "\(name):\(error.line)", error.reason, hint: error.hint)
    }

    /// Something wrong at a place of a file that a person wrote, or copied from somewhere.
    ///
    /// What is quoted of it is made readable: the middle is left out where it is too long, and characters that only work on the text
    /// around them are replaced.
    init(in place: String, _ summary: String, hint: String?) {
        self.init(.configuration, "\(place): \(Self.readable(summary))", hint: hint.map(Self.readable))
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
