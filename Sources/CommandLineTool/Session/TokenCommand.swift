internal import Agent
internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth

/// `yett token`: prints a fresh token on standard output, and nothing else.
struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a fresh access token of a session.",
        discussion: """
            Without a session the only one is taken. A token is not printed to a terminal, where it would stay in the scrollback, unless \
            --show says so.

            A token that is bound to a key (dpop = "required") is of no use alone, and is not printed. --dpop prints both header lines \
            of one request, for a server that wants no nonce: yett token work --dpop GET URL | curl -H @- URL; yett request sends them itself.
            """)

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT; the only session where it is left out.", completion: .names(.sessions))
    var session: String?

    @Option(help: ArgumentHelp("How long the token must still be good; 60 unless it says otherwise.", valueName: "seconds"))
    var minValid: Int?

    @Flag(help: "Print the ID token instead.")
    var idToken = false

    @Flag(help: "Print it as the header line that the provider's resources take.")
    var header = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Print the header lines for one request with a token that is bound to a key.", valueName: "method url"))
    var dpop: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var terms: TokenRestrictionOptions

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
        if !dpop.isEmpty {
            if json || header || idToken { throw ValidationError("--dpop excludes --header, --json and --id-token") }
            // Any third value is the session.
            guard dpop.count == 2 || dpop.count == 3 && session == nil else {
                throw ValidationError("--dpop takes a method and an address: --dpop GET https://api.example.org/")
            }
        }
        if header, idToken { throw ValidationError("an ID token is not sent in an Authorization header; leave out --header") }
    }

    /// The time for which the token must still be valid. With `--no-renew`, any valid token is accepted.
    private var validity: Duration {
        if let minValid { return .seconds(minValid) }
        return noRenew ? .zero : SessionSummary.freshness
    }

    private func grant(of name: SessionName?, in context: CommandContext) async throws(AuthFailure) -> IssuedToken {
        switch LauncherAnswer.take(from: context.edges.environment) {
        case .token(let grant): return grant
        case .failure(let failure): throw failure
        case nil: break
        }
        let service = try await context.unlockedService()
        let session: SessionName
        if let name { session = name } else { session = try await service.only(nil).name }
        var prompt = ConsentPrompt(context: context)
        return try await prompt.token(
            TokenRequest(
                session: session, wanted: idToken ? .id : .access, minimumValidity: validity, mayRenew: !noRenew, terms: terms.terms,
                caller: "yett token"), from: service)
    }

    func run(in context: CommandContext) async throws {
        let name = try (session ?? dpop.dropFirst(2).first).map { text throws(AuthFailure) in try SessionName(argument: text) }
        let request = try proofTarget()
        if context.edges.streams.isAnswerTerminal, !show {
            throw AuthFailure(
                .usage, "a token is not printed to a terminal", hint: "send it into a pipe or a command, or add --show")
        }
        let grant = try await grant(of: name, in: context)
        if let warning = grant.warning { context.console.warning(warning) }
        if let minValid, let end = grant.expiresAt, end - context.now < .seconds(minValid) {
            let rest = max(0, (end - context.now).wholeSeconds)
            context.console.warning("the token is good for \(rest) s only: there is none to be had that lasts longer")
        }
        if let request {
            try context.console.secret(try await proved(grant, for: request, in: context))
            return
        }
        try grant.requireUnbound()
        if json {
            try context.console.secret(Secret(AgentTokenResponse(grant).json.text))
        } else {
            try context.console.secret(header ? Self.line(grant, in: context) : grant.token)
        }
    }

    /// Returns the header line with the token, in the form that the provider's resources accept.
    private static func line(_ grant: IssuedToken, in context: CommandContext) throws(AuthFailure) -> Secret {
        // A provider that was removed from the configuration has no dialect any more.
        let provider = try context.configurationFile().read().provider(grant.session.provider)
        let field = (provider?.resourceDialect ?? BearerDialect()).field(for: grant)
        return Secret("\(field.name): \(field.value.reveal())")
    }

    /// Returns the request that `--dpop` names. Throws `.usage` if no proof can be made for it.
    private func proofTarget() throws(AuthFailure) -> (method: String, url: WebURL)? {
        guard !dpop.isEmpty else { return nil }
        let method = dpop[0].uppercased()
        guard WebRequest.Method(rawValue: method) != nil else {
            throw AuthFailure(.usage, "there is no method \(method) to prove", hint: "there are GET, POST, PUT and DELETE")
        }
        guard let url = WebURL(dpop[1]), url.isProtected else {
            throw AuthFailure(
                .usage, "'\(dpop[1])' is not an address that a token may go to", hint: "write it whole: https://api.example.org/")
        }
        return (method, url)
    }

    /// Returns the two header lines for a request (RFC 9449 section 7.1).
    private func proved(
        _ grant: IssuedToken, for request: (method: String, url: WebURL), in context: CommandContext
    ) async throws(AuthFailure) -> Secret {
        guard grant.isBound else {
            throw AuthFailure(
                .configuration, "the token of \(grant.session) is not bound to a key, so there is nothing to prove",
                hint: "use: yett token \(grant.session.shellWord) --header")
        }
        let proof = try await context.unlockedService().proof(
            ProofRequest(session: grant.session, accessToken: grant.token, method: request.method, url: request.url))
        return Secret("Authorization: DPoP \(grant.token.reveal())\nDPoP: \(proof)")
    }
}

/// A token and its properties, as JSON.
private struct AgentTokenResponse {
    let grant: IssuedToken

    init(_ grant: IssuedToken) { self.grant = grant }

    var json: JSONValue {
        .answer(
            ("session", .string(grant.session.description)),
            ("token", .string(grant.token.reveal())),
            ("token_type", .string(grant.tokenType)),
            ("expires_at", JSONValue(grant.expiresAt)),
            ("scopes", JSONValue(grant.scopes.values)))
    }
}
