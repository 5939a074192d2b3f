internal import ArgumentParser
internal import AuthModel
internal import System

/// `yett exec`: runs a command with a fresh token in its environment only.
struct ExecCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command with a fresh token in its environment.",
        discussion: """
            The token is in ACCESS_TOKEN and YETT_ACCESS_TOKEN. The command replaces this process, so it gets all signals, and its \
            exit status is that of yett exec. Exit status 126: the command cannot be run; 127: the command was not found.
            """)
    static let examples: KeyValuePairs = ["yett exec work -- ./deploy": "Runs ./deploy with the token in ACCESS_TOKEN."]
    // Until the command replaces this process, a signal ends it; afterwards no handler of ours exists.
    static let handlesInterruptions = false

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.", completion: .systemCommand)
    var command: [String] = []

    @OptionGroup var restrictions: TokenRestrictionOptions

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard let program = command.first, !program.isEmpty else { throw ValidationError("no command given; write it after --") }
    }

    func run(in context: CommandContext) async throws {
        let name = try SessionName(argument: session)
        let service = try await context.unlockedService()
        var prompt = ConsentPrompt(context: context)
        let issued = try await prompt.token(
            TokenRequest(session: name, restrictions: restrictions.restrictions, caller: command.first.map(UserMessage.verbatim)),
            from: service)
        try issued.requireUnbound()
        var environment = context.edges.environment
        environment["ACCESS_TOKEN"] = issued.token.reveal()
        environment["YETT_ACCESS_TOKEN"] = issued.token.reveal()
        let error = context.edges.replaceProcess(command, environment)
        let isMissing = error.isMissingFile
        context.console.failure(
            AuthFailure(
                .usage, text: "cannot run \(command.first ?? ""): \(error.text)",
                hint: isMissing ? "check that it is installed and in PATH" : "check that it is an executable program"))
        throw ExitStatus(code: isMissing ? 127 : 126)
    }
}
