internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OperatingSystem
internal import ProviderKinds
internal import TerminalUI
internal import Themes
internal import TOML
internal import UserConfiguration

/// `yett theme`: lists, shows and checks themes.
struct ThemeCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "theme", abstract: "List, show and check themes.",
        discussion:
            "Your own themes are files NAME.toml in the folder themes next to the configuration. In the app, press t to change the theme.",
        subcommands: [List.self, Show.self, Check.self], defaultSubcommand: List.self)
    static let examples: KeyValuePairs = [
        "yett theme list": "Lists the themes.",
        "yett theme show dusk": "Shows the styles of a theme.",
    ]

    struct List: Subcommand {
        static let configuration = CommandConfiguration(abstract: "List all themes, and mark the one in use.")
        static let examples: KeyValuePairs = ["yett theme list": "Lists the themes, and marks the one in use."]

        @Flag(help: "Print JSON.")
        var json = false

        func run(in context: CommandContext) async throws {
            let current = try context.configurationFile().read().interface.theme
            let library = context.themeLibrary()
            for warning in library.warnings { context.console.warning(warning) }
            let list = ThemeList(
                library: library, current: current, ownFolder: try? context.directories.configuration, depth: context.colorDepth)
            try context.answer(list, asJSON: json)
        }
    }

    struct Show: Subcommand {
        static let configuration = CommandConfiguration(abstract: "Show a theme's style for each role and surface.")
        static let examples: KeyValuePairs = [
            "yett theme show": "Prints the theme in use.",
            "yett theme show dusk": "Shows the styles of another theme.",
        ]

        @Argument(help: "The theme's name. Default: the one in use.", completion: .names(.themes))
        var name: String?

        func run(in context: CommandContext) async throws {
            let current = try context.configurationFile().read().interface.theme
            let theme = try context.themeLibrary().named(name ?? current)
            try context.console.styledLines(ThemeSample(theme: theme, depth: context.colorDepth).lines)
        }
    }

    struct Check: Subcommand {
        static let configuration = CommandConfiguration(abstract: "Check a theme file, and list all its problems.")
        static let examples: KeyValuePairs = [
            "yett theme check ~/.config/yett/themes/mine.toml": "Checks a theme before you use it."
        ]

        @Argument(help: "A theme's .toml file.")
        var file: String

        func run(in context: CommandContext) async throws {
            let path = file.hasPrefix("/") ? file : context.edges.workingDirectory + "/" + file
            let definition = try ThemeLibrary.definition(path)
            for problem in definition.problems {
                context.console.failure(AuthFailure(problem, in: file))
            }
            guard definition.problems.isEmpty else { throw ExitStatus(code: AuthFailure(.configuration, text: "").exitCode) }
            guard let display = context.display else { return try context.console.lines(["\(file): valid"]) }
            try context.console.show(display.marked(display.good, "\(file): valid"), on: display)
        }
    }
}

extension CommandContext {
    /// Returns the themes available to the user.
    ///
    /// - Parameter name: the only theme to read; `nil` reads all.
    func themeLibrary(only name: String? = nil) -> ThemeLibrary {
        let folders = ((try? directories.configuration).map { [$0] } ?? []) + directories.system
        return ThemeLibrary(directories: folders.map { $0 + "/themes" }, only: name)
    }

    /// The colours that standard output can show: none if it is not a terminal or `NO_COLOR` is set (https://no-color.org).
    var colorDepth: ColorDepth {
        edges.streams.isAnswerTerminal ? terminalColorDepth : .mono
    }

    /// The colours that the controlling terminal can show, even if standard output is not a terminal.
    var terminalColorDepth: ColorDepth {
        let environment = edges.environment
        guard (environment["NO_COLOR"] ?? "").isEmpty, !["", "dumb"].contains(environment["TERM"] ?? "") else { return .mono }
        return ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") ? .trueColor : .indexed256
    }
}

/// The output of `yett theme list`.
private struct ThemeList: TableAnswer {
    let library: ThemeLibrary
    let current: String
    /// The user's configuration folder.
    let ownFolder: String?
    /// The colours that the terminal can show.
    let depth: ColorDepth

    var table: TextTable {
        var table = TextTable("THEME", "IN USE", "ABOUT")
        for theme in library.themes { table.add([theme.name, theme.name == current ? "yes" : "", theme.summary]) }
        return table
    }

    /// The themes with a sample of their colours, after a mark for the one in use.
    func rows(on display: Display) -> [StyledText] {
        var table = TextTable("", "THEME", "", "ABOUT")
        table.folding = 3
        for theme in library.themes {
            table.add([
                theme.name == current ? display.good : StyledText(""), StyledText(theme.name, .title), sample(of: theme, on: display),
                StyledText(theme.summary),
            ])
        }
        return table.rows(on: display)
    }

    /// Returns a dot in each of a theme's main colours, on its ground; empty without colours.
    private func sample(of theme: Theme, on display: Display) -> StyledText {
        guard depth > .mono, display.glyphs == .unicode else { return "" }
        func colored(_ text: String, _ role: Role) -> StyledText {
            .colored(text, with: theme.face(for: Style(role, on: .screen), depth: depth).sequence)
        }
        let dots = [Role.title, .accent, .link, .success, .warning, .danger].map { colored(" ●", $0) }
        return dots.reduce(StyledText("")) { $0 + $1 } + colored(" ", .text)
    }

    var json: JSONValue {
        .answer(list: "themes", of: library.themes) { theme in
            .members(
                ("name", .string(theme.name)), ("summary", .string(theme.summary)), ("current", .bool(theme.name == current)),
                ("own", .bool(isOwn(theme))), ("file", JSONValue(library.files[theme.name])))
        }
    }

    private func isOwn(_ theme: Theme) -> Bool {
        guard let ownFolder, let file = library.files[theme.name] else { return false }
        return file.hasPrefix(ownFolder + "/")
    }
}

/// A preview of a theme: each role and surface with its colours, shown in these colours if the terminal supports them.
struct ThemeSample {
    let theme: Theme
    let depth: ColorDepth

    /// The lines: the text of each, and the escape sequence that styles it.
    var lines: [(text: String, style: String)] {
        [("\(theme.name): \(theme.summary)", "")]
            + Role.allCases.map { role in
                line("role", role.rawValue, theme[role], Style(role))
            }
            + Surface.allCases.map { surface in
                line("surface", surface.rawValue, theme[surface], Style(.text, on: surface))
            }
    }

    private func line(_ kind: String, _ name: String, _ entry: Theme.Entry, _ style: Style) -> (text: String, style: String) {
        let color = entry.color.map { $0.trueColor.hex } ?? "default"
        let text = "  " + kind.padded(to: 8) + name.padded(to: 14) + color.padded(to: 9) + entry.attributes.names.joined(separator: " ")
        return (text, depth > .mono ? theme.face(for: style, depth: depth).sequence : "")
    }
}

extension String {
    /// Returns the text padded with spaces to `width` characters, with at least one space.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

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
