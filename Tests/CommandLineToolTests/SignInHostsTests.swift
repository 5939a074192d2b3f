import AuthModel
@testable import TerminalApp
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// A server that a resource named, whose page is another server's: it could use the account there, if it registers the client there itself
/// (RFC 9700 section 4.4).
@Suite struct SignInHostsTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    private typealias Options = ConformanceServers.Options

    private static func options(_ change: (inout Options) -> Void = { _ in }) -> Options {
        var options = Options()
        // The other server's callback does not name the one that is asked for the tokens.
        (options.announcesIssuer, options.callbackIssuer) = (nil, .missing)
        change(&options)
        return options
    }

    /// The server of a page, and one that names this page, first when it has registered the client if `isLater`.
    private func servers(isLater: Bool) throws -> (honest: ConformanceServers, evil: ConformanceServers) {
        let honest = try ConformanceServers(Self.options())
        let page = honest.authorizationOrigin
        let evil = try ConformanceServers(Self.options { $0.pageOrigin = { isLater && $0.registrations.isEmpty ? nil : page } })
        return (honest, evil)
    }

    private func hosts(_ servers: ConformanceServers...) -> [String] {
        servers.compactMap { WebURL($0.authorizationOrigin)?.origin.authority }
    }

    /// A server can read the question's document, and change it then.
    @Test func laterMetadataAreAskedAbout() async throws {
        let (honest, evil) = try servers(isLater: true)
        let words = ["login", evil.address, "--yes", "--register"]
        let login = await world.run(words)
        #expect(login.status == 8 && login.errors.contains("would get the tokens"), "\(login.errors)")
        // The provider is removed again, so its name is of no use.
        #expect(login.errors.contains("confirm it at a terminal: yett login \(evil.address)"), "\(login.errors)")
        #expect(login.errors.contains("removed again"), "\(login.errors)")
        await world.run(words, user: .init(hasTerminal: true, lines: ["n"]), exits: 3)
        #expect(honest.seen.authorizations.isEmpty && evil.seen.tokenRequests.isEmpty && world.openedAddresses.isEmpty)
    }

    /// The page and the token endpoint of another service belong together, and its tokens would go to the resource.
    @Test(arguments: [true, false]) func anotherServiceIsAskedAbout(isLater: Bool) async throws {
        let evil = try ConformanceServers(
            Self.options {
                $0.tokensAreWithPage = true
                $0.pageOrigin = { isLater && $0.registrations.isEmpty ? nil : "https://id.example" }
            })
        let words = ["login", evil.address, "--yes", "--register"]
        let login = await world.run(words)
        #expect(login.status == (isLater ? 8 : 64), "\(login.errors)")
        #expect(login.errors.contains("sign in at id.example, and \(hosts(evil)[0]) would get the tokens"), "\(login.errors)")
        #expect(login.errors.contains("confirm it at a terminal: yett login \(evil.address)"), "\(login.errors)")
        await world.run(words, user: .init(hasTerminal: true, lines: ["n"]), exits: 3)
        #expect(evil.seen.tokenRequests.isEmpty && world.openedAddresses.isEmpty)
    }

    @Test(arguments: [true, false]) func answerIsKeptInTheSettings(isLater: Bool) async throws {
        let (honest, evil) = try servers(isLater: isLater)
        let words = ["login", evil.address, "--yes", "--register"]
        await world.run(words, user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
        let names = hosts(honest, evil)
        let written = try world.text(world.configurationPath)
        #expect(written.contains("sign_in_hosts = [\"\(names[0])\", \"\(names[1])\"]"), "\(written)")
        let shown = try await world.run("providers", "show", "local", "--json").json
        #expect(shown["provider"]?["sign_in_hosts"]?.strings == names)
        await world.run("login", "local", exits: 0)
        #expect(honest.seen.authorizations.count == 2)
    }

    /// A provider that an older version added without the question.
    @Test func configuredProviderIsAskedAboutAtATerminal() async throws {
        let (honest, evil) = try servers(isLater: false)
        let settings = """
            [providers.old]
            kind = "oauth2"
            issuer = "\(evil.authorizationOrigin)"
            client_id = "client"
            resource = "\(evil.address)"

            """
        try world.configure(settings)
        let silent = await world.run("login", "old", exits: 8)
        #expect(silent.errors.contains("if they belong together, confirm it at a terminal: yett login old\n"), "\(silent.errors)")
        #expect(try world.text(world.configurationPath) == settings && honest.seen.authorizations.isEmpty)
        await world.run("login", "old", user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
        #expect(try world.text(world.configurationPath).contains("sign_in_hosts"))
    }

    /// Two right answers must not make a pair of the first page and the second token endpoint.
    @Test(arguments: [true, false]) func answersForOtherTokensReplaceTheFormerOnes(isSame: Bool) async throws {
        let (honest, evil) = try servers(isLater: false)
        let names = hosts(honest, evil)
        let former = ["app.example", isSame ? names[1] : "api.example"]
        try world.configure(
            """
            [providers.old]
            kind = "oauth2"
            issuer = "\(evil.authorizationOrigin)"
            client_id = "client"
            resource = "\(evil.address)"
            sign_in_hosts = ["\(former[0])", "\(former[1])"]

            """)
        await world.run("login", "old", user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
        let shown = try await world.run("providers", "show", "old", "--json").json
        #expect(shown["provider"]?["sign_in_hosts"]?.strings == (isSame ? ["app.example"] + names : names))
    }

    /// The resource's servers choose the hosts, so no word of a command line is the answer.
    @Test(arguments: ["login", "providers add"]) func noOptionConfirmsAPage(command: String) async throws {
        let (honest, evil) = try servers(isLater: false)
        let words = command.split(separator: " ").map(String.init) + [evil.address, "--yes", "--register"]
        let added = await world.run(words, exits: 64)
        #expect(added.errors.contains("\(hosts(evil)[0]) would get the tokens, and you have not confirmed it"), "\(added.errors)")
        #expect(added.errors.contains("confirm it at a terminal: yett login \(evil.address)\n"), "\(added.errors)")
        await world.run(words, user: .init(hasTerminal: true, lines: ["n"]), exits: 3)
        #expect(evil.seen.registrations.isEmpty && honest.seen.authorizations.isEmpty)
    }

    /// The app shows the hosts before the user adds the provider.
    @Test func appAddsTheHostsThatItShows() async throws {
        let (honest, evil) = try servers(isLater: false)
        let edges = world.edges(into: StreamRecorder(told: nil))
        let context = CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
        let app = AppOnboarding(context: context, file: try context.configurationFile(), service: try await context.service()).edge
        let draft = ProviderDraft(address: evil.address, client: .identifier("mine"), authorizationServer: evil.authorizationOrigin)
        guard case .offer(let offer) = try await app.find(draft) else {
            Issue.record("there is no offer")
            return
        }
        let names = hosts(honest, evil)
        #expect(offer.hints.contains { $0.contains("sign in at \(names[0]), and \(names[1]) would get the tokens") }, "\(offer.hints)")
        _ = try await app.add(offer)
        #expect(try world.text(world.configurationPath).contains("sign_in_hosts = [\"\(names[0])\", \"\(names[1])\"]"))
    }

    // MARK: A resource that names another server

    /// Signs in, and lets the resource move.
    private func moved(to options: @escaping @Sendable () -> Options) async throws -> (ConformanceServers, CommandWorld) {
        let servers = try ConformanceServers(
            Self.options {
                ($0.moves, $0.opensFreely, $0.scope) = (true, true, "mcp:basic")
                $0.changesNext = { $0 = options() }
            })
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(await call("tools/list", servers, world).status == 0)
        return (servers, world)
    }

    private func call(_ method: String, _ servers: ConformanceServers, _ world: CommandWorld) async -> CommandResult {
        await world.run("request", "local", servers.address, "-d", #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
    }

    /// Assistants run the commands of hints.
    @Test func hintsOfAMoveConfirmNothing() async throws {
        let (servers, world) = try await moved { Self.options() }
        let next = try #require(servers.next)
        let refused = await call("tools/call", servers, world)
        #expect(refused.status == 6, "\(refused.errors)")
        #expect(refused.errors.contains("confirm it at a terminal: yett login \(servers.address)\n"), "\(refused.errors)")
        let silent = await world.run("login", servers.address)
        #expect(silent.status == 64 && silent.errors.contains("at a terminal: yett login \(servers.address)\n"), "\(silent.errors)")
        for errors in [refused.errors, silent.errors] { #expect(!errors.contains("--issuer \(next.authorizationOrigin)"), "\(errors)") }
        #expect(next.seen.registrations.isEmpty)
    }

    @Test func moveToAPageOfAnotherServerNeedsATerminal() async throws {
        let honest = try ConformanceServers(Self.options())
        let page = honest.authorizationOrigin
        let (servers, world) = try await moved { Self.options { $0.pageOrigin = { _ in page } } }
        let next = try #require(servers.next)
        let words = ["login", servers.address, "--issuer", next.authorizationOrigin, "--register", "--yes"]
        let silent = await world.run(words)
        #expect(silent.status == 64 && silent.errors.contains("would get the tokens"), "\(silent.errors)")
        #expect(next.seen.registrations.isEmpty && honest.seen.authorizations.isEmpty)
        // The session of the other server is as it was.
        #expect(await world.run("token", "local").status == 0)
        let asked = await world.run(words, user: .init(hasTerminal: true, lines: ["y"]))
        #expect(asked.status == 0 && honest.seen.authorizations.count == 1, "\(asked.errors)")
        #expect(try world.text(world.configurationPath).contains("sign_in_hosts"))
    }
}
