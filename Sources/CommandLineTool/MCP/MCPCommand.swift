internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import MCPBridge
internal import OAuth

/// `yett mcp`: connects a client of the Model Context Protocol to a remote server, with a session's tokens.
struct MCPCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Connect an assistant to a remote MCP server.",
        discussion: """
            A client of the Model Context Protocol, such as an editor or an assistant, starts it and speaks over standard input and output. \
            Requests go to the server over HTTP, each with a fresh token of the session whose resource is the URL. The client never sees a \
            token, and all bridges share one renewal. If you are not signed in, requests fail at once with the command to run; after you \
            have signed in, they work without a restart. With --sign-in, or sign_in = "on-demand" in the provider's settings, a browser \
            opens instead; never for more scopes, which need your own yett login. See: yett help assistants.
            """)
    static let examples: KeyValuePairs = [
        "yett mcp https://mcp.example.org/mcp": "Serves one client until its input ends.",
        "yett mcp https://mcp.example.org/mcp --session work/ada": "Uses this session.",
    ]

    @Argument(help: "The URL of the MCP server.")
    var url: String

    @Option(help: ArgumentHelp("The session. Default: the one for this URL.", valueName: "session"), completion: .names(.sessions))
    var session: String?

    @Flag(help: "Open a browser if you have to sign in.")
    var signIn = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        guard let address = WebURL(url), address.fragment == nil else {
            throw AuthFailure(.usage, text: "not the URL of an MCP server", hint: "write the full URL: https://mcp.example.org/mcp")
        }
        let place = try CredentialGate.normalized(address)
        let credentials = MCPCredentials(
            address: place, named: try session.map { text throws(AuthFailure) in try SessionName(argument: text) }, signsIn: signIn,
            context: context)
        let bridge = Bridge(
            address: place, streams: MCPStreams(), transport: context.edges.transport, policy: try await credentials.transportPolicy(),
            credentials: credentials, time: context.edges.time)
        let watch = Task {
            for await _ in credentials.withdrawals { await bridge.withdraw() }
        }
        await bridge.run()
        watch.cancel()
        await credentials.end()
    }
}
