internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// `yett helper anthropic`: a token for the Anthropic API or a gateway to it, for Claude Code's `apiKeyHelper`.
///
/// Claude Code sends what it prints to the URL in `ANTHROPIC_BASE_URL`, which a project's settings can set.
struct AnthropicHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "anthropic", abstract: "Print a token for the Anthropic API, such as for Claude Code's apiKeyHelper.",
        discussion: """
            Prints the session's token if it may be sent to the URL in ANTHROPIC_BASE_URL, which a project's settings can change. Default: \
            \(Self.api). The host must be in api_hosts, or the URL the session's resource. yett setup claude configures Claude Code.
            """)
    static let examples: KeyValuePairs = ["yett helper anthropic work": "Prints the token that Claude Code sends to the API."]

    /// The API that Claude Code uses without the variable (code.claude.com/docs/en/settings).
    static let api = "https://api.anthropic.com"
    /// The variable with the URL of a gateway.
    static let variable = "ANTHROPIC_BASE_URL"

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "Claude Code")
        let address = context.edges.environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 } ?? Self.api
        guard let url = WebURL(address) else {
            throw AuthFailure(
                .usage, text: "\(Self.variable) is not a URL", hint: "write the full URL, such as \(Self.api)")
        }
        let configuration = try context.configurationFile().read()
        let provider = try configuration.named(SessionName(argument: session).provider.text)
        try TokenDestinations(provider: provider).requireAddress(url, in: configuration)
        var tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
        (tool.resource, tool.destination) = (url, url.origin.authority)
        try context.console.secret(try await tool.token(for: "anthropic", in: context).token)
    }
}
