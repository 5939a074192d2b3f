internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OperatingSystem
internal import TerminalUI
internal import UserConfiguration

/// `yett config`: checks configuration files.
struct ConfigCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check configuration files.", subcommands: [ConfigCheckCommand.self])
    static let examples: KeyValuePairs = ["yett config check": "Checks the configuration in force."]
}

/// `yett config check`: prints every problem of a configuration. Uses neither the network nor the agent.
struct ConfigCheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file, and list all its problems.",
        discussion: """
            Each problem is one line on standard output: FILE:LINE:COLUMN: message. The column counts bytes. FILE is checked by itself, so \
            a system file may have [policy], and a file that only changes providers of a system file is incomplete. Without FILE, the \
            configuration in force is checked: your file over the system files, with the settings that they lock, and the presets.

            The exit status is 2 if there is a problem, else 0.
            """)
    static let examples: KeyValuePairs = [
        "yett config check": "Checks your file over the system files.",
        "yett config check etc/config.toml": "Checks a file before it is installed.",
        "yett config check -": "Checks standard input.",
    ]

    @Argument(help: "A configuration file; - reads standard input. Default: the configuration in force.")
    var file: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let result =
            if let file {
                ConfigurationCheck(files: [name(of: file)], problems: try await problems(of: file, in: context))
            } else {
                try Self.checkInForce(context.configurationFile())
            }
        try context.answer(result, asJSON: json)
        if result.files.isEmpty, result.problems.isEmpty, !json {
            context.console.note("no configuration file yet", hint: ProvidersAddCommand.hint)
        }
        guard result.problems.isEmpty else { throw ExitStatus(code: AuthFailure(.configuration, text: "").exitCode) }
    }

    private static func checkInForce(_ file: ConfigurationFile) throws(AuthFailure) -> ConfigurationCheck {
        let own = try file.problems()
        // The locks in a system file with an error are not known, nor whether the user's presets are read.
        let presets = try? file.presets()
        return ConfigurationCheck(
            files: file.paths.filter(FileStatus.exists) + (presets?.files ?? []).sorted(), problems: own + (presets?.problems ?? []))
    }

    private func name(of file: String) -> String { file == "-" ? "<stdin>" : file }

    private func problems(of file: String, in context: CommandContext) async throws(AuthFailure) -> [ConfigurationProblem] {
        let path = file.hasPrefix("/") ? file : context.edges.workingDirectory + "/" + file
        let text = file == "-" ? try await input(of: context) : try content(of: path)
        let folder = file == "-" ? context.edges.workingDirectory : String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let reader = ConfigurationReader(
            name: name(of: file), directory: folder, home: context.directories.home, rules: .standard, allowsPolicy: true)
        return reader.problems(in: text)
    }

    /// Returns the content of a file, which may belong to any user: it is only checked.
    private func content(of path: String) throws(AuthFailure) -> String {
        let bytes: [UInt8]
        do throws(RegularFile.Failure) {
            bytes = try RegularFile.read(path, limit: PrivateFile.limit)
        } catch {
            throw PrivateFile.failure(error, path)
        }
        return try PrivateFile.text(bytes, of: path)
    }

    private func input(of context: CommandContext) async throws(AuthFailure) -> String {
        var text = ""
        while let line = await context.edges.streams.exactLine() {
            text += line + "\n"
            guard text.utf8.count <= PrivateFile.limit else {
                throw AuthFailure(
                    .configuration, UserMessage("file.larger_than_limit", ["path": name(of: "-"), "limit": PrivateFile.limit]),
                    hint: "hint.check_right_file")
            }
        }
        return text
    }
}

/// The output of `yett config check`.
private struct ConfigurationCheck: Answer {
    /// The names of the checked files.
    let files: [String]
    let problems: [ConfigurationProblem]

    var lines: [String] {
        if problems.isEmpty { return files.map { "\($0): valid" } }
        return problems.map { problem in
            "\(problem.place): \(problem.message.english)" + (problem.hint.map { "; \($0.english)" } ?? "")
        }
    }

    func rows(on display: Display) -> [StyledText] {
        if problems.isEmpty { return files.flatMap { display.marked(display.good, "\($0): valid") } }
        return problems.flatMap { display.marked(display.bad, "\($0.place): \($0.message.english)", .danger, hint: $0.hint?.english) }
    }

    var json: JSONValue {
        .answer(("files", JSONValue(files)), ("valid", .bool(problems.isEmpty)), list: "problems", of: problems) { problem in
            .members(
                ("file", .string(problem.file)), ("line", problem.line.map { .number($0) } ?? .null),
                ("column", problem.column.map { .number($0) } ?? .null), ("message", .string(problem.message.english)),
                ("hint", JSONValue(problem.hint?.english)))
        }
    }
}
