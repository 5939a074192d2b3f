import AuthModel
import Localization
import OAuth
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool

/// When `yett mcp` opens a browser, and how often.
@Suite(.timeLimit(.minutes(2))) struct MCPCredentialsTests {
    private static let resource = "https://mcp.example.org/mcp"
    private static let failure = AuthFailure(.notSignedIn, text: "not signed in")

    /// The sign-ins that were started.
    private final class Logins: Sendable {
        let arguments = Mutex<[[String]]>([])
        /// The number of requests that want one.
        let waiting = Mutex(0)
        var count: Int { arguments.withLock { $0.count } }
    }

    /// Returns credentials whose sign-ins end with what `login` returns, or are real.
    private func credentials(
        _ world: CommandWorld, signsIn: Bool = false, presence: UserPresence = UserPresence(terminal: .foreground), logins: Logins,
        login: (@Sendable () async -> Int32?)? = nil
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
        return MCPCredentials(address: try #require(WebURL(Self.resource)), named: nil, signsIn: signsIn, context: context)
    }

    private func withWorld(mode: String = "manual", _ body: (CommandWorld) async throws -> Void) async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            let world = try CommandWorld()
            try world.configure(issuer: server.issuer, more: "resource = \"\(Self.resource)\"\nsign_in = \"\(mode)\"")
            try await body(world)
        }
    }

    private static func request() throws -> WebRequest { WebRequest(method: .post, url: try #require(WebURL(resource))) }

    @Test func browserIsNotOpenedUnasked() async throws {
        try await withWorld { world in
            let logins = Logins()
            let credentials = try credentials(world, logins: logins)
            await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure) }
            #expect(logins.count == 0)
        }
    }

    @Test func providerMayAllowTheBrowser() async throws {
        try await withWorld(mode: "on-demand") { world in
            let logins = Logins()
            let absent = try credentials(world, presence: UserPresence(), logins: logins)
            await #expect(throws: Self.failure) { try await absent.signIn(because: Self.failure) }
            #expect(logins.count == 0)
            let present = try credentials(world, logins: logins)
            try await present.signIn(because: Self.failure)
            #expect(logins.arguments.withLock { $0 } == [["sandbox"]])
            #expect(try await present.authorized(Self.request(), refused: nil).token != nil)
        }
    }

    @Test func allThatWaitShareOneSignIn() async throws {
        try await withWorld { world in
            let logins = Logins()
            let credentials = try credentials(world, signsIn: true, logins: logins) {
                // Ends when all wait.
                while logins.waiting.withLock({ $0 }) < 5 { await Task.yield() }
                return 0
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask { @Sendable in
                        logins.waiting.withLock { $0 += 1 }
                        try await credentials.signIn(because: Self.failure)
                    }
                }
                try await group.waitForAll()
            }
            #expect(logins.count >= 1 && logins.count < 5)
        }
    }

    /// A client asks again and again; the user has closed the browser.
    @Test func failedSignInIsNotRepeated() async throws {
        try await withWorld { world in
            let logins = Logins()
            let credentials = try credentials(world, signsIn: true, logins: logins) { 5 }
            for _ in 0..<3 {
                await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure) }
            }
            #expect(logins.count == 1)
            #expect(await world.run(["login", "sandbox"]).status == 0)
            #expect(try await credentials.authorized(Self.request(), refused: nil).token != nil)
            await #expect(throws: Self.failure) { try await credentials.signIn(because: Self.failure) }
            #expect(logins.count == 2)
        }
    }

    /// Another terminal was faster.
    @Test func sessionThatExistsIsASuccess() async throws {
        try await withWorld { world in
            let logins = Logins()
            let status = AuthFailure(.alreadySignedIn, text: "").exitCode
            let credentials = try credentials(world, signsIn: true, logins: logins) { status }
            try await credentials.signIn(because: Self.failure)
            #expect(logins.count == 1)
        }
    }

    /// The bridge ends while the browser is open.
    @Test func endEndsTheSignIn() async throws {
        try await withWorld { world in
            let logins = Logins()
            let credentials = try credentials(world, signsIn: true, logins: logins) {
                while !Task.isCancelled { await Task.yield() }
                return nil
            }
            let signIn = Task { try await credentials.signIn(because: Self.failure) }
            while logins.count == 0 { await Task.yield() }
            await credentials.end()
            await #expect(throws: Self.failure) { try await signIn.value }
        }
    }

    private static func wanting(_ scopes: String) -> WebResponse {
        WebResponse(
            status: 403, headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scopes)\"")], body: [])
    }

    /// A sign-in for more scopes asks for those of the session, too, and once for each set of scopes.
    @Test func stepUpAsksForTheUnionOnce() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox"]).status == 0)
            let logins = Logins()
            let silent = try credentials(world, logins: logins)
            _ = try await silent.authorized(Self.request(), refused: nil)
            let refusal = await #expect(throws: AuthFailure.self) { _ = try await silent.stepUp(after: Self.wanting("admin")) }
            let hint = try #require(refusal?.hint?.english)
            #expect(hint.contains("yett login sandbox") && hint.hasSuffix(" --scope admin"), "\(hint)")
            #expect(logins.count == 0)
            let asking = try credentials(world, signsIn: true, logins: logins) { 0 }
            _ = try await asking.authorized(Self.request(), refused: nil)
            #expect(try await asking.stepUp(after: Self.wanting("admin")))
            _ = try await asking.authorized(Self.request(), refused: nil)
            await #expect(throws: AuthFailure.self) { _ = try await asking.stepUp(after: Self.wanting("admin")) }
            let arguments = try #require(logins.arguments.withLock { $0 }.first)
            #expect(logins.count == 1)
            #expect(hint.hasSuffix(arguments.joined(separator: " ")), "\(arguments)")
            #expect(try await asking.stepUp(after: WebResponse(status: 403, headers: [], body: [])) == false)
        }
    }

    /// Requests that need the same scopes share one sign-in; for other scopes another follows, which keeps those of the first.
    @Test(arguments: [(["email", "email", "email"], 1), (["email", "profile"], 2)])
    func stepUpsAtOnceFollowEachOther(scopes: [String], signIns: Int) async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--scope", "openid"]).status == 0)
            let logins = Logins()
            let credentials = try credentials(world, signsIn: true, logins: logins)
            _ = try await credentials.authorized(Self.request(), refused: nil)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for scope in scopes {
                    group.addTask { @Sendable in try await credentials.stepUp(after: Self.wanting(scope)) }
                }
                for try await mayRepeat in group { #expect(mayRepeat) }
            }
            #expect(logins.count == signIns)
            let last = try #require(logins.arguments.withLock { $0 }.last)
            #expect(Set(scopes).isSubset(of: last), "\(last)")
        }
    }

    /// The words of a server's challenge cannot be more than words in the command that the user is to run.
    @Test func scopesAreQuotedInTheCommand() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox"]).status == 0)
            let credentials = try credentials(world, logins: Logins())
            _ = try await credentials.authorized(Self.request(), refused: nil)
            let refusal = await #expect(throws: AuthFailure.self) { _ = try await credentials.stepUp(after: Self.wanting("$(id) ;x")) }
            let hint = try #require(refusal?.hint?.english)
            #expect(hint.contains("--scope '$(id)' --scope ';x'"), "\(hint)")
        }
    }
}
