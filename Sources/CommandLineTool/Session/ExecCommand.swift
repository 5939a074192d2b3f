internal import ArgumentParser
internal import AuthModel
internal import System

/// `yett exec`: runs a command with a fresh token in its environment only.
struct ExecCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command with a fresh token in its environment.",
        discussion: """
            The command finds the token in ACCESS_TOKEN and YETT_ACCESS_TOKEN. It takes this program's place, so its exit status and the \
            signals it is sent are its own; 126 says that it cannot be run, 127 that there is no such command.
            """)
    // Until the command replaces this process, a signal ends it; afterwards no handler of ours exists.
    static let handlesInterruptions = false

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Argument(parsing: .postTerminator, help: "The command and its arguments, behind --.", completion: .systemCommand)
    var command: [String] = []

    @OptionGroup var terms: TokenRestrictionOptions

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard let program = command.first, !program.isEmpty else { throw ValidationError("there is no command; write it behind --") }
    }

    func run(in context: CommandContext) async throws {
        let name = try SessionName(argument: session)
        let service = try await context.unlockedService()
        var prompt = ConsentPrompt(context: context)
        let grant = try await prompt.token(TokenRequest(session: name, terms: terms.terms, caller: command.first), from: service)
        try grant.requireUnbound()
        var environment = context.edges.environment
        environment["ACCESS_TOKEN"] = grant.token.reveal()
        environment["YETT_ACCESS_TOKEN"] = grant.token.reveal()
        let error = context.edges.replaceProcess(command, environment)
        let isMissing = error.isMissingFile
        context.console.failure(
            AuthFailure(
                .usage, "cannot run \(command.first ?? ""): \(error.text)",
                hint: isMissing ? "is it installed, and in PATH?" : "is it a program?"))
        throw ExitStatus(code: isMissing ? 127 : 126)
    }
}
