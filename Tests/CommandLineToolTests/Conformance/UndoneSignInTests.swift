import AuthModel
import Synchronization
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// What `yett login URL` undoes when the sign-in fails: what it has changed itself, and what no other sign-in uses.
@Suite(.timeLimit(.minutes(10))) struct UndoneSignInTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    /// The properties of servers that refuse each sign-in.
    private static func refusing() -> ConformanceServers.Options {
        .with { ($0.deletesClients, $0.callbackError) = (true, "access_denied") }
    }

    /// Two terminals: the other one adds the provider while this one is about to register its client.
    @Test func loserTakesNothingFromTheWinner() async throws {
        let (place, winner) = (Shared(""), Shared(""))
        var options = Self.refusing()
        options.metadataIssuerNow = {
            if !winner.value.isEmpty { try? world.configure(winner.value) }
            return place.value
        }
        let servers = try ConformanceServers(options)
        place.value = servers.authorizationOrigin
        winner.value = """
            [providers.local]
            kind = "oauth2"
            issuer = "\(servers.authorizationOrigin)"
            client_id = "client-of-the-winner"
            resource = "\(servers.address)"

            """
        let login = await world.run("login", servers.address, "--yes", "--register")
        #expect(login.status != 0 && login.errors.contains("local is already the provider"), "\(login.errors)")
        #expect(!login.errors.contains("added") && !login.errors.contains("removed again"), "\(login.errors)")
        #expect(servers.seen.registrations.count == 1 && servers.seen.paths.count { $0 == "DELETE /register" } == 1)
        #expect(servers.seen.authorizations.map { $0["client_id"] } == ["client-of-the-winner"])
        #expect(try world.text(world.configurationPath) == winner.value)
    }

    /// Another program has changed the provider while the browser was open, or replaced it by one with another client.
    @Test(arguments: [false, true]) func changedProviderStays(hasOtherClient: Bool) async throws {
        let servers = try ConformanceServers(Self.refusing())
        let changed = Shared("")
        let browser = CommandWorld.Browser.does { url in
            var text = ((try? world.text(world.configurationPath)) ?? "") + "policy = \"ask\"\n"
            if hasOtherClient { text = text.replacing("client-of-first", with: "client-of-another") }
            changed.value = text
            try? world.configure(text)
            await world.visit(url)
        }
        let login = await world.run(["login", servers.address, "--yes", "--register"], browser: browser)
        #expect(login.status != 0 && login.errors.contains("local stays in the configuration"), "\(login.errors)")
        #expect(try world.text(world.configurationPath) == changed.value)
        #expect(servers.seen.paths.contains("DELETE /register") == hasOtherClient)
    }

    /// The user's answer about the hosts is a part of what is undone.
    @Test func answeredQuestionIsUndoneToo() async throws {
        let honest = try ConformanceServers(Self.refusing())
        var options = Self.refusing()
        let page = honest.authorizationOrigin
        (options.announcesIssuer, options.callbackIssuer) = (nil, .missing)
        options.pageOrigin = { $0.registrations.isEmpty ? nil : page }
        let servers = try ConformanceServers(options)
        let login = await world.run(
            ["login", servers.address, "--yes", "--register"], user: .init(hasTerminal: true, lines: ["y"]))
        #expect(login.status != 0 && login.errors.contains("removed again: local"), "\(login.errors)")
        #expect(try !world.text(world.configurationPath).contains("[providers.local]"))
    }

    /// Another terminal has begun to sign in at the provider, and may succeed.
    @Test(arguments: [true, false]) func providerInUseStays(isInUse: Bool) async throws {
        let servers = try ConformanceServers(Self.refusing())
        let resource = try #require(WebURL(servers.address))
        let uses = Shared<[ResourceUse]>([])
        let browser = CommandWorld.Browser.does { url in
            if isInUse { uses.value = [ResourceUse(of: resource, in: world.context())] }
            await world.visit(url)
        }
        let login = await world.run(["login", servers.address, "--yes", "--register"], browser: browser)
        #expect(login.status != 0 && login.errors.contains("another sign-in uses it") == isInUse, "\(login.errors)")
        #expect(try world.text(world.configurationPath).contains("[providers.local]") == isInUse)
        #expect(servers.seen.paths.contains("DELETE /register") == !isInUse)
        withExtendedLifetime(uses) {}
    }

    /// Each command marks the provider that it signs in at, named or not.
    @Test(arguments: [["login"], ["login", "local"]]) func signInMarksItsProvider(words: [String]) async throws {
        let servers = try ConformanceServers(ConformanceServers.Options())
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        let resource = try #require(WebURL(servers.address))
        let isAlone = Shared(true)
        let browser = CommandWorld.Browser.does { url in
            isAlone.value = (try? await ResourceUse(of: resource, in: world.context()).alone {}) ?? true
            await world.visit(url)
        }
        await world.run(words, browser: browser, exits: 0)
        #expect(!isAlone.value)
        #expect(try await ResourceUse(of: resource, in: world.context()).alone {})
    }

    /// A move replaces the section in one change, and its end as it began gives back every byte; only the values, if the file has other
    /// changes.
    @Test(arguments: [false, true]) func replacedProviderIsRestored(hasOtherChange: Bool) throws {
        let text = """
            # mine
            [providers.work] # of the company
            kind = "oidc"
            issuer = "https://id.example"
            client_id = "yett" # by hand
            extra_params = { audience = "x" }

            [ui]
            mouse = false

            """
        try world.configure(text)
        let file = try world.context().configurationFile()
        let provider = try file.read().named("work")
        let values = [("kind", #""oauth2""#), ("issuer", #""https://other.example""#), ("client_id", #""new""#)]
        let replaced = try file.replace(provider, with: values.map { (key: $0.0, value: $0.1) })
        #expect(try file.read().named("work").clientID == "new" && replaced.written.issuer?.text == "https://other.example")
        // What was read before is not the present provider.
        #expect(throws: AuthFailure.self) { try file.replace(provider, with: []) }
        if hasOtherChange { try world.configure("# more\n" + (try world.text(world.configurationPath))) }
        #expect(try file.restore(replaced)?.clientID == "new")
        #expect(try file.read().named("work") == provider)
        let restored = try world.text(world.configurationPath)
        #expect((restored == text) == !hasOtherChange && restored.contains("# mine") && restored.contains("# more") == hasOtherChange)
        // It is restored once.
        #expect(throws: AuthFailure.self) { try file.restore(replaced) }
    }

    // MARK: Another authorization server

    /// Signs in, and lets the resource name another server from then on.
    private func moved(_ options: ConformanceServers.Options) async throws -> (ConformanceServers, next: ConformanceServers, CommandWorld) {
        var options = options
        (options.moves, options.opensFreely, options.scope, options.deletesClients) = (true, true, "mcp:basic", true)
        let servers = try ConformanceServers(options)
        let login = await world.run("login", servers.address, "--yes", "--register")
        try #require(login.status == 0, "\(login.errors)")
        try world.configure("# mine\n" + world.text(world.configurationPath))
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        try #require(await world.run("request", "local", servers.address, "-d", list).status == 0)
        return (servers, try #require(servers.next), world)
    }

    private func follow(_ servers: ConformanceServers, in world: CommandWorld) async -> CommandResult {
        await world.run(["login", servers.address, "--register"], user: .init(hasTerminal: true, lines: ["1"]))
    }

    /// The user has neither more nor less than before.
    @Test func failedMoveChangesNothing() async throws {
        var options = ConformanceServers.Options()
        options.revoked = {}
        options.changesNext = { $0 = Self.refusing() }
        let (servers, next, world) = try await moved(options)
        func sessions() async throws -> [[JSONValue?]] {
            try await world.sessions().map { session in ["session", "issuer", "granted_at", "state"].map { session[$0] } }
        }
        let (text, before) = (try world.text(world.configurationPath), try await sessions())
        let login = await follow(servers, in: world)
        #expect(login.status != 0 && login.errors.contains("local and its sessions stay as they were"), "\(login.errors)")
        #expect(try world.text(world.configurationPath) == text)
        #expect(try await sessions() == before)
        #expect(next.seen.registrations.count == 1 && next.seen.paths.contains("DELETE /register"))
        #expect(!servers.seen.paths.contains { ["DELETE /register", "POST /revoke"].contains($0) })
    }

    /// The former session ends once there is a new one, which takes its name.
    @Test func moveEndsTheFormerSessionAtLast() async throws {
        let (successor, wasEarly) = (Shared<ConformanceServers?>(nil), Shared(false))
        var options = ConformanceServers.Options()
        let (revocations, revocation) = AsyncStream<Void>.makeStream()
        options.revoked = {
            if successor.value?.seen.tokenRequests.isEmpty != false { wasEarly.value = true }
            revocation.yield()
        }
        let (servers, next, world) = try await moved(options)
        successor.value = next
        let login = await follow(servers, in: world)
        #expect(login.status == 0 && login.errors.contains("local moves to \(next.authorizationOrigin)"), "\(login.errors)")
        let sessions = try await world.sessions()
        #expect(sessions.map { $0["session"]?.string } == ["local/account"])
        #expect(sessions.map { $0["issuer"]?.string } == [next.authorizationOrigin])
        // The sign-in waits only for a while.
        for await _ in revocations { break }
        #expect(!wasEarly.value)
        #expect(servers.seen.paths.contains("DELETE /register") && !next.seen.paths.contains("DELETE /register"))
        #expect(try world.text(world.configurationPath).hasPrefix("# mine\n"))
        successor.value = nil
    }
}

/// A value that a test and its servers share.
private final class Shared<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    init(_ value: Value) { held = Mutex(value) }

    var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
