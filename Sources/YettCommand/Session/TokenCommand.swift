internal import ArgumentParser
internal import AuthModel

/// `yett token`: a fresh token, and nothing else, on standard output.
struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a fresh access token of a session.",
        discussion: "A token is not printed to a terminal, where it would stay in the scrollback, unless --show says so.")

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .shellCommand(CompleteCommand.line(.sessions)))
    var session: String

    @Option(help: ArgumentHelp("How long the token must still be good.", valueName: "seconds"))
    var minValid = Int(SessionSummary.freshness.wholeSeconds)

    @Flag(help: "Print the ID token instead.")
    var idToken = false

    @Flag(help: "Print it as an Authorization header.")
    var header = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terms: TermsOptions

    @Flag(help: "Never renew; fail when the token at hand has ended.")
    var noRenew = false

    @Flag(help: "Print it even to a terminal.")
    var show = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard (0...86_400 * 365).contains(minValid) else { throw ValidationError("--min-valid goes from 0 to one year, in seconds") }
        if header, json { throw ValidationError("--header and --json exclude each other") }
        if idToken, !terms.isEmpty {
            throw ValidationError("an ID token has no scopes and no audience of your choice; leave out --scope and --audience")
        }
        if header, idToken { throw ValidationError("an ID token is not sent in an Authorization header; leave out --header") }
    }

    func run(in context: CommandContext) async throws {
        let name = try SessionName(argument: session)
        if context.edges.streams.isAnswerTerminal, !show {
            throw AuthFailure(
                .usage, "a token is not printed to a terminal", hint: "send it into a pipe or a command, or add --show")
        }
        let keeper = try await context.unlockedKeeper()
        var prompt = ConsentPrompt(context: context)
        let grant = try await prompt.token(
            TokenRequest(
                session: name, wanted: idToken ? .id : .access, minimumValidity: .seconds(minValid), mayRenew: !noRenew,
                terms: terms.terms, caller: "yett token"), from: keeper)
        if json {
            try context.console.secret(Secret(TokenAnswer(grant).json.text))
        } else {
            try context.console.secret(grant.token, after: header ? "Authorization: \(grant.tokenType.headerScheme) " : "")
        }
    }
}

extension String {
    /// A token type as the scheme of an Authorization header: what is no OAuth token travels as Bearer too, as `yett request` sends it.
    fileprivate var headerScheme: String { lowercased() == "dpop" ? "DPoP" : "Bearer" }
}

/// A token with what is known of it, for programs.
private struct TokenAnswer {
    let grant: TokenGrant

    init(_ grant: TokenGrant) { self.grant = grant }

    var json: JSONValue {
        .answer(
            ("session", .string(grant.session.description)),
            ("token", .string(grant.token.reveal())),
            ("token_type", .string(grant.tokenType)),
            ("expires_at", JSONValue(grant.expiresAt)),
            ("scopes", JSONValue(grant.scopes.values)))
    }
}
