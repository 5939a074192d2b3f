internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import ProviderKinds
internal import TerminalUI
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
            let list = ThemeList(library: library, current: current, ownFolder: try? context.directories.configuration)
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
            try context.console.lines(["\(file): valid"])
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

    var table: Table {
        var table = Table("THEME", "IN USE", "ABOUT")
        for theme in library.themes {
            table.add([StyledText(theme.name, .title), StyledText(theme.name == current ? "yes" : "", .accent), StyledText(theme.summary)])
        }
        return table
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
    var lines: [(text: String, dress: String)] {
        [("\(theme.name): \(theme.summary)", "")]
            + Role.allCases.map { role in
                line("role", role.rawValue, theme[role], Style(role))
            }
            + Surface.allCases.map { surface in
                line("surface", surface.rawValue, theme[surface], Style(.text, on: surface))
            }
    }

    private func line(_ kind: String, _ name: String, _ entry: Theme.Entry, _ style: Style) -> (text: String, dress: String) {
        let color = entry.color.map { $0.trueColor.hex } ?? "default"
        let text = "  " + kind.padded(to: 8) + name.padded(to: 14) + color.padded(to: 9) + entry.attributes.names.joined(separator: " ")
        return (text, depth > .mono ? theme.face(for: style, depth: depth).sequence : "")
    }
}

extension String {
    /// Returns the text padded with spaces to `width` characters, with at least one space.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
