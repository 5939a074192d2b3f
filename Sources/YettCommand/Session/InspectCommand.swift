internal import ArgumentParser
internal import AuthModel

/// `yett inspect`: what a token says, and whether it is true; never a token itself.
struct InspectCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Decode and verify a JWT: a session's, or one from standard input.",
        discussion: """
            A token from standard input is verified where its issuer is a configured provider, which may be asked for its keys. What a
            session's token does not say itself, its provider is asked where it tells this client (RFC 7662).
            """)

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT; - reads a token from standard input.",
        completion: .shellCommand(CompleteCommand.line(.sessions)))
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        if session == "-" {
            let keeper = try await context.keeper()
            let view = try await keeper.inspect(token(from: context))
            return try context.console.answer(Inspection(session: nil, tokens: [view], now: context.now), asJSON: json)
        }
        let keeper = try await context.unlockedKeeper()
        let sessions = try await keeper.sessions()
        let summary = try session.map { text throws(AuthFailure) in try sessions.only(SessionName(argument: text)) } ?? sessions.only()
        let detail = try await keeper.session(summary.name)
        let tokens = try await keeper.tokens(of: summary.name)
        try context.console.answer(Inspection(session: detail, tokens: tokens, now: context.now), asJSON: json)
    }

    private func token(from context: CommandContext) async throws(AuthFailure) -> Secret {
        var line = await context.edges.streams.line()
        while let text = line, text.allSatisfy(\.isWhitespace) { line = await context.edges.streams.line() }
        guard let line, let token = line.split(separator: " ").last else {
            throw AuthFailure(
                .usage, "there is no token on standard input", hint: "for example: yett token SESSION --id-token | yett inspect -")
        }
        return Secret(token)
    }
}
