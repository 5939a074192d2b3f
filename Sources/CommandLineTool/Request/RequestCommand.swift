internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import ProviderKinds
internal import ResourceClient
internal import UserConfiguration

/// `yett request`: sends an HTTP request with a session's token.
struct RequestCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send a request with a session's token, and print the response.",
        discussion: """
            The token is sent only to the provider's api_hosts and to the session's resource, and never after a redirect to another \
            host: a download that leads to one is fetched there without credentials, by https. If the resource no longer accepts a \
            token, it is renewed once. If you are not signed in, the session has ended, or the resource requires another sign-in (RFC \
            9470), --challenge decides: prompt opens one sign-in; fail is an error; anonymous sends the request without a token. \
            Default: prompt at a terminal, else fail. More scopes are requested only after you agree at the terminal; elsewhere the \
            error names the command. Bodies of any size are passed on as they arrive; with --json, each response is one line.
            """)
    static let examples: KeyValuePairs = [
        "yett request work https://api.example.org/me": "Sends a GET request, and prints the response.",
        "yett request work https://api.example.org/notes -X POST -d @note.json": "Sends a file.",
        "yett request work https://api.example.org/notes --paginate --retry 3": "Prints all pages, and is patient with the server.",
        "tar -c notes | yett request work https://api.example.org/archive -X PUT -d @- -H Content-Type:application/x-tar":
            "Sends what another program writes.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Argument(help: "One or more URLs, requested one after the other.")
    var urls: [String]

    @Option(
        name: [.customShort("X"), .long],
        help: ArgumentHelp("The method: GET, POST, PATCH and any other. Default: GET, or POST with --data.", valueName: "method"))
    var method: String?

    @Option(name: [.customShort("H"), .long], help: ArgumentHelp("A header field; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("The request body, @FILE, or @- for standard input. Sets the method to POST.", valueName: "data"))
    var data: String?

    @Flag(name: [.customShort("i"), .long], help: "Print the status and the header fields before the body.")
    var include = false

    @Flag(help: "Request and print the next pages too, as the Link field (RFC 8288) or a member of the JSON names them.")
    var paginate = false

    @Option(
        help: ArgumentHelp(
            "How often to send the request again if the server is overloaded or not reached, where that changes nothing.",
            valueName: "count"))
    var retry = 0

    @Option(help: ArgumentHelp("If the resource requires another sign-in: prompt, fail or anonymous.", valueName: "what"))
    var challenge: ChallengeResponse?

    @Option(
        name: .customLong("require"),
        help: ArgumentHelp("Required session: anybody, or signed-in if a guest session is not enough.", valueName: "who"))
    var requirement: SessionRequirement?

    @Flag(help: "Print JSON: the body, the status, and whether no token was sent.")
    var json = false

    @OptionGroup var restrictions: TokenRestrictionOptions

    func validate() throws {
        guard (0...20).contains(retry) else { throw ValidationError("--retry must be between 0 and 20") }
        guard !include || !json else { throw ValidationError("--json prints the header fields too: remove --include") }
        guard urls.count == 1 || data != "@-" else { throw ValidationError("standard input can be sent to one URL only") }
        let isRead = (method ?? "GET").uppercased() == "GET" && data == nil
        guard !paginate || isRead else { throw ValidationError("--paginate needs the method GET") }
    }

    func run(in context: CommandContext) async throws {
        let name = try SessionName(argument: session)
        let configuration = try context.configurationFile().read()
        let provider = try configuration.named(name.provider.text)
        var source: RequestSource?
        if let data { source = try await RequestSource(data, from: context.edges.streams.bytes) }
        let template = try RequestTemplate(
            method: method, headers: header, source: source, reserved: provider.resourceDialect.credentialFields)
        let transfer = RequestTransfer(source ?? .bytes([]), passesOn: !json)
        let sender = ResourceTransport(provider: provider, transfer: transfer, context: context)
        let requests = RequestRun(
            template: template, sender: sender, output: json ? .json : include ? .headerAndBody : .body, followsPages: paginate,
            retries: retry)
        let reach = TokenDestinations(provider: provider)
        let targets = try urls.map { text throws(AuthFailure) in try Self.target(text) }
        let response = challenge ?? (context.canAsk ? .prompt : .fail)
        if provider.resourceDialect.urlIdentifiesSession {
            guard restrictions.isEmpty else {
                throw AuthFailure(
                    .usage, text: "\(provider.name) chooses tokens by URL, and cannot restrict them further",
                    hint: "remove --scope and --audience")
            }
            let discoversServers = CredentialGate(provider).discoversServers
            for target in targets {
                if discoversServers {
                    try reach.refuseOthers(target, in: configuration)
                } else {
                    try reach.require(target, in: configuration)
                }
            }
            // For these kinds the address selects the session, and there may be none.
            let service = try await context.unlockedService(forNewSession: true)
            let run = ResourceScopedRequest(
                name: name, provider: provider, service: service, challenge: response, requirement: requirement ?? .anybody,
                sender: sender, user: CommandLineUser(context: context, provider: provider, service: service))
            return try await requests.run(targets, by: run)
        }
        for target in targets { try reach.require(target, in: configuration, mayBeOfSession: true) }
        if let run = try await withoutASession(at: provider, sender, in: context) { return try await requests.run(targets, by: run) }
        let service = try await context.unlockedService(forNewSession: response == .prompt)
        guard let session = try await session(name, at: provider, response, service, in: context) else {
            return try await requests.run(targets, by: anonymous(at: provider, service, sender, in: context))
        }
        let run = SessionRequest(
            session: session, provider: provider, in: configuration, service: service, restrictions: restrictions.restrictions,
            challenge: response, sender: sender, user: CommandLineUser(context: context, provider: provider, service: service))
        do { try await requests.run(targets, by: run) } catch let failure as AuthFailure {
            guard [.signInAgain, .denied(code: "invalid_token")].contains(failure.kind) else { throw failure }
            // A new sign-in at the same authorization server would not help if the resource has another one now. Only an address at the
            // resource itself can say that, and one of them is enough: there may be thousands, and other hosts. The address itself gets no
            // other request than the user's.
            let origins = provider.resources.compactMap { WebURL($0)?.origin }
            guard let target = targets.first(where: { origins.contains($0.origin) }),
                let move = await AuthorizationServerChange.found(of: provider, at: target, calling: false, in: context)
            else { throw failure }
            throw move.failure
        }
    }

    /// Returns an anonymous request if the provider needs no sign-in and the store does not exist yet; then no passphrase is asked for.
    private func withoutASession(
        at provider: ProviderConfiguration, _ sender: ResourceTransport, in context: CommandContext
    ) async throws(AuthFailure) -> AnonymousRequest? {
        guard provider.kindSettings != nil else { return nil }
        let service = try await context.service(creating: true)
        guard try await service.storeState() == .locked(isNew: true), await service.isUsableWithoutSignIn(provider.name) else { return nil }
        return anonymous(at: provider, service, sender, in: context)
    }

    private func anonymous(
        at provider: ProviderConfiguration, _ service: any SessionService, _ sender: ResourceTransport, in context: CommandContext
    ) -> AnonymousRequest {
        AnonymousRequest(
            dialect: provider.resourceDialect, sender: sender,
            user: CommandLineUser(context: context, provider: provider, service: service))
    }

    /// Returns the session whose token to send; `nil` if there is none and the request goes out without a token.
    private func session(
        _ name: SessionName, at provider: ProviderConfiguration, _ response: ChallengeResponse, _ service: any SessionService,
        in context: CommandContext
    ) async throws(AuthFailure) -> SessionSummary? {
        do throws(AuthFailure) {
            return try await service.only(name)
        } catch  where error.kind == .notSignedIn {
            if await service.isUsableWithoutSignIn(provider.name) { return nil }
            switch response {
            case .fail: throw error
            case .anonymous: return nil
            case .prompt: break
            }
            context.console.note("you must sign in: \(error.summary)")
            return try await SignInRun(options: try .parsed(), purpose: .signIn, context: context)
                .follow(SignInRequest(provider: provider.name, account: name.account), at: provider, with: service)
        }
    }

    private static func target(_ text: String) throws(AuthFailure) -> WebURL {
        guard let url = WebURL(text), url.fragment == nil else {
            throw AuthFailure(.usage, text: "not the URL of a resource", hint: "write the full URL: https://api.example.org/path")
        }
        return try CredentialGate.normalized(url)
    }
}

extension SessionRequirement: ExpressibleByArgument {
    /// Parses a value; `loggedIn` is a vendor's word for `signed-in`.
    init?(argument: String) {
        switch argument {
        case "anybody", "guest": self = .anybody
        case "signed-in", "signed_in", "loggedIn": self = .signedIn
        default: return nil
        }
    }

    static var allValueStrings: [String] { ["anybody", "signed-in"] }
}

extension ChallengeResponse: ExpressibleByArgument {}
