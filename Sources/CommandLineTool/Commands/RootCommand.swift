internal import ArgumentParser

/// `yett`: runs the terminal app; the parent of all other commands.
struct RootCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "yett",
        abstract: "Sign in to any OAuth 2 or OpenID Connect service from the terminal, and give its tokens to your tools.",
        discussion: """
            Without a command, yett opens the full-screen app, or with --plain the same as line-by-line prompts. Without a \
            terminal, it runs yett status.

            exit status: 0 done, 1 a bug, 2 configuration or store, 3 cancelled, 4 timed out, 5 denied by the provider, \
            6 sign in again, 7 network or server trouble, 8 refused for security, 9 not signed in, 10 already signed in, \
            64 the command line is wrong
            """,
        version: Program.version,
        subcommands: [
            LoginCommand.self,
            SignupCommand.self,
            RecoverCommand.self,
            LogoutCommand.self,
            StatusCommand.self,
            SessionsCommand.self,
            AccountsCommand.self,
            SwitchCommand.self,
            PickCommand.self,
            RevokeCommand.self,
            TokenCommand.self,
            RenewCommand.self,
            ExecCommand.self,
            RequestCommand.self,
            ProxyCommand.self,
            MCPCommand.self,
            SetupCommand.self,
            HelperCommand.self,
            SSHCommand.self,
            InspectCommand.self,
            ProvidersCommand.self,
            ConfigCommand.self,
            DoctorCommand.self,
            DemoCommand.self,
            SandboxCommand.self,
            ThemeCommand.self,
            AgentCommand.self,
            ActivityCommand.self, FilesCommand.self,
            HelpCommand.self,
            CompletionsCommand.self,
            CompleteCommand.self,
        ])
    static let examples: KeyValuePairs = [
        "yett": "Opens the app.",
        "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT": "Adds a provider.",
        "yett login work": "Signs in there.",
        "yett status": "Lists your sessions.",
        "yett token work": "Prints a fresh access token.",
    ]

    static let handlesInterruptions = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        guard context.canRunApp || context.canRunPlain else { return try await StatusCommand.show(nil, asJSON: false, in: context) }
        try await AppStart.run(in: context)
    }
}
