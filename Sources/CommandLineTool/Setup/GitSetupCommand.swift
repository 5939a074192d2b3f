internal import ArgumentParser
internal import AuthModel

/// `yett setup git`: lets git get tokens for a host.
struct GitSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Let git get tokens for a host.",
        discussion: """
            Adds yett helper git as the only credential helper for the host to git's global configuration, and the host to api_hosts of \
            the session's provider.
            """)
    static let examples: KeyValuePairs = [
        "yett setup git git.example.org work": "Lets git get tokens of the session for this host.",
        "yett setup git git.example.org --remove": "Removes the setup.",
    ]

    @Argument(help: "The host of the repositories: HOST or HOST:PORT.")
    var host: String

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT. Default: the only session.", completion: .names(.sessions))
    var session: String?

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try await setup.session(session, in: context)
        let tool = try GitSetup(host: host, session: name, environment: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }
}
