internal import ArgumentParser
internal import AuthModel

/// `yett token`: a fresh token, and nothing else, on standard output.
struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a fresh access token of a session.",
        discussion: "A token is not printed to a terminal, where it would stay in the scrollback, unless --show says so.")

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .shellCommand(CompleteCommand.line(.sessions)))
    var session: String

    @Option(help: ArgumentHelp("How long the token must still be good; 60 unless it says otherwise.", valueName: "seconds"))
    var minValid: Int?

    @Flag(help: "Print the ID token instead.")
    var idToken = false

    @Flag(help: "Print it as an Authorization header.")
    var header = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terms: TermsOptions

    @Flag(help: "Never renew; fail when the token at hand has ended, or ends before --min-valid.")
    var noRenew = false

    @Flag(help: "Print it even to a terminal.")
    var show = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard minValid.map((0...86_400 * 365).contains) != false else {
            throw ValidationError("--min-valid goes from 0 to one year, in seconds")
        }
        if header, json { throw ValidationError("--header and --json exclude each other") }
        if idToken, !terms.isEmpty {
            throw ValidationError("an ID token has no scopes and no audience of your choice; leave out --scope and --audience")
        }
        if header, idToken { throw ValidationError("an ID token is not sent in an Authorization header; leave out --header") }
    }

    /// Who forbids renewals takes what there is, for as long as it is good.
    private var validity: Duration {
        if let minValid { return .seconds(minValid) }
        return noRenew ? .zero : SessionSummary.freshness
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
                session: name, wanted: idToken ? .id : .access, minimumValidity: validity, mayRenew: !noRenew, terms: terms.terms,
                caller: "yett token"), from: keeper)
        if let minValid, let end = grant.expiresAt, end - context.now < .seconds(minValid) {
            let rest = max(0, (end - context.now).wholeSeconds)
            context.console.warning("the token is good for \(rest) s only: there is none to be had that lasts longer")
        }
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
