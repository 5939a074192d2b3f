internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Dispatch
internal import Glibc
internal import MCPBridge
internal import OAuth
internal import OperatingSystem
internal import Synchronization

/// `yett mcp`: connects a client of the Model Context Protocol to a remote server, with a session's tokens.
struct MCPCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Connect an assistant to a remote MCP server.",
        discussion: """
            A client of the Model Context Protocol, such as an editor or an assistant, starts it and speaks over standard input and output. \
            Requests go to the server over HTTP, each with a fresh token of the session whose resource is the URL. The client never sees a \
            token, and all bridges share one renewal. If you are not signed in, the client leads you to a page where a click starts the \
            sign-in, if it can; else requests fail at once with the command to run, and after you have signed in, they work without a \
            restart. With --sign-in, or sign_in = "on-demand" in the provider's settings, a browser opens instead; for more scopes, \
            which otherwise need your click or your own yett login, only with --more-scopes. The options of yett login for a server \
            that is new to you, such as --register, make the first sign-in, too. See: yett help assistants.

            With --list, it connects nothing and prints the bridges that run: the program that started each, its server and session, when \
            it last made a request, and when the session is renewed next.
            """)
    static let examples: KeyValuePairs = [
        "yett mcp https://mcp.example.org/mcp": "Serves one client until its input ends.",
        "yett mcp https://mcp.example.org/mcp --session work/ada": "Uses this session.",
        "yett mcp https://mcp.example.org/mcp --account grace": "Uses this account at the server's provider.",
        "yett mcp https://mcp.example.org/mcp --sign-in --register": "Signs in by itself, the first time, too.",
        "yett mcp --list": "Prints the bridges that run.",
    ]

    @Argument(help: "The URL of the MCP server.")
    var url: String?

    @Option(help: ArgumentHelp("The session. Default: the one for this URL.", valueName: "session"), completion: .names(.sessions))
    var session: String?

    @Option(
        help: ArgumentHelp("The account at the server's provider, for several accounts side by side.", valueName: "label"))
    var account: String?

    @Flag(help: "Open a browser if you have to sign in.")
    var signIn = false

    @Flag(help: "With --sign-in, open a browser also if the server wants more scopes than the session has.")
    var moreScopes = false

    @OptionGroup var client: ClientOptions
    @OptionGroup var trust: TrustOptions

    @Flag(help: "Print the bridges that run.")
    var list = false

    @Flag(help: "With --list, print JSON.")
    var json = false

    func validate() throws {
        guard list != (url != nil) else {
            throw ValidationError(list ? "--list needs no URL" : "no URL given; write it first, or use --list")
        }
        guard !list || session == nil && account == nil && !signIn else {
            throw ValidationError("--list cannot be combined with --session, --account or --sign-in")
        }
        guard list || !json else { throw ValidationError("--json belongs to --list") }
        if session != nil, account != nil { throw ValidationError("--session and --account cannot be combined") }
        guard signIn || !moreScopes && firstOptions.isEmpty else {
            throw ValidationError("\(moreScopes ? "--more-scopes" : firstOptions[0]) belongs to --sign-in")
        }
        if let account, !SessionName.isLabel(account) {
            throw ValidationError("'\(account)' is not an account label; use letters, digits and . _ - @ +")
        }
    }

    /// The options of `yett login` for a server that is new. An option and its value are one word.
    private var firstOptions: [String] {
        let flags = (client.register ? ["--register"] : []) + (trust.yes ? ["--yes"] : [])
        let values = [
            ("--client-id", client.clientID), ("--client-metadata", client.clientMetadata),
            ("--client-secret-file", client.clientSecretFile), ("--issuer", trust.issuer), ("--from", trust.from),
        ]
        return flags + values.compactMap { name, value in value.map { "\(name)=\($0)" } }
    }

    func run(in context: CommandContext) async throws {
        guard let url else { return try await printList(in: context) }
        guard let address = WebURL(url), address.fragment == nil else {
            throw AuthFailure(.usage, text: "not the URL of an MCP server", hint: "write the full URL: https://mcp.example.org/mcp")
        }
        let server = try CredentialGate.normalized(address)
        let credentials = MCPCredentials(
            address: server, named: try session.map { text throws(AuthFailure) in try SessionName(argument: text) }, account: account,
            permission: .init(opensBrowser: signIn, widensSessions: moreScopes, firstOptions: firstOptions), context: context)
        let bridge = Bridge(
            address: server, streams: MCPStreams(console: context.console), transport: context.edges.transport,
            policy: try await credentials.transportPolicy(), credentials: credentials, time: context.edges.time)
        let watch = Task {
            for await _ in credentials.withdrawals { await bridge.withdraw() }
        }
        await bridge.run()
        watch.cancel()
        await credentials.end()
    }

    private func printList(in context: CommandContext) async throws {
        let bridges = RunningBridges(context: context).all()
        let sessions = bridges.isEmpty ? [] : try await context.service().sessions()
        try context.answer(BridgeReport(bridges: bridges, sessions: sessions), asJSON: json)
        if bridges.isEmpty, !json { context.console.note("no bridge runs") }
    }
}

/// The standard streams of `yett mcp`: whole lines of any length, read and written on threads of their own.
final class MCPStreams: BridgeStreams {
    private struct State {
        var lines: [[UInt8]] = []
        var isAtEnd = false
        var isStarted = false
        var isEnding = false
        var waiting: CheckedContinuation<[UInt8]?, Never>?
    }

    private let console: Console
    private let state = Mutex(State())
    /// Grows when a line is taken, so that reading continues.
    private let freeLines = {
        // Created at 0 and raised by signals: libdispatch ends the program if a semaphore is freed below its initial value, here with lines
        // unread.
        let semaphore = DispatchSemaphore(value: 0)
        for _ in 0..<64 { semaphore.signal() }
        return semaphore
    }()
    private let writing = DispatchQueue(label: "output of yett mcp")

    /// The maximum length of a line in bytes. A longer one is passed on as far as this, and is no JSON then.
    private static let lineLimit = 64 << 20
    /// The number of bytes that a pipe with any room takes at once (PIPE_BUF).
    private static let portion = 4096

    init(console: Console) { self.console = console }

    func warn(_ message: UserMessage) { console.warning(message) }

    func nextLine() async -> [UInt8]? {
        start()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let line: [UInt8]?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if !state.lines.isEmpty { return .some(state.lines.removeFirst()) }
                    if state.isAtEnd { return .some(nil) }
                    state.waiting = continuation
                    return nil
                }
                guard let line else { return }
                if line != nil { freeLines.signal() }
                continuation.resume(returning: line)
            }
        } onCancel: {
            state.withLock { state in
                defer { state.waiting = nil }
                state.isEnding = true
                return state.waiting
            }?.resume(returning: nil)
        }
    }

    func write(line: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            writing.async {
                let isWritten = self.writeAll(line + [UInt8(ascii: "\n")])
                // A client that no longer reads wants nothing more, even if its end of the input stays open.
                if !isWritten { self.end() }
                continuation.resume(returning: isWritten)
            }
        }
    }

    /// Ends the input, for which the bridge may be waiting.
    private func end() {
        state.withLock { state in
            state.isAtEnd = true
            defer { state.waiting = nil }
            return state.waiting
        }?.resume(returning: nil)
    }

    // MARK: On other threads

    private func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if isFirst { DetachedThread.startOrRun { self.readAll() } }
    }

    private func readAll() {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(0, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            var rest = chunk[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                deliver(line)
                line = []
            }
            if line.count < Self.lineLimit { line += rest }
        }
        if !line.isEmpty { deliver(line) }
        end()
    }

    private func deliver(_ line: [UInt8]) {
        freeLines.wait()
        let waiting = state.withLock { state -> CheckedContinuation<[UInt8]?, Never>? in
            guard let waiting = state.waiting else {
                state.lines.append(line)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        guard let waiting else { return }
        freeLines.signal()
        waiting.resume(returning: line)
    }

    /// Writes all bytes. Returns false if the client no longer reads, or does not read while the bridge is to end.
    private func writeAll(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var output = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
            guard poll(&output, 1, 200) > 0 else {
                if state.withLock({ $0.isEnding || $0.isAtEnd }) { return false }
                continue
            }
            let count = rest.prefix(Self.portion).withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
