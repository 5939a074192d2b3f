internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import UserConfiguration

/// `yett helper docker`: a credential helper for docker (docker-credential-helpers).
struct DockerHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Act as a credential helper of docker.",
        discussion: """
            docker calls it as docker-credential-yett, with get, store, erase, list or version. Unless you give a session, it uses the \
            one whose api_hosts or resource has the registry. Errors also go to standard output, where docker reads them, and the exit \
            status is 1.
            """)
    static let examples: KeyValuePairs = [
        "echo registry.example.org | yett helper docker get": "Prints the credential that docker gets for a registry."
    ]

    @Argument(
        help: ArgumentHelp(
            "PROVIDER or PROVIDER/ACCOUNT (default: by the registry), then docker's operation.", valueName: "words"),
        completion: .names(.sessions))
    var words: [String] = []

    @Option(
        help: ArgumentHelp(
            "The user name to send to the registry with the token (default: oauth2; at Google, oauth2accesstoken).", valueName: "name"))
    var username: String?

    var runsInAgent: Bool { words.last == "get" }

    /// The message that docker does not treat as an error: it continues without credentials.
    private static let notFound = "credentials not found in native keychain"

    func validate() throws {
        guard !words.isEmpty else {
            throw ValidationError("the last argument must be docker's operation: get, store, erase, list or version")
        }
        guard words.count <= 2 else { throw ValidationError("too many arguments; docker adds the last one itself") }
        // docker treats the secret of this user name as a refresh token, and sends it to be exchanged.
        guard username != "<token>", username != "" else { throw ValidationError("--username needs a user name") }
    }

    func run(in context: CommandContext) async throws {
        do {
            try await perform(words.last ?? "", session: words.count == 2 ? words[0] : nil, in: context)
        } catch let failure as AuthFailure where !Self.isLeftToProgram(failure, in: context) {
            context.console.failure(failure)
            let text =
                failure.kind == .notSignedIn
                ? Self.notFound : [failure.summary, failure.hintText].compactMap(\.self).joined(separator: "; ")
            try context.console.lines([text])
            throw ExitStatus(code: 1)
        }
    }

    /// Returns whether the agent, which runs this command for the launcher, leaves a failure to the full program: a sign-in, or the user's
    /// consent, which the program asks for.
    private static func isLeftToProgram(_ failure: AuthFailure, in context: CommandContext) -> Bool {
        failure == LauncherCommand.needsProgram || context.edges.sessionService != nil && failure.needsConsent
    }

    private func perform(_ operation: String, session: String?, in context: CommandContext) async throws {
        switch operation {
        case "get": try await get(session, in: context)
        case "list": try await list(session, in: context)
        case "version": try context.console.lines(["docker-credential-yett (yett) v\(Program.version)"])
        // docker sends this when the user logs out of a registry. That ends no Yett session.
        case "erase": _ = try await context.requestLines()
        case "store":
            throw AuthFailure(.usage, text: "yett stores sessions, not passwords", hint: "sign in with: yett login")
        default:
            throw AuthFailure(
                .usage, text: "unknown docker operation '\(operation)'", hint: "use get, store, erase, list or version")
        }
    }

    private func get(_ name: String?, in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "docker")
        let address = try await context.requestLine(of: "docker")
        guard let url = WebURL(address.contains("://") ? address : "https://" + address) else {
            throw AuthFailure(.usage, text: "no registry address on standard input", hint: "docker calls this command by itself")
        }
        guard var tool = try await ToolSession.reaching(url, named: name, signIn: OnDemandSignIn(context), in: context) else {
            explainNoToken(for: address, in: context)
            try context.console.lines([Self.notFound])
            throw ExitStatus(code: 1)
        }
        tool.destination = url.origin.authority
        let issued = try await tool.token(for: "docker", in: context)
        let answer = JSONValue.members(
            ("ServerURL", .string(address)), ("Username", .string(username ?? ToolSession.defaultUsername(of: url.origin.host))),
            ("Secret", .string(issued.token.reveal())))
        try context.console.secret(Secret(answer.text))
    }

    /// Reports that no provider's tokens may be sent to a registry, if docker is set up to get them for this one. As credsStore, docker
    /// asks for every registry, and expects no credential for most.
    private func explainNoToken(for registry: String, in context: CommandContext) {
        guard let environment = try? SetupEnvironment(context), let entries = try? DockerSetup.current(in: environment),
            entries.contains(where: { $0.target == registry })
        else { return }
        context.console.failure(
            AuthFailure(
                .security, text: "no token for \(registry): it is in api_hosts of no provider",
                hint: "if it may get your tokens, run: yett setup docker \(ShellWord(registry)) SESSION"))
    }

    /// Prints the registries that have a session. Requests no token.
    private func list(_ name: String?, in context: CommandContext) async throws {
        let configuration = try context.configurationFile().read()
        let wanted = try name.map { text throws(AuthFailure) in try SessionName(argument: text) }
        let signedIn = Set(try await context.service().sessions().map(\.name.provider))
        let hosts = configuration.providers.filter { signedIn.contains($0.name) && (wanted == nil || wanted?.provider == $0.name) }
            .flatMap(\.apiHosts)
        let entries = Set(hosts).sorted().map { JSONValue.Member($0, .string(username ?? ToolSession.defaultUsername(of: $0))) }
        try context.console.lines([JSONValue.object(entries).text])
    }
}
