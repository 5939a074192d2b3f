internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// The environment in which tools run, and the programs in it.
struct SetupEnvironment: Sendable {
    let variables: [String: String]
    /// The user's home folder.
    let home: String

    /// The time limit of a tool: a helper may renew a token first.
    private static let deadline = Duration.seconds(60)
    /// The largest output of a tool, in bytes.
    private static let limit = 4 << 20

    /// Throws `.configuration` if `HOME` is not set.
    init(_ context: CommandContext) throws(AuthFailure) {
        variables = context.edges.environment
        guard let home = context.directories.home else {
            throw AuthFailure(.configuration, text: "HOME is not set to an absolute path", hint: "set HOME")
        }
        self.home = home
    }

    init(variables: [String: String], home: String) { (self.variables, self.home) = (variables, home) }

    /// Returns the value of a variable; `nil` if it is not set or empty.
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the folder that a variable names, otherwise one below the home.
    func folder(_ variable: String, otherwise path: String) -> String { value(variable) ?? home + path }

    /// Returns the value of a variable that is an absolute path; `nil` if it is none.
    func absolute(_ variable: String) -> String? { value(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// The folder for configuration files of the user (XDG Base Directory Specification).
    var configuration: String { absolute("XDG_CONFIG_HOME") ?? home + "/.config" }

    // MARK: Programs

    /// The folder for programs of the user (XDG Base Directory Specification).
    var programFolder: String { home + "/.local/bin" }

    /// Throws `.configuration` if the folder for programs of the user is not in `PATH`, where a tool looks for a program.
    func requireProgramFolder(for name: String, of tool: String) throws(AuthFailure) {
        let folder = programFolder
        guard variables["PATH"]?.split(separator: ":").contains(where: { $0 == folder || $0 == folder + "/" }) == true else {
            throw AuthFailure(
                .configuration, text: "\(folder) is not in PATH, where \(tool) looks for \(name)",
                hint: "add it, such as: export PATH=\(ShellWord(folder)):\"$PATH\"")
        }
    }

    /// Returns the path of a program in `PATH`; `nil` if there is none.
    func program(_ name: String) -> String? { ChildProcess.find(name, in: variables["PATH"]) }

    /// Throws `.configuration` if a tool is not installed.
    func require(_ name: String) throws(AuthFailure) {
        guard program(name) == nil else { return }
        throw AuthFailure(.configuration, text: "\(name) is not in PATH", hint: "install \(name), or add its folder to PATH")
    }

    /// Returns the path of yett in `PATH`, where the tools look for it. Throws `.configuration` if there is none.
    func requireYett(for tool: String) throws(AuthFailure) -> String {
        if let path = program("yett") { return path }
        throw AuthFailure(
            .configuration, text: "yett is not in PATH, where \(tool) looks for it", hint: "add the folder of the program yett to PATH")
    }

    // MARK: Running

    /// Runs a command to its end. Throws `.configuration` if it cannot be run, and `.timedOut` after a minute.
    func run(_ words: [String], input: String = "", with extra: [String: String] = [:]) async throws(AuthFailure) -> CommandExchange {
        let environment = variables.merging(extra) { $1 }
        let result = await DetachedThread.run { () -> Result<CommandExchange, CapturedOutput.Failure> in
            Result { () throws(CapturedOutput.Failure) in
                try CommandExchange.run(
                    words.first ?? "", Array(words.dropFirst()), environment: environment, input: Array(input.utf8),
                    limit: Self.limit, deadline: Self.deadline)
            }
        }
        let name = words.first ?? ""
        switch result {
        case .success(let exchange): return exchange
        case .failure(.system(let error)):
            throw AuthFailure(.configuration, text: "cannot run \(name): \(error.text)", hint: "install \(name), or add its folder to PATH")
        case .failure(.timedOut):
            throw AuthFailure(.timedOut, text: "\(name) did not end within a minute", hint: "run it yourself: \(words.shellLine)")
        case .failure(.tooLarge):
            throw AuthFailure(.configuration, text: "\(name) printed too much", hint: "run it yourself: \(words.shellLine)")
        }
    }

    /// Runs a command that must succeed, and returns its output. Throws `.configuration` with what the command says about its failure.
    func output(of words: [String]) async throws(AuthFailure) -> String {
        let exchange = try await run(words)
        guard exchange.status == 0 else { throw failure(of: words, exchange) }
        return String(decoding: exchange.output, as: UTF8.self)
    }

    /// Returns the failure of a tool's command.
    func failure(of words: [String], _ exchange: CommandExchange) -> AuthFailure {
        let lines = exchange.errorLines
        let line = lines.first { $0.hasPrefix("error") || $0.hasPrefix("fatal") } ?? lines.last ?? "exit status \(exchange.status)"
        let name = words.first ?? ""
        let isTooOld = line.contains("unknown flag")
        return AuthFailure(
            .configuration, text: "\(name) failed: \(line)",
            hint: isTooOld ? "install a newer \(name)" : "correct that, and run the command again")
    }
}

extension CommandExchange {
    /// The lines of standard error that are not empty.
    var errorLines: [String] {
        String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0.trimmed) }.filter { !$0.isEmpty }
    }

    /// Returns why a helper gave no credential: the failure that yett reports, otherwise the last line of the tool.
    ///
    /// - Parameter subject: the start of the message, such as `git got no token for git.example.org`.
    func refusal(_ subject: String) -> AuthFailure {
        func text(after mark: String) -> String? {
            errorLines.compactMap { line in line.firstRange(of: mark).map { String(line[$0.upperBound...]) } }.first
        }
        let reason = text(after: "yett: error: ") ?? text(after: "yett: warning: ") ?? errorLines.last ?? "it printed none"
        return AuthFailure(
            .configuration, text: "\(subject): \(reason)", hint: text(after: "yett: hint: ") ?? "find the cause with: yett doctor")
    }
}
