package import AuthModel
package import TOML

/// A parsed TOML text (the configuration or a theme), with the file name that messages use; or several texts, one over the other.
package struct ConfigurationDocument {
    /// One text.
    private struct Layer {
        var name: String
        var root: TOMLValue
        var document: TOMLDocument
    }

    /// The root table. With several texts: the keys of all; a key that several set has the value of the most preferred text.
    package let root: TOMLValue
    /// The file name that messages use.
    package var name: String { layers[0].name }
    /// At least one, most preferred first.
    private let layers: [Layer]

    /// Parses a text. Throws `.configuration`, with the line, if the text is not valid TOML or a value contains a control character.
    package init(_ text: String, name: String) throws(AuthFailure) {
        let document: TOMLDocument
        do throws(TOMLError) {
            document = try TOMLDocument(text)
        } catch {
            throw AuthFailure(error, in: name)
        }
        root = document.root
        layers = [Layer(name: name, root: document.root, document: document)]
        // A TOML escape can produce a control character, and no setting needs one.
        if let path = Self.pathOfControlCharacter(in: root, at: []) {
            throw AuthFailure(
                .configuration, UserMessage("config.control_character", ["place": location(of: path)]), hint: "hint.remove_escape_sequence")
        }
    }

    private init(layers: [Layer]) {
        self.layers = layers
        root = layers.dropFirst().reduce(layers[0].root) { $0.merged(over: $1.root) }
    }

    /// Returns this document over less preferred ones.
    package func over(_ others: [ConfigurationDocument]) -> ConfigurationDocument {
        ConfigurationDocument(layers: layers + others.flatMap(\.layers))
    }

    /// Returns this document, of one text, with other values. Lines stay those of the text.
    package func with(root: TOMLValue) -> ConfigurationDocument {
        ConfigurationDocument(layers: [Layer(name: name, root: root, document: layers[0].document)])
    }

    /// Returns `config.toml:LINE`, the file and line of `path`.
    package func location(of path: [String]) -> String {
        let layer = layer(of: path)
        return layer.document.line(of: path).map { "\(layer.name):\($0)" } ?? layer.name
    }

    /// Returns the line of a path, or of its nearest parent that has one, in the most preferred text that has the path.
    package func line(of path: [String]) -> Int? { layer(of: path).document.line(of: path) }

    /// Returns the names of the files that contain a path, most preferred first.
    package func files(with path: [String]) -> [String] { layers.filter { $0.root[path: path] != nil }.map(\.name) }

    /// Returns the name of the file that sets the value of a path, or of its nearest parent.
    package func file(of path: [String]) -> String { layer(of: path).name }

    /// Returns the first entry on a line whose value is still in the document, and its column; of the most preferred text.
    func entry(onLine line: Int) -> (entry: TOMLDocument.Entry, column: Int)? {
        let document = layers[0].document
        for entry in document.entries where root[path: entry.path] != nil {
            let position = document.position(of: entry)
            if position.line == line { return (entry, position.column) }
        }
        return nil
    }

    private func layer(of path: [String]) -> Layer {
        guard layers.count > 1 else { return layers[0] }
        for count in stride(from: path.count, to: 0, by: -1) {
            let start = Array(path.prefix(count))
            if let layer = layers.first(where: { $0.root[path: start] != nil }) { return layer }
        }
        return layers[0]
    }

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
    package init(in location: String, _ problem: UserMessage, hint: UserMessage?) {
        let message = UserMessage(UserMessage.problemAt, ["place": location, "problem": problem.mapTexts(Self.readable)])
        self.init(.configuration, message, hint: hint?.mapTexts(Self.readable))
    }

    private static func readable(_ text: String) -> String {
        let scalars = text.unicodeScalars
        // A character may be of any size.
        let short = scalars.count > 300 ? "\(String(scalars.prefix(150)))…\(String(scalars.suffix(100)))" : text
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
    /// The code of a message that begins with the place of a problem.
    static let problemAt = "config.problem_at"

    fileprivate init(_ message: TOMLError.Message) { self.init(code: message.code, arguments: message.arguments.mapValues(Argument.text)) }
}
