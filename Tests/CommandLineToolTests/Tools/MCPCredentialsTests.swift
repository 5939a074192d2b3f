import AuthModel
import Localization
import OAuth
import ResourceClient
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool

/// When `yett mcp` opens a browser, and how often.
@Suite(.timeLimit(.minutes(10))) struct MCPCredentialsTests {
    private static let resource = "https://mcp.example.org/mcp"
    private static let failure = AuthFailure(.notSignedIn, text: "not signed in")

    /// The sign-ins that were started.
    private final class Logins: Sendable {
        let arguments = Mutex<[[String]]>([])
        /// The number of requests that want one.
        let waiting = Mutex(0)
        var count: Int { arguments.withLock { $0.count } }
    }

    private let logins = Logins()

    /// Returns credentials whose sign-ins end with what `login` returns, or are real.
    private func credentials(
        _ world: CommandWorld, at address: String = Self.resource, account: String? = nil, signsIn: Bool = false,
        presence: UserPresence = UserPresence(terminal: .foreground), login: (@Sendable () async -> Int32?)? = nil
    ) throws -> MCPCredentials {
        var edges = world.edges(into: StreamRecorder(told: nil))
        edges.userPresence = { presence }
        edges.login = { arguments, _ in
            logins.arguments.withLock { $0.append(arguments) }
            if let login { return await login() }
            return await world.run(["login"] + arguments).status
        }
        let console = Console(streams: edges.streams, environment: edges.environment)
        let context = CommandContext(edges: edges, options: GlobalOptions(), console: console)
        let address = try #require(WebURL(address))
        return MCPCredentials(address: address, named: nil, account: account, permission: .init(opensBrowser: signsIn), context: context)
    }

    private func withWorld(mode: String = "manual", _ body: (CommandWorld) async throws -> Void) async throws {
        try await withServer(mode: mode) { _, world in try await body(world) }
    }

    private func withServer(mode: String = "manual", _ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        let provider = SignInTests.honest.with { $0.lifetimes.accessToken = .seconds(86_400) }
        try await SandboxServer.running(provider) { server in
            // The resource itself cannot be reached.
            let world = try CommandWorld(localPorts: ["mcp.example.org": 1])
            try world.configure(issuer: server.issuer, more: "resource = \"\(Self.resource)\"\nsign_in = \"\(mode)\"")
            try await body(server, world)
        }
    }

    @Test func browserIsNotOpenedUnasked() async throws {
        try await withWorld { world in
            let credentials = try credentials(world)
            await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure, isRefusal: false) }
            #expect(logins.count == 0)
        }
    }

    @Test func providerMayAllowTheBrowser() async throws {
        try await withWorld(mode: "on-demand") { world in
            let absent = try credentials(world, presence: UserPresence())
            await #expect(throws: Self.failure) { try await absent.signIn(because: Self.failure, isRefusal: false) }
            #expect(logins.count == 0)
            let present = try credentials(world)
            try await present.signIn(because: Self.failure, isRefusal: false)
            #expect(logins.arguments.withLock { $0 } == [["sandbox"]])
            #expect(try await present.token() != nil)
        }
    }

    @Test func allThatWaitShareOneSignIn() async throws {
        try await withWorld { world in
            let credentials = try credentials(world, signsIn: true) {
                // Ends when all want it.
                while logins.waiting.withLock({ $0 }) < 5 { await Task.yield() }
                return await world.run("login", "sandbox").status
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask { @Sendable in
                        logins.waiting.withLock { $0 += 1 }
                        try await credentials.signIn(because: Self.failure, isRefusal: false)
                    }
                }
                try await group.waitForAll()
            }
            #expect(logins.count == 1)
        }
    }

    /// A client asks again and again; the user has closed the browser.
    @Test func failedSignInIsNotRepeated() async throws {
        try await withWorld { world in
            let credentials = try credentials(world, signsIn: true) { 5 }
            for _ in 0..<3 {
                await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure, isRefusal: false) }
            }
            #expect(logins.count == 1)
            #expect(await world.run(["login", "sandbox"]).status == 0)
            // Now there is a token, which the request gets.
            try await credentials.signIn(because: Self.failure, isRefusal: false)
            #expect(logins.count == 1)
            await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure, isRefusal: true) }
            #expect(logins.count == 2)
        }
    }

    /// The options of a first sign-in are of no use to a bridge that opens no browser.
    @Test(arguments: [["--register"], ["--more-scopes"], ["--issuer", "https://id.example"], ["--yes"]])
    func optionsBelongToSignIn(options: [String]) async throws {
        let result = await (try CommandWorld()).run(["mcp", "https://mcp.example/mcp"] + options)
        #expect(result.status == 64 && result.errors.contains("belongs to --sign-in"), "\(result.errors)")
    }

    /// A server chooses these values, and a file of that name may lie in the folder.
    @Test(arguments: ["--config", "--config=x", "--no-agent", "--log", "-x"]) func valueOfAServerIsNeverAnOption(value: String) throws {
        var wanted = WantedSignIn(target: "work")
        wanted.scopes = [value, "a"]
        wanted.contextClasses = [value]
        wanted.maxAge = 60
        wanted.claims = value
        let words = ["login"] + wanted.arguments
        let (options, rest) = try GlobalOptions.extract(from: words)
        #expect(options == GlobalOptions() && rest == words)
    }

    /// Another terminal was faster.
    @Test func sessionThatExistsIsASuccess() async throws {
        try await withWorld { world in
            let status = AuthFailure(.alreadySignedIn, text: "").exitCode
            let credentials = try credentials(world, signsIn: true) { status }
            try await credentials.signIn(because: Self.failure, isRefusal: false)
            #expect(logins.count == 1)
        }
    }

    /// The bridge ends while the browser is open.
    @Test func endEndsTheSignIn() async throws {
        try await withWorld { world in
            let credentials = try credentials(world, signsIn: true) {
                while !Task.isCancelled { await Task.yield() }
                return nil
            }
            let signIn = Task { try await credentials.signIn(because: Self.failure, isRefusal: false) }
            while logins.count == 0 { await Task.yield() }
            await credentials.end()
            await #expect(throws: Self.failure) { try await signIn.value }
        }
    }

    private static func challenge(_ parameters: String, status: Int = 403) -> WebResponse {
        WebResponse(status: status, headers: [("WWW-Authenticate", "Bearer \(parameters)")], body: [])
    }

    private static func wanting(_ scopes: String) -> WebResponse { challenge("error=\"insufficient_scope\", scope=\"\(scopes)\"") }

    private static let otherUser = challenge("error=\"insufficient_user_authentication\", acr_values=\"urn:mfa\", max_age=60", status: 401)

    /// A server that refuses every token opens one window an hour for a session, also if the sign-in fails.
    @Test(arguments: [Int32(0), 5]) func refusedTokensOpenOneWindowAnHour(status: Int32) async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada"]).status == 0)
            let credentials = try credentials(world, signsIn: true) { status }
            for hour in 1...2 {
                for _ in 0..<3 {
                    _ = try await credentials.token()
                    try? await credentials.signIn(because: Self.failure, isRefusal: true)
                }
                #expect(logins.count == hour)
                world.time.advance(by: .seconds(3600))
            }
            // The session that was refused is replaced, although it is still valid.
            #expect(logins.arguments.withLock { $0.first } == ["sandbox/ada", "--force"])
        }
    }

    /// More scopes need the user's own command, even where a browser may open.
    @Test(arguments: [false, true]) func widerScopesNeedTheUsersCommand(signsIn: Bool) async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid"]).status == 0)
            let credentials = try credentials(world, signsIn: signsIn)
            let token = try await credentials.token()
            for scope in ["admin", "email"] {
                let refusal = await #expect(throws: AuthFailure.self) {
                    _ = try await credentials.stepUp(after: Self.wanting(scope), to: token)
                }
                #expect(refusal?.hint?.english == "run: yett login sandbox/ada --scope=openid --scope=\(scope)")
            }
            #expect(logins.count == 0)
            // The refusal of a token from before the user's command is no longer about the session.
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid", "--scope", "email"]).status == 0)
            #expect(try await credentials.stepUp(after: Self.wanting("email"), to: token))
            #expect(try await credentials.stepUp(after: WebResponse(status: 403, headers: [], body: []), to: token) == false)
        }
    }

    /// A step-up that asks for no more than the user opens one window an hour, and says afterwards what to run.
    @Test func stepUpOpensOneWindowAnHour() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada"]).status == 0)
            let credentials = try credentials(world, signsIn: true) { 0 }
            let token = try await credentials.token()
            #expect(try await credentials.stepUp(after: Self.otherUser, to: token))
            let refusal = await #expect(throws: AuthFailure.self) { _ = try await credentials.stepUp(after: Self.otherUser, to: token) }
            #expect(refusal?.hint?.english == "run: yett login sandbox/ada --acr-values=urn:mfa --max-age=60")
            #expect(logins.arguments.withLock { $0 } == [["sandbox/ada", "--acr-values=urn:mfa", "--max-age=60"]])
            world.time.advance(by: .seconds(3600))
            _ = try? await credentials.stepUp(after: Self.otherUser, to: token)
            #expect(logins.count == 2)
        }
    }

    /// A request that is refused while a sign-in runs waits for it, and is repeated with its token.
    @Test func stepUpsAtOnceShareOneSignIn() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid"]).status == 0)
            let credentials = try credentials(world, signsIn: true) {
                while logins.waiting.withLock({ $0 }) < 2 { await Task.yield() }
                return await world.run("login", "sandbox/ada", "--force", "--scope", "openid").status
            }
            let token = try await credentials.token()
            let first = Task { try await credentials.stepUp(after: Self.otherUser, to: token) }
            while logins.count == 0 { await Task.yield() }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for refusal in [Self.otherUser, Self.wanting("email")] {
                    group.addTask { @Sendable in
                        logins.waiting.withLock { $0 += 1 }
                        return try await credentials.stepUp(after: refusal, to: token)
                    }
                }
                for try await mayRepeat in group { #expect(mayRepeat) }
            }
            #expect(try await first.value)
            #expect(logins.count == 1)
            #expect(try await credentials.token() != token)
        }
    }

    /// Several accounts side by side: each bridge has its own.
    @Test func accountSelectsTheSession() async throws {
        try await withServer { server, world in
            for account in ["ada", "grace"] {
                await server.autoApprove(as: account)
                try await world.signIn("sandbox")
            }
            let tokens = [
                try await credentials(world, account: "ada").token(),
                try await credentials(world, account: "grace").token(),
            ]
            #expect(tokens.allSatisfy { $0 != nil } && tokens[0] != tokens[1])
            let other = try credentials(world, account: "eve", signsIn: true) { 0 }
            await #expect(throws: AuthFailure.self) { _ = try await other.token() }
            try await other.signIn(because: Self.failure, isRefusal: false)
            #expect(logins.arguments.withLock { $0 } == [["sandbox/eve"]])
        }
    }

    /// Tenants of a gateway that share its path: a bridge for one never sends the token of another, also if its own session has ended.
    @Test func tenantsGetTheirOwnTokensAlone() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            let world = try CommandWorld(localPorts: ["mcp.example.org": 1])
            let (alpha, beta) = (Self.resource + "?tenant=alpha", Self.resource + "?tenant=beta")
            try world.configure(issuer: server.issuer, more: "resource = \"\(alpha)\"\n")
            try await world.signIn("sandbox")
            #expect(try await credentials(world, at: alpha).token() != nil)
            for address in [beta, Self.resource] { #expect(try await credentials(world, at: address).token() == nil) }
            try world.addProvider("beta", resource: beta)
            let failure = await #expect(throws: AuthFailure.self) {
                _ = try await credentials(world, at: beta).token()
            }
            #expect(failure?.kind == .notSignedIn && failure?.summary == "not signed in at beta")
            #expect(try await credentials(world, at: alpha).token() != nil)
        }
    }

    /// What is below a resource belongs to it, unless its own metadata say otherwise.
    @Test(arguments: [true, false]) func serverBelowAResourceMayBeAnother(isAnother: Bool) async throws {
        let gateway = try StandInServer { request in
            guard isAnother, request.target == "/.well-known/oauth-protected-resource/mcp/inner" else { return .init(status: 404) }
            let resource = "http://\(request.header("Host") ?? "")/mcp/inner"
            return .json(["resource": .string(resource), "authorization_servers": ["https://other.example"]])
        }
        try await withSession(SignInTests.honest, more: "resource = \"\(gateway.origin)/mcp\"\n") { _, world in
            #expect(gateway.requests.isEmpty)
            let inner = try credentials(world, at: gateway.origin + "/mcp/inner")
            #expect((try await inner.token() == nil) == isAnother)
            // The resource itself is not asked.
            let count = gateway.requests.count
            #expect(count > 0)
            #expect(try await credentials(world, at: gateway.origin + "/mcp").token() != nil)
            #expect(gateway.requests.count == count && gateway.requests.allSatisfy { $0.header("Authorization") == nil })
        }
    }

    /// The challenge of a refused request says which scopes the sign-in needs; more than the session's need the user's command.
    @Test func challengeNamesTheScopes() async throws {
        try await withWorld { world in
            let first = try credentials(world, signsIn: true) { 0 }
            let refusal = Self.challenge("error=\"invalid_token\", scope=\"mcp:basic\"", status: 401)
            try await first.signIn(because: Self.failure, after: refusal, isRefusal: true)
            #expect(logins.arguments.withLock { $0 } == [["sandbox", "--force", "--scope=mcp:basic"]])
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid"]).status == 0)
            let wider = try credentials(world, signsIn: true)
            _ = try await wider.token()
            let failure = await wider.refusal(refusal)
            #expect(
                failure.hint?.english
                    == "sign in again with: yett login sandbox/ada --force --scope=openid --scope=mcp:basic")
            await #expect(throws: failure) { try await wider.signIn(because: failure, after: refusal, isRefusal: true) }
            #expect(logins.count == 1)
        }
    }

    /// The words of a server's challenge cannot be more than words in the command that the user is to run.
    @Test func scopesAreQuotedInTheCommand() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada"]).status == 0)
            let credentials = try credentials(world)
            let token = try await credentials.token()
            let refusal = await #expect(throws: AuthFailure.self) {
                _ = try await credentials.stepUp(after: Self.wanting("$(id) ;x"), to: token)
            }
            let hint = try #require(refusal?.hint?.english)
            #expect(hint.contains("'--scope=$(id)' '--scope=;x'"), "\(hint)")
        }
    }
}

extension MCPCredentials {
    fileprivate func token() async throws -> Secret? {
        try await credential(for: try #require(WebURL("https://mcp.example.org/mcp")), refused: nil)?.issued.token
    }

    /// Reads a refusal and meets it, as the bridge does.
    fileprivate func stepUp(after answer: WebResponse, to token: Secret?) async throws(AuthFailure) -> Bool {
        guard let url = WebURL("https://mcp.example.org/mcp"), let required = try await requiredSignIn(in: answer, from: url) else {
            return false
        }
        return try await stepUp(to: required, refused: token)
    }
}
