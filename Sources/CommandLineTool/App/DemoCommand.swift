internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import UserConfiguration

/// `yett demo`: runs the app with sandbox providers, in a temporary home folder.
struct DemoCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Try everything: the app with test providers, in a temporary home.",
        discussion: "Reads and changes none of your files. Deletes the temporary home when you quit.")
    static let examples: KeyValuePairs = ["yett demo": "Opens the app with test providers."]
    // The app handles the signals itself and restores the terminal.
    static let handlesInterruptions = false

    func run(in context: CommandContext) async throws { try await Self.show(in: context) }

    /// Runs the demo until the user quits the app, then stops the servers and removes the home folder.
    static func show(in context: CommandContext) async throws {
        guard context.canRunApp || context.canRunPlain else {
            throw AuthFailure(
                .usage, text: "the demo needs a terminal", hint: "without a terminal, run yett sandbox, and sign in with yett login")
        }
        let program = try context.sandboxProgram()
        let folder = try TemporaryFolder(prefix: "yett-demo", environment: context.edges.environment)
        defer { folder.remove() }
        let sandbox = try await RunningSandbox.start(program, environment: context.edges.environment)
        let result = await Result<Void, any Error>.of {
            let home = try Self.prepare(folder, for: sandbox, in: context)
            context.console.note("opening the demo's sessions at the test providers …")
            try await DemoPlanting.plant(sandbox, in: home)
            // It renews the short sessions while the user looks, as the agent does.
            let service = try await home.agentSessionService(
                log: home.activityLog(), forwarded: ForwardedSessions([]), oidcAgent: OIDCAgentSetting())
            try await service.start()
            let others = sandbox.seed.steps.compactMap { step in
                if case .signIn(let signIn) = step.step { (name: signIn.user, password: signIn.password) } else { nil }
            }
            let outcome = await Result<Void, any Error>.of {
                try await AppStart.run(in: home.with(service), demoUsers: [sandbox.user] + others)
            }
            await service.end()
            await service.shutDown()
            try outcome.get()
        }
        await sandbox.stop()
        try result.get()
    }

    /// Returns a context with the same system edges and a temporary home folder. The browser still starts with the user's environment.
    private static func prepare(
        _ folder: TemporaryFolder, for sandbox: RunningSandbox, in context: CommandContext
    ) throws(AuthFailure) -> CommandContext {
        var edges = context.edges
        edges.environment["HOME"] = folder.path
        for variable in [
            "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "YETT_CONFIG",
            "YETT_PASSPHRASE_FILE",
        ] {
            edges.environment[variable] = nil
        }
        edges.environment["XDG_CONFIG_DIRS"] = folder.path + "/.config/system"
        edges.agentProgram = nil
        edges.environment["YETT_NO_AGENT"] = "1"
        var options = GlobalOptions()
        options.isPlain = context.options.isPlain
        let demo = CommandContext(edges: edges, options: options, console: context.console)
        let directory = try demo.directories.configuration
        try PrivateFile.makeDirectory(directory)
        // Seals the sessions without the user's keyring, which is not the demo's to write to. The guest is one of many sessions here.
        let configuration = sandbox.configuration + "\n[ui]\nguest_prompt = false\n[store]\nseal = \"key-file\"\n"
        try PrivateFile.replace(directory + "/config.toml", with: Array(configuration.utf8))
        return demo
    }
}

extension CommandContext {
    /// Returns the same context with a session service in this process.
    fileprivate func with(_ service: AgentSessionService) -> CommandContext {
        var edges = self.edges
        edges.sessionService = service
        return CommandContext(edges: edges, options: options, console: console)
    }
}

/// The program `yett-sandbox`, running as a child. It ends when this process ends, however that ends.
struct RunningSandbox: Sendable {
    /// The configuration that makes its providers providers of Yett.
    let configuration: String
    /// A user who can sign in.
    let user: (name: String, password: String)
    /// The demo's sessions and history.
    let seed: DemoSeed
    private let child: ChildProcess
    /// The child runs until this end of its standard input is closed.
    private let input: Int32
    /// The child's standard output.
    private let output: Int32

    /// Starts the providers on free ports, and waits until they answer.
    ///
    /// - Throws: `.configuration` if they do not start.
    static func start(_ program: String, environment: [String: String]) async throws(AuthFailure) -> RunningSandbox {
        try await DetachedThread.run { startHere(program, environment) }.get()
    }

    /// Sets the clocks of the providers, and waits until that is done.
    func setClock(secondsAgo: Int64) async {
        await DetachedThread.run {
            let line = "\(secondsAgo)\n"
            if line.withCString({ write(input, $0, line.utf8.count) }) == line.utf8.count { _ = Self.firstLine(output) }
        }
    }

    /// Ends the providers, and waits until they have ended.
    func stop() async {
        close(input)
        close(output)
        await DetachedThread.run { _ = child.wait() }
    }

    private static func startHere(_ program: String, _ environment: [String: String]) -> Result<RunningSandbox, AuthFailure> {
        let input: Pipe
        let output: Pipe
        let child: ChildProcess
        do throws(SystemError) {
            input = try Pipe()
            do throws(SystemError) {
                output = try Pipe()
            } catch {
                close(input.readEnd)
                close(input.writeEnd)
                throw error
            }
            defer {
                close(input.readEnd)
                close(output.writeEnd)
            }
            child = try ChildProcess.start(
                program, ["--json", "--until-input-ends", "--demo"], environment: environment,
                streams: ChildProcess.Streams(input: .descriptor(input.readEnd), output: .descriptor(output.writeEnd), errors: .inherited))
        } catch {
            return .failure(error.failure("phrase.start", program))
        }
        let notice = try? JSONValue(strict: firstLine(output.readEnd))
        guard let configuration = notice?["configuration"]?.string, let user = notice?["users"]?.array?.first,
            let name = user["name"]?.string, let password = user["password"]?.string
        else {
            close(input.writeEnd)
            close(output.readEnd)
            child.wait()
            return .failure(
                AuthFailure(.configuration, text: "the test providers did not start", hint: "find out why with: yett sandbox"))
        }
        return .success(
            RunningSandbox(
                configuration: configuration, user: (name, password), seed: DemoSeed(notice?["demo"]), child: child, input: input.writeEnd,
                output: output.readEnd))
    }

    /// Everything up to the first line end, or to the end of the output.
    private static func firstLine(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !line.contains(UInt8(ascii: "\n")) {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            line += chunk[..<count]
        }
        return String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// `yett sandbox`: becomes the program `yett-sandbox`, which reads the arguments.
struct SandboxCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Run test providers on loopback.",
        discussion: "An OpenID provider, and the systems of five vendors. yett sandbox --help lists the options.")
    static let examples: KeyValuePairs = [
        "yett sandbox --port 8080": "Runs the test providers on this port and the next ones.",
        "yett sandbox --vendor none --auto-approve ada": "Runs only the OpenID provider, which signs in ada without a page.",
        "yett sandbox --list-vendors": "Lists the endpoints and settings of the vendor systems.",
    ]
    static let handlesInterruptions = false

    @Argument(parsing: .captureForPassthrough, help: "Options of yett-sandbox.")
    var arguments: [String] = []

    /// Returns the command for these arguments, all of which belong to `yett-sandbox`: `--help` too.
    static func passing(_ arguments: [String]) -> SandboxCommand {
        var command = SandboxCommand()
        command.arguments = arguments
        return command
    }

    func run(in context: CommandContext) async throws {
        let program = try context.sandboxProgram()
        let error = context.edges.replaceProcess([program] + arguments, context.edges.environment)
        throw AuthFailure(.configuration, text: "cannot run \(program): \(error.text)")
    }
}

extension CommandContext {
    /// Returns the path of `yett-sandbox`.
    ///
    /// - Throws: `.configuration`, naming the package, if it is not installed.
    func sandboxProgram() throws(AuthFailure) -> String {
        if let program = edges.sandboxProgram { return program }
        throw AuthFailure(
            .configuration, text: "the test providers are not installed: yett-sandbox is missing",
            hint: "install the package yett-sandbox, or build it: swift build --product yett-sandbox")
    }

    /// Returns what `yett-sandbox` prints about itself for an option; `nil` if it is not installed.
    func sandboxOutput(_ option: String) async -> String? {
        guard let program = edges.sandboxProgram else { return nil }
        let output = await DetachedThread.run { [environment = edges.environment] in
            try? CapturedOutput.run(program, [option], environment: environment, limit: 1 << 20, deadline: .seconds(15))
        }
        return output.flatMap { $0.status == 0 ? String(decoding: $0.bytes, as: UTF8.self) : nil }
    }

    /// Returns the parser's description of the options that `yett-sandbox` reads; `nil` if it is not installed.
    func sandboxDescription() async -> JSONValue? {
        guard let text = await sandboxOutput("--experimental-dump-help") else { return nil }
        return (try? JSONValue(strict: text, limits: .init(bytes: 1 << 20, depth: 64)))?["command"]
    }
}

extension ProcessEnvironment {
    /// The path of `yett-sandbox`, beside this program or in `../libexec/yett`; `nil` if it is in neither.
    static var sandboxProgram: String? {
        guard let program, let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        return ["\(folder)/yett-sandbox", "\(folder)/../libexec/yett/yett-sandbox"].first { access($0, X_OK) == 0 }
    }
}
