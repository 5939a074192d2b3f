internal import AuthModel
internal import Localization
internal import OperatingSystem
internal import ProviderKinds
internal import TerminalUI
internal import Themes
internal import TOML
internal import UserConfiguration

/// The available themes: those of the program, of the administrator and of the user. Of one name, the user's replaces the
/// administrator's, which replaces the shipped one.
struct ThemeLibrary {
    /// The valid themes, sorted by name.
    private(set) var themes: [Theme] = []
    /// The problems with themes from files, one line each.
    private(set) var warnings: [String] = []
    /// The path of each theme that is not shipped, by name.
    private(set) var files: [String: String] = [:]

    /// Reads all themes.
    ///
    /// - Parameters:
    ///   - directories: the folders with theme files, most preferred first.
    ///   - only: the name of the only theme to read; `nil` reads all.
    init(directories: [String], only: String? = nil) {
        var found: [String: Theme] = [:]
        for shipped in Themes.all where only == nil || shipped.name == only {
            let text = String(decoding: shipped.content, as: UTF8.self)
            let name = shipped.name
            guard let file = try? ThemeFile(text, name: name, file: name), file.definition.problems.isEmpty else { continue }
            found[name] = file.definition.theme
        }
        for path in directories.reversed().flatMap(Self.files) where only == nil || Self.name(of: path) == only {
            do throws(AuthFailure) {
                let theme = try Self.read(path)
                found[theme.name] = theme
                files[theme.name] = path
            } catch {
                warnings.append(error.summary)
            }
        }
        themes = found.values.sorted { $0.name < $1.name }
    }

    func theme(_ name: String) -> Theme? { themes.first { $0.name == name } }

    /// Returns the theme with this name. Throws `.configuration`, with the most similar name, if there is none.
    func named(_ name: String) throws(AuthFailure) -> Theme {
        if let theme = theme(name) { return theme }
        let near = themes.map(\.name).nearest(to: name)
        throw AuthFailure(
            .configuration, text: "unknown theme '\(name)'",
            hint: near.map { "did you mean '\($0)'?" } ?? "list themes with: yett theme list")
    }

    /// Reads one file; its name is the theme's name. Throws `.configuration` with the first problem.
    static func read(_ path: String) throws(AuthFailure) -> Theme {
        let definition = try definition(path)
        if let problem = definition.problems.first {
            throw AuthFailure(problem, in: path)
        }
        return definition.theme
    }

    /// Reads one file with all its problems. Throws `.configuration` if it is not valid TOML.
    static func definition(_ path: String) throws(AuthFailure) -> ThemeDefinition {
        guard let bytes = try PrivateFile.read(path) else {
            throw AuthFailure(.configuration, text: "file \(path) not found", hint: "give the path of a theme's .toml file")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AuthFailure(.configuration, text: "\(path) is not UTF-8 text", hint: "save it as UTF-8")
        }
        return try ThemeFile(text, name: name(of: path), file: path).definition
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.hasSuffix(".toml") ? file.dropLast(".toml".count) : file)
    }

    private static func files(in directory: String) -> [String] {
        FolderListing.names(in: directory).filter { $0.hasSuffix(".toml") && ThemeName.isValid(String($0.dropLast(".toml".count))) }
            .sorted().map { "\(directory)/\($0)" }
    }
}

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
