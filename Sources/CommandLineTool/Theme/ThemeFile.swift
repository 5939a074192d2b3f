internal import AuthModel
internal import TOML
internal import TerminalUI
internal import UserConfiguration

/// A parsed theme file: parsed as TOML first, then checked as a theme.
struct ThemeFile {
    /// The theme and all problems with it.
    let definition: ThemeDefinition

    /// Parses a text. Throws `.configuration` if it is not valid TOML.
    init(_ text: String, name: String, file: String) throws(AuthFailure) {
        let document = try ConfigurationDocument(text, name: file)
        definition = ThemeDefinition(name: name, items: Self.items(document.root, at: [], of: document))
    }

    private static func items(_ table: TOMLValue, at path: [String], of document: ConfigurationDocument) -> [ThemeItem] {
        let items = (table.members ?? []).map { member in
            let path = path + [member.name]
            return ThemeItem(member.name, value(member.value, at: path, of: document), line: document.line(of: path))
        }
        return items.sorted { ($0.line ?? 0, $0.key) < ($1.line ?? 0, $1.key) }
    }

    private static func value(_ value: TOMLValue, at path: [String], of document: ConfigurationDocument) -> ThemeValue {
        switch value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(Int(number))
        case .float: .other("a decimal number")
        case .array(let elements): .list(elements.map { Self.value($0, at: path, of: document) })
        case .table: .table(items(value, at: path, of: document))
        case .boolean: .other("true or false")
        case .moment: .other("a date or time")
        }
    }
}

extension AuthFailure {
    /// Creates a failure for a problem in a theme; `file` is the file name that messages use.
    init(_ problem: ThemeProblem, in file: String) {
        self.init(in: "\(file)\(problem.line.map { ":\($0)" } ?? "")", .verbatim(problem.summary), hint: .verbatim(problem.hint))
    }
}
