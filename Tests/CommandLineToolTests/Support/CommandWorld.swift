import AuthEngine
import AuthModel
import Glibc
import OAuth
import ProcessHarness
import SessionStore
import Synchronization
import OperatingSystem
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// A home, streams and a browser for the real command, in this process. It neither reads nor changes anything of the user who runs the
/// tests.
///
/// The network, the store and the configuration are real. The home is removed with the last reference.
final class CommandWorld: Sendable {
    /// What happens when the command opens a browser.
    enum Browser: Sendable {
        /// Follows redirects, as a user whom the provider signs in without a page.
        case follows
        /// Starts, and does nothing.
        case isClosed
        /// There is no browser.
        case isMissing
        /// Calls a closure of the test with the URL.
        case does(@Sendable (WebURL) async -> Void)
    }

    /// The input and the streams of a user.
    struct User: Sendable {
        var hasTerminal = false
        /// The width of the terminal; `nil` if it is not known, and then output is plain lines.
        var columns: Int?
        /// Lines that are typed; then the input ends, or, at a terminal, waits forever.
        var lines: [String] = []
        /// Lines that are typed without echo.
        var hiddenLines: [String] = []
        /// Types lines when the test decides.
        var keyboard: Keyboard?
    }

    let home: String
    let environment: [String: String]
    /// Hosts that are reached at a port of this machine.
    let localPorts: [String: Int]
    /// Where systemd's credentials service is; empty if there is none.
    let credentials: String
    /// Where security keys are plugged in.
    let securityKeys: SecurityKey.Location
    /// The clock of every command in this home.
    let time = CivilShiftedTime()
    private let opened = Mutex<[WebURL]>([])

    init(
        _ environment: [String: String] = [:], localPorts: [String: Int] = [:], credentials: String = "",
        securityKeys: SecurityKey.Location = .none
    ) throws {
        self.credentials = credentials
        self.securityKeys = securityKeys
        var template = Array("/tmp/yett-command-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        home = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.localPorts = localPorts
        self.environment = [
            "HOME": home, "XDG_CONFIG_DIRS": home + "/system", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
        ].merging(environment) { $1 }
    }

    deinit { TemporaryFolder(existing: home).remove() }

    /// Returns a world with this configuration.
    static func configured(_ text: String) throws -> CommandWorld {
        let world = try CommandWorld()
        try world.configure(text)
        return world
    }

    /// Returns a world in which the sandbox at `issuer` is the provider `sandbox`.
    static func configured(issuer: String, more: String = "") throws -> CommandWorld {
        let world = try CommandWorld()
        try world.configure(issuer: issuer, more: more)
        return world
    }

    /// The URLs that a browser was asked to open, in order.
    var openedAddresses: [WebURL] { opened.withLock { $0 } }

    // MARK: Files

    var configurationPath: String { home + "/.config/yett/config.toml" }
    var storeDirectory: String { home + "/.local/share/yett" }
    var storePath: String { storeDirectory + "/sessions.db" }

    func configure(_ text: String) throws {
        try PrivateFile.makeDirectory(home + "/.config/yett")
        try PrivateFile.replace(configurationPath, with: Array(text.utf8))
    }

    /// Writes the administrator's configuration, and returns its path.
    @discardableResult
    func configureSystem(_ text: String) throws -> String {
        let folder = home + "/system/yett"
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.replace(folder + "/config.toml", with: Array(text.utf8))
        return folder + "/config.toml"
    }

    /// Configures the sandbox at `issuer` as the provider `sandbox`. The time limit ends a sign-in whose browser is lost long before the
    /// test run ends.
    func configure(issuer: String, more: String = "") throws {
        let timeout = more.contains("login_timeout") ? "" : "login_timeout = 900"
        try configure(
            """
            [providers.sandbox]
            kind = "oidc"
            issuer = "\(issuer)"
            client_id = "yett"
            scopes = ["openid", "profile", "email", "offline_access"]
            \(timeout)
            \(more)
            """)
    }

    /// Adds a provider for a resource to the configuration. Its authorization server is never asked.
    func addProvider(_ name: String, resource: String) throws {
        let section = """

            [providers.\(name)]
            kind = "oauth2"
            issuer = "https://as.example"
            client_id = "yett"
            resource = "\(resource)"

            """
        try configure(try text(configurationPath) + "\n" + section)
    }

    /// Returns the context of a command whose output is lost.
    func context() -> CommandContext {
        let edges = edges(into: StreamRecorder(told: nil))
        return CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
    }

    func text(_ path: String) throws -> String {
        let bytes = try #require(try PrivateFile.read(path))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the files below the home that contain a text in plain form, by their paths relative to the home.
    func files(containing text: String) -> [String] {
        let wanted = Array(text.utf8)
        func found(at path: String) -> [String] {
            let inside = FolderListing.names(in: home + path)
            guard inside.isEmpty else { return inside.flatMap { found(at: path + "/" + $0) } }
            // Only regular files can be read.
            let bytes = (try? PrivateFile.read(home + path)) ?? nil
            return bytes?.contains(wanted) == true ? [path] : []
        }
        return found(at: "")
    }

    // MARK: Running

    /// Runs a command line to its end.
    ///
    /// - Parameter status: the expected exit status; `nil` for any.
    @discardableResult
    func run(
        _ arguments: String..., browser: Browser = .follows, user: User = User(), with extra: [String: String] = [:],
        interruptions: AsyncStream<Interruption>? = nil, exits status: Int32? = nil, at place: SourceLocation = #_sourceLocation
    ) async -> CommandResult {
        await run(arguments, browser: browser, user: user, with: extra, interruptions: interruptions, exits: status, at: place)
    }

    @discardableResult
    func run(
        _ arguments: [String], browser: Browser = .follows, user: User = User(), with extra: [String: String] = [:],
        interruptions: AsyncStream<Interruption>? = nil, paste: AsyncStream<String>? = nil, time: (any TimeSource)? = nil,
        input: @escaping @Sendable () async -> [UInt8]? = { nil }, told: (@Sendable (String) -> Void)? = nil,
        exits status: Int32? = nil, at place: SourceLocation = #_sourceLocation
    ) async -> CommandResult {
        let recorder = StreamRecorder(told: told)
        var edges = edges(browser: browser, user: user, with: extra, interruptions: interruptions, paste: paste, time: time, into: recorder)
        edges.streams.bytes = input
        let result = recorder.result(await Program.run(arguments, edges: edges))
        if let status { #expect(result.status == status, "\(result.errors)", sourceLocation: place) }
        return result
    }

    /// Returns the edges of a command in this home, whose output goes to `recorder`.
    func edges(
        browser: Browser = .follows, user: User = User(), with extra: [String: String] = [:],
        interruptions: AsyncStream<Interruption>? = nil,
        paste: AsyncStream<String>? = nil, time: (any TimeSource)? = nil, into recorder: StreamRecorder
    ) -> Edges {
        let typing = Typist(user, paste: paste)
        let variables = environment.merging(extra) { $1 }
        let transport = transport(variables)
        var edges = Edges(
            environment: variables, workingDirectory: home,
            streams: Streams(
                isInputTerminal: user.hasTerminal, isAnswerTerminal: user.hasTerminal, isDiagnosticsTerminal: user.hasTerminal,
                write: { (output, bytes) throws(SystemError) in recorder.write(bytes, to: output) },
                line: { await typing.line() },
                hiddenLine: { ask in
                    ask()
                    return typing.hiddenLine()
                },
                columns: { user.columns }, size: { user.columns.map { ($0, 24) } }),
            time: time ?? self.time, transport: transport,
            openBrowser: { [self] request in
                opened.withLock { $0.append(request.url) }
                return await open(request.url, in: browser, transport: transport)
            },
            interruptions: { interruptions ?? AsyncStream { $0.finish() } }, exitNow: { _ in },
            replaceProcess: { arguments, environment in
                recorder.note(replacement: arguments, environment)
                return SystemError(number: arguments.first == "missing" ? ENOENT : EACCES)
            },
            runApp: { (launch) throws(AuthFailure) in recorder.note(launch) },
            ownProgram: try? Product.program("yett-main"), sandboxProgram: try? Product.program("yett-sandbox"),
            derivation: KeyDerivation.Bounds(accepted: 10...18, fresh: 10),
            systemCredentials: SystemCredentialKey.Location(socket: credentials), securityKeys: securityKeys)
        // On a busy machine answers come late. A code requested beside the browser would change requests and output, and a sign-out at its
        // limit would leave a token. A test that expects either has its own clock.
        if time == nil { (edges.engineLimits.deviceCodeDelay, edges.engineLimits.signOut) = (.seconds(86_400), .seconds(900)) }
        return edges
    }

    /// Returns the final URL of a browser on another machine: it reaches the provider, but not the port here.
    func answer(to url: WebURL) async -> String? {
        let response = try? await transport(environment).send(WebRequest(method: .get, url: url))
        return response?.header("Location")
    }

    /// Signs in with `--flow manual` and a browser on another machine: it reaches the provider, and its final URL is pasted.
    func signInByPaste() async -> CommandResult {
        let (addresses, address) = AsyncStream.makeStream(of: String.self)
        return await run(
            ["login", "--flow", "manual"], browser: .isMissing, paste: addresses,
            told: { line in
                guard let url = WebURL(String(line.trimmed)), url.path == "/authorize" else { return }
                Task {
                    address.yield(await self.answer(to: url) ?? "no answer")
                    address.finish()
                }
            })
    }

    /// Follows the redirects of a URL, as a browser does.
    func visit(_ url: WebURL) async {
        await RedirectFollower(transport: transport(environment)).visit(url)
    }

    private func transport(_ environment: [String: String]) -> PatientTransport {
        PatientTransport(transport: CurlTransport(version: "test", environment: environment, localPorts: localPorts))
    }

    private func open(_ url: WebURL, in browser: Browser, transport: any HTTPTransport) async -> BrowserLaunch {
        switch browser {
        case .follows:
            let visit: @Sendable () async -> Void = { await RedirectFollower(transport: transport).visit(url) }
            Task { await visit() }
        case .isClosed: break
        case .isMissing: return .none(reason: "no browser was found")
        case .does(let body): Task { await body(url) }
        }
        return .started(command: "test", privacy: .notAsked)
    }
}

/// The result of a command.
struct CommandResult: Sendable {
    var status: Int32
    var output: String
    var errors: String
    /// The program that it became, and its environment.
    var replacement: (arguments: [String], environment: [String: String])?
    /// The app that it opened.
    var launch: AppLaunch?

    /// Standard output as JSON.
    var json: JSONValue {
        get throws { try JSONValue(strict: output) }
    }

    /// The error object for programs: the one line of standard error that is JSON.
    var errorObject: JSONValue {
        get throws {
            let line = try #require(errors.split(separator: "\n").first { $0.hasPrefix("{") })
            let answer = try JSONValue(strict: String(line))
            #expect(answer.members?.map(\.name) == ["version", "error"])
            return try #require(answer["error"])
        }
    }
}
