internal import AuthModel
internal import System
internal import TerminalUI
internal import Themes

/// The themes there are: those of the program, and those in the person's own folder, which win over ours of the same name.
struct ThemeLibrary {
    /// By name; only whole ones.
    private(set) var themes: [Theme] = []
    /// What is wrong with the person's own, one line each.
    private(set) var warnings: [String] = []
    /// Names of the person's own.
    private(set) var own: Set<String> = []

    /// - Parameter directory: the person's folder; `nil` where there can be none.
    init(directory: String?) {
        var found: [String: Theme] = [:]
        for shipped in Themes.all {
            let text = String(decoding: shipped.content, as: UTF8.self)
            let name = shipped.name
            guard let file = try? ThemeFile(text, name: name, file: name), file.definition.problems.isEmpty else { continue }
            found[name] = file.definition.theme
        }
        for path in directory.map(Self.files) ?? [] {
            do throws(AuthFailure) {
                let theme = try Self.read(path)
                found[theme.name] = theme
                own.insert(theme.name)
            } catch {
                warnings.append(error.summary)
            }
        }
        themes = found.values.sorted { $0.name < $1.name }
    }

    func theme(_ name: String) -> Theme? { themes.first { $0.name == name } }

    /// The theme of that name; throws `.configuration` with the nearest one.
    func named(_ name: String) throws(AuthFailure) -> Theme {
        if let theme = theme(name) { return theme }
        let near = themes.map(\.name).nearest(to: name)
        throw AuthFailure(
            .configuration, "there is no theme '\(name)'",
            hint: near.map { "did you mean '\($0)'?" } ?? "yett theme list shows the names there are")
    }

    /// Reads one file; its name is the theme's. Throws `.configuration` with the first thing that is wrong.
    static func read(_ path: String) throws(AuthFailure) -> Theme {
        let definition = try definition(path)
        if let problem = definition.problems.first {
            throw AuthFailure(problem, in: path)
        }
        return definition.theme
    }

    /// Reads one file with everything that is wrong in it. Throws `.configuration` where it is no TOML text at all.
    static func definition(_ path: String) throws(AuthFailure) -> ThemeDefinition {
        guard let bytes = try PrivateFile.read(path) else {
            throw AuthFailure(.configuration, "there is no file \(path)", hint: "name a theme's .toml file")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AuthFailure(.configuration, "\(path) is not UTF-8 text", hint: "save it as UTF-8")
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
