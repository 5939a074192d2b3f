internal import Agent
public import AuthEngine
public import AuthModel
internal import CursesBackend
internal import Glibc
public import OperatingSystem
internal import SessionStore

/// The program's access to the outside world. Tests replace it; everything else is the same in tests and in use.
public struct Edges: Sendable {
    /// The environment variables.
    public var environment: [String: String]
    /// The folder that relative paths start from.
    public var workingDirectory: String
    /// The standard streams.
    public var streams: Streams
    /// The clock.
    public var time: any TimeSource
    /// The HTTP client.
    package var transport: any HTTPTransport & UpgradingTransport
    /// Opens a URL in the user's browser; does not wait for the browser to exit.
    public var openBrowser: @Sendable (BrowserRequest) async -> BrowserLaunch
    /// Returns the stream of signals that ask the program to end. Called once, and only for commands that must clean up.
    public var interruptions: @Sendable () -> AsyncStream<Interruption>
    /// Ends the process immediately with this exit status, without cleaning up.
    public var exitNow: @Sendable (Int32) -> Void
    /// Replaces this process with another program. Returns only if that fails.
    public var replaceProcess: @Sendable (_ arguments: [String], _ environment: [String: String]) -> SystemError
    /// Runs the terminal app until it ends. Throws `.configuration` if the terminal cannot run a full-screen app.
    public var runApp: @Sendable (AppLaunch) async throws(AuthFailure) -> Void
    /// The program to start as the agent; `nil` if there is none, and then no command starts an agent.
    public var agentProgram: String?
    /// This program, which starts confined commands; `nil` if its path is not known.
    public var ownProgram: String?
    /// The program with the test providers; `nil` if it is not installed.
    public var sandboxProgram: String?
    /// The session service of a command that runs in the agent; `nil` in a process of its own, which chooses one.
    var sessionService: (any SessionService)?
    /// Opens the terminal of the user for reading keys; returns `nil` if there is none.
    var keyTerminal: @Sendable () -> KeyTerminal? = { nil }
    /// The cost of deriving a key from a passphrase; lower in tests, which derive many keys.
    var derivation = KeyDerivation.Bounds.standard
    /// The delays and time limits of the engine.
    var engineLimits = EngineLimits()
    /// The location of the service of systemd that seals a store's key. Default: none.
    var systemCredentials = SystemCredentialKey.Location(socket: "")
    /// The location of the devices of security keys. Default: none.
    var securityKeys = SecurityKey.Location.none
    /// Returns whether a user can take part in a sign-in. Default: no user.
    var userPresence: @Sendable () -> UserPresence = { UserPresence() }
    /// Runs `yett login` with these arguments in a process of its own, and returns its exit status; `nil` if it could not be started, or if
    /// the task was cancelled.
    var login: @Sendable (_ arguments: [String], _ streams: LoginProcess.UserStreams) async -> Int32? = { _, _ in nil }
    /// Asks the terminal for its background; `nil` if it has no answer.
    var terminalBackground: @Sendable ([String: String]) -> TerminalBackground? = { _ in nil }
}

/// A request to show a URL in the user's browser.
public struct BrowserRequest: Equatable, Sendable {
    /// The URL to show.
    public var url: WebURL
    /// The browser command in the provider's configuration.
    public var command: String?
    /// Whether to open a private window.
    public var isPrivate: Bool = false
}

extension CommandContext {
    /// Opens a URL in the user's browser, as the configuration of a provider says; with the defaults for `nil`, a provider that is no
    /// longer configured.
    ///
    /// - Parameter isPrivate: whether to open a private window even if the configuration does not say so.
    func openBrowser(_ url: WebURL, of provider: ProviderConfiguration?, isPrivate: Bool = false) async -> BrowserLaunch {
        await edges.openBrowser(
            BrowserRequest(url: url, command: provider?.browser, isPrivate: isPrivate || provider?.isPrivate ?? false))
    }
}

extension Edges {
    /// Returns the edges of this process.
    public static func system() -> Edges {
        let environment = ProcessEnvironment.variables
        let time = SystemTimeSource()
        let browser = BrowserLauncher(environment: environment, time: time)
        let program = ProcessEnvironment.program
        return Edges(
            environment: environment, workingDirectory: ProcessEnvironment.workingDirectory, streams: .system, time: time,
            // A program of an intercepted command may call yett, whose own requests go where they always go.
            transport: CurlTransport(version: Program.version, environment: AgentStarter.withoutInterception(environment)),
            openBrowser: { await browser.open($0.url, command: $0.command, isPrivate: $0.isPrivate) },
            interruptions: SignalPipe.interruptions, exitNow: exitNow, replaceProcess: ProcessReplacement.run,
            runApp: { (launch) throws(AuthFailure) in try await AppLaunch.onTerminal(launch) }, agentProgram: program, ownProgram: program,
            sandboxProgram: ProcessEnvironment.sandboxProgram,
            keyTerminal: KeyTerminal.system, systemCredentials: .system, securityKeys: .system,
            userPresence: { UserPresence.system(environment) },
            login: { arguments, streams in
                guard let program else { return nil }
                return await LoginProcess(program: program, environment: environment).run(arguments, on: streams)
            },
            terminalBackground: { TerminalBackground.ask(term: $0["TERM"] ?? "", environment: $0) })
    }

    @Sendable private static func exitNow(_ status: Int32) {
        TerminalTyping.restoreTerminal()
        _exit(status)
    }
}

/// The process-wide settings that must be made before anything else.
enum ProcessStart {
    /// Prepares the process. Call it first, while there is only one thread.
    static func prepare() {
        // Only the user may read the files that this program creates.
        ProcessReplacement.originalMask = umask(0o077)
        pthread_sigmask(SIG_SETMASK, nil, &ProcessReplacement.originalSignals)
        // A closed pipe is then a handled write error and does not end the process.
        signal(SIGPIPE, SIG_IGN)
        fillStandardStreams()
        requireProcessFiles()
        closeMemory()
    }

    /// Ends the process with a message if `/proc` is missing: the thread pool of libdispatch reads it, and would crash later.
    private static func requireProcessFiles() {
        guard access("/proc/self/stat", R_OK) != 0 else { return }
        end(
            with: """
                yett: error: /proc is not mounted, and the program cannot run without it
                yett: hint: run as root: mount -t proc proc /proc

                """,
            as: AuthFailure(.configuration, text: ""))
    }

    /// Denies other processes access to this process's memory, because any command may hold a token, a key or a passphrase.
    private static func closeMemory() {
        do {
            try ProcessMemory.close()
        } catch {
            let reason = SystemError(number: error.number).text
            end(
                with: "yett: error: cannot protect this process's memory from other programs: \(reason)\n",
                as: AuthFailure(.security, text: ""))
        }
    }

    private static func end(with message: String, as failure: AuthFailure) -> Never {
        _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(failure.exitCode)
    }

    /// Opens `/dev/null` in place of each closed standard stream. Otherwise the next opened file would get its number, and output would be
    /// written into that file.
    private static func fillStandardStreams() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // Opened in the wrong direction, so that reading or writing still fails.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
