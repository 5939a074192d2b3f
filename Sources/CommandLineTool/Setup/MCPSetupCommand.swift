internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// `yett setup mcp`: lets an editor or an assistant use a remote MCP server.
struct MCPSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an editor or an assistant use a remote MCP server.",
        discussion: """
            Adds the server to the client's own configuration of the user, as a command that runs yett mcp URL. The client gets no token. \
            Sign in first: yett login URL --register. See: yett help assistants.
            """)
    static let examples: KeyValuePairs = [
        "yett setup mcp example https://mcp.example.org/mcp --client claude": "Adds the server to Claude Code.",
        "yett setup mcp example --client claude --remove": "Removes it.",
    ]

    @Argument(help: "The name of the server in the client.")
    var name: String

    @Argument(help: "The URL of the server.")
    var url: String?

    @Option(help: ArgumentHelp("claude, cursor, vscode or zed.", valueName: "client"))
    var client: MCPClient

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
            throw ValidationError("the name must be one word")
        }
    }

    func run(in context: CommandContext) async throws {
        let address = try url.map { text throws(AuthFailure) in
            guard let url = WebURL(text), url.fragment == nil else {
                throw AuthFailure(.usage, text: "not the URL of an MCP server", hint: "write the full URL: https://mcp.example.org/mcp")
            }
            return try CredentialGate.normalized(url)
        }
        var session: SessionName?
        if !setup.remove, let address { session = try Self.session(for: address, in: context) }
        let tool = MCPSetup(name: name, client: client, url: address, session: session, environment: try SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }

    /// Returns the session for a server, without its account.
    private static func session(for url: WebURL, in context: CommandContext) throws(AuthFailure) -> SessionName {
        let providers = try context.configurationFile().read().providers
        guard let provider = providers.first(where: { $0.hasResource(at: url) }) else {
            throw AuthFailure(
                .notSignedIn, text: "not signed in at \(url.origin.authority)",
                hint: "sign in with: yett login \(ShellWord(url.text)) --register")
        }
        return try SessionName(argument: provider.name.text)
    }
}
