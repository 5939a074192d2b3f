internal import Agent
internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import UserConfiguration

/// `yett token`: prints a fresh token on standard output, and nothing else.
struct TokenCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a fresh access token of a session.",
        discussion: """
            Without SESSION, yett uses the only session. Tokens are not printed to a terminal, where they would stay in the scrollback, \
            unless you add --show.

            A token that is bound to a key (dpop = "required") is useless alone and is not printed. --dpop prints both header lines of \
            one request, for a server that requires no nonce: yett token work --dpop GET URL | curl -H @- URL. yett request sends them itself.
            """)
    static let examples: KeyValuePairs = [
        "yett token work": "Prints an access token that is valid for at least a minute.",
        "curl -H \"$(yett token work --header)\" https://api.example.org/me":
            "Sends a request with the header line that the provider's resources expect.",
        "yett token work --file ~/.cache/work-token": "Keeps a fresh token in a file, for a program that reads one.",
        "yett token work --scope mail.read --min-valid 300": "Prints a token with one scope, valid for five minutes.",
    ]

    @Argument(help: .onlySession, completion: .names(.sessions))
    var session: String?

    @Option(help: ArgumentHelp("The minimum time for which the token must still be valid. Default: 60.", valueName: "seconds"))
    var minValid: Int?

    @Flag(help: "Print the ID token instead.")
    var idToken = false

    @Flag(help: "Print the header line that the provider's resources expect.")
    var header = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Print the header lines of one request with a key-bound token.", valueName: "method url"))
    var dpop: [String] = []

    @Option(
        help: ArgumentHelp("Keep a fresh token in this file instead of printing it; see: yett files.", valueName: "path"),
        completion: .file())
    var file: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var restrictions: TokenRestrictionOptions

    @Flag(help: "Never renew; fail if the token has expired, or expires within --min-valid.")
    var noRenew = false

    @Flag(help: "Print the token even to a terminal.")
    var show = false

    /// A token that may be shown on a terminal is printed by the program at that terminal.
    var runsInAgent: Bool { !show && file == nil }

    func validate() throws {
        guard minValid.map((0...86_400 * 365).contains) != false else {
            throw ValidationError("--min-valid must be between 0 seconds and one year")
        }
        if file != nil, header || json || show || noRenew || !dpop.isEmpty || minValid != nil {
            throw ValidationError("--file combines with --id-token, --scope and --audience only")
        }
        if header, json { throw ValidationError("--header and --json cannot be combined") }
        if idToken, !restrictions.isEmpty {
            throw ValidationError("--scope and --audience do not apply to an ID token")
        }
        if !dpop.isEmpty {
            if json || header || idToken { throw ValidationError("--dpop cannot be combined with --header, --json or --id-token") }
            // Any third value is the session.
            guard dpop.count == 2 || dpop.count == 3 && session == nil else {
                throw ValidationError("--dpop needs a method and a URL: --dpop GET https://api.example.org/")
            }
        }
        if header, idToken { throw ValidationError("--header does not apply to an ID token") }
    }

    /// The time for which the token must still be valid. With `--no-renew`, any valid token is accepted.
    private var validity: Duration {
        if let minValid { return .seconds(minValid) }
        return noRenew ? .zero : SessionSummary.freshness
    }

    private func issued(of name: SessionName?, in context: CommandContext) async throws(AuthFailure) -> IssuedToken {
        let signIn = noRenew ? nil : OnDemandSignIn(context)
        // The launcher may have asked the agent already.
        var answer = LauncherAnswer.take(from: context.edges.environment)
        return try await signIn.retrying(name ?? (try? context.onlyProvider()) ?? nil) { () async throws(AuthFailure) in
            defer { answer = nil }
            switch answer {
            case .token(let issued): return issued
            case .failure(let failure): throw failure
            case nil: return try await requested(of: name, in: context)
            }
        }
    }

    private func requested(of name: SessionName?, in context: CommandContext) async throws(AuthFailure) -> IssuedToken {
        let service = try await context.unlockedService()
        let session: SessionName
        if let name { session = name } else { session = try await service.only(nil).name }
        var prompt = ConsentPrompt(context: context)
        return try await prompt.token(
            TokenRequest(
                session: session, wanted: idToken ? .id : .access, minimumValidity: validity, mayRenew: !noRenew,
                restrictions: restrictions.restrictions,
                caller: .verbatim("yett token")), from: service)
    }

    func run(in context: CommandContext) async throws {
        let name = try (session ?? dpop.dropFirst(2).first).map { text throws(AuthFailure) in try SessionName(argument: text) }
        if let file { return try await keep(file, for: name, in: context) }
        let request = try proofTarget()
        if context.edges.streams.isAnswerTerminal, !show {
            // A name that is wrong would be wrong in a pipe too.
            if let name { _ = try await context.service().sessions(named: name) }
            throw AuthFailure(
                .usage, text: "a token is not printed to a terminal", hint: "pipe it to a command, or add --show")
        }
        let issued = try await issued(of: name, in: context)
        if let warning = issued.warning {
            context.console.warning(warning)
        } else if let minValid, let end = issued.expiresAt, end - context.now < .seconds(minValid) {
            let rest = max(0, (end - context.now).wholeSeconds)
            context.console.warning("the token is valid for only \(rest) s; the provider issues none that is valid for longer")
        }
        if let request {
            try context.console.secret(try await proved(issued, for: request, in: context))
            return
        }
        try issued.requireUnbound()
        if json {
            let answer = JSONValue.answer(
                ("session", .string(issued.session.description)),
                ("token", .string(issued.token.reveal())),
                ("token_type", .string(issued.tokenType)),
                ("expires_at", JSONValue(issued.expiresAt)),
                ("scopes", JSONValue(issued.scopes.values)))
            try context.console.secret(Secret(answer.text))
        } else {
            try context.console.secret(header ? context.headerLine(of: issued) : issued.token)
        }
    }

    /// Puts a file on the list of those that the agent keeps fresh, and writes the first token.
    private func keep(_ file: String, for name: SessionName?, in context: CommandContext) async throws {
        let issued = try await issued(of: name, in: context)
        try issued.requireUnbound()
        let entry = try await context.tokenFile(file, of: issued.session, idToken ? .id : .access, restrictions.restrictions)
        let list = try context.tokenFiles()
        try list.add(entry)
        _ = try list.write(issued.token, to: entry)
        context.console.done("\(entry.path) is kept fresh; end it with: yett files --end \(ShellWord(entry.path))")
    }

    /// Returns the request that `--dpop` names. Throws `.usage` if no proof can be made for it.
    private func proofTarget() throws(AuthFailure) -> (method: String, url: WebURL)? {
        guard !dpop.isEmpty else { return nil }
        let method = dpop[0].uppercased()
        guard WebRequest.Method(rawValue: method) != nil else {
            throw AuthFailure(
                .usage, text: "no method for a request with a token: \(method)", hint: "use one word, such as GET, POST or PATCH")
        }
        guard let url = WebURL(dpop[1]), url.isProtected else {
            throw AuthFailure(
                .usage, text: "'\(dpop[1])' is not a URL that a token may be sent to", hint: "write the full URL: https://api.example.org/")
        }
        return (method, url)
    }

    /// Returns the two header lines for a request (RFC 9449 section 7.1).
    private func proved(
        _ issued: IssuedToken, for request: (method: String, url: WebURL), in context: CommandContext
    ) async throws(AuthFailure) -> Secret {
        guard issued.isBound else {
            throw AuthFailure(
                .configuration, text: "the token of \(issued.session) is not bound to a key, so --dpop does not apply",
                hint: "use: yett token \(issued.session.shellWord) --header")
        }
        let proof = try await context.unlockedService().proof(
            ProofRequest(session: issued.session, accessToken: issued.token, method: request.method, url: request.url))
        return Secret("Authorization: DPoP \(issued.token.reveal())\nDPoP: \(proof)")
    }
}

extension CommandContext {
    /// Returns the header field with the token, in the form that the provider's resources accept.
    func headerField(of issued: IssuedToken) throws(AuthFailure) -> (name: String, value: Secret) {
        // A provider that was removed from the configuration has no dialect any more.
        let provider = try configurationFile().read().provider(issued.session.provider)
        return (provider?.resourceDialect ?? BearerDialect()).field(for: issued)
    }

    /// Returns ``headerField(of:)`` as a line.
    func headerLine(of issued: IssuedToken) throws(AuthFailure) -> Secret {
        let field = try headerField(of: issued)
        return Secret("\(field.name): \(field.value.reveal())")
    }
}
