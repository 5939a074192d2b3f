import AuthModel
import MCPBridge
import OAuth
import ResourceClient
import Sandbox
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

/// The page of `yett mcp` where the user starts a sign-in that the bridge may not start by itself.
@Suite(.timeLimit(.minutes(10))) struct MCPPageTests {
    private static let resource = "https://mcp.example.org/mcp"
    private static let failure = AuthFailure(.notSignedIn, text: "not signed in")

    /// A home with a sandbox, and the credentials of a bridge. Each sign-in ends as `login` says, or is real.
    private final class PagedBridge: Sendable {
        let world: CommandWorld
        let time: ManualTime
        let credentials: MCPCredentials

        init(
            _ world: CommandWorld, remote: Bool = false, address: String = MCPPageTests.resource, logins: Logins,
            login: (@Sendable (Int) async -> Int32?)? = nil
        ) throws {
            self.world = world
            let time = ManualTime(now: world.time.now)
            self.time = time
            var edges = world.edges(
                with: remote ? ["YETT_AGENT_SOCK": world.home + "/forwarded"] : [:], time: time, into: StreamRecorder(told: nil))
            edges.login = { arguments, _ in
                let number = logins.add(arguments)
                if let login { return await login(number) }
                return await world.run(["login"] + arguments).status
            }
            let console = Console(streams: edges.streams, environment: edges.environment)
            let context = CommandContext(edges: edges, options: GlobalOptions(), console: console)
            credentials = MCPCredentials(
                address: try #require(WebURL(address)), named: nil, context: context)
        }

        func token() async throws -> Secret? {
            try await credentials.credential(for: try #require(WebURL(MCPPageTests.resource)), refused: nil)?.issued.token
        }

        /// Asks for a sign-in as a request does that gets no token, and returns the page.
        func page(because failure: AuthFailure = MCPPageTests.failure) async -> SignInOffer? {
            await #expect(throws: failure) { try await credentials.signIn(because: failure, isRefusal: false) }
            return await credentials.signInPage(for: failure)
        }

        /// Asks for more scopes as a refused request does, and returns the page.
        func page(wanting scopes: String, after token: Secret?) async throws -> SignInOffer? {
            let challenge = "Bearer error=\"insufficient_scope\", scope=\"\(scopes)\""
            let answer = WebResponse(status: 403, headers: [("WWW-Authenticate", challenge)], body: [])
            let url = try #require(WebURL(MCPPageTests.resource))
            let required = try #require(try await credentials.requiredSignIn(in: answer, from: url))
            let failure = await #expect(throws: AuthFailure.self) { _ = try await credentials.stepUp(to: required, refused: token) }
            return await credentials.signInPage(for: try #require(failure))
        }
    }

    private final class Logins: Sendable {
        private let list = Mutex<[[String]]>([])
        var all: [[String]] { list.withLock(\.self) }

        func add(_ arguments: [String]) -> Int {
            list.withLock { list in
                list.append(arguments)
                return list.count
            }
        }
    }

    private func withWorld(_ body: (CommandWorld) async throws -> Void) async throws {
        let provider = SignInTests.honest.with { $0.lifetimes.accessToken = .seconds(86_400) }
        try await SandboxServer.running(provider) { server in
            // The resource itself cannot be reached.
            let world = try CommandWorld(localPorts: ["mcp.example.org": 1])
            try world.configure(issuer: server.issuer, more: "resource = \"\(Self.resource)\"")
            try await body(world)
        }
    }

    /// Any number of requests wait for one page; one click signs in for all of them.
    @Test func clickSignsInForAllRequests() async throws {
        try await withWorld { world in
            let logins = Logins()
            let bridge = try PagedBridge(world, logins: logins)
            let offer = try #require(await bridge.page())
            for _ in 0..<3 { #expect(await bridge.page() == offer) }
            let visitor = StartPageVisitor(address: offer.address)
            let page = await visitor.read()
            #expect(page.contains("<b>mcp.example.org</b>") && page.contains("<b>sandbox</b>") && !page.contains("<ul>"), "\(page)")
            #expect(logins.all.isEmpty)
            async let first = bridge.credentials.signInEnded(offer.id)
            async let second = bridge.credentials.signInEnded(nil)
            #expect(await visitor.click()?.contains("Sign-in started") == true)
            let ends = await [first, second]
            #expect(ends == [true, true])
            #expect(logins.all == [["sandbox"]])
            #expect(try await bridge.token() != nil)
            // The page is over, and its failure leads to no other one.
            #expect(await visitor.read().hasPrefix("HTTP/1.1 410 "))
            #expect(await bridge.credentials.signInPage(for: Self.failure) == nil)
            #expect(await bridge.credentials.signInEnded(offer.id))
            await bridge.credentials.end()
            #expect(await visitor.read() == "")
        }
    }

    /// The click on a page with scopes is the user's own step for more scopes; the page shows those of all requests.
    @Test func pageShowsTheScopesThatTheSessionLacks() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid"]).status == 0)
            let logins = Logins()
            let bridge = try PagedBridge(world, logins: logins)
            let token = try await bridge.token()
            let first = try #require(try await bridge.page(wanting: "openid email", after: token))
            let visitor = StartPageVisitor(address: first.address)
            let old = try #require(await visitor.read().firstMatch(of: /value="([^"]+)"/)?.output.1)
            let second = try #require(try await bridge.page(wanting: "profile", after: token))
            #expect(second == first)
            let page = await visitor.read()
            #expect(page.contains("<b>sandbox/ada</b>") && page.contains("<ul><li>email</li><li>profile</li></ul>"), "\(page)")
            // The user has read about one scope only.
            #expect(await visitor.click(once: old).hasPrefix("HTTP/1.1 409 "))
            #expect(logins.all.isEmpty)
            async let end = bridge.credentials.signInEnded(first.id)
            #expect(await visitor.click() != nil)
            let isSignedIn = await end
            #expect(isSignedIn)
            #expect(logins.all == [["sandbox/ada", "--scope=openid", "--scope=email", "--scope=profile"]])
            #expect(try await bridge.token() != token)
            await bridge.credentials.end()
        }
    }

    /// A server that is never satisfied gets one sign-in from a page, and then the command.
    @Test func serverCannotHaveTheSameSignInAgain() async throws {
        try await withWorld { world in
            #expect(await world.run(["login", "sandbox", "--account", "ada", "--scope", "openid"]).status == 0)
            let bridge = try PagedBridge(world, logins: Logins()) { _ in 0 }
            let token = try await bridge.token()
            let offer = try #require(try await bridge.page(wanting: "email", after: token))
            async let end = bridge.credentials.signInEnded(offer.id)
            #expect(await StartPageVisitor(address: offer.address).click() != nil)
            let isSignedIn = await end
            #expect(isSignedIn)
            // The stand-in sign-in has changed nothing.
            #expect(try await bridge.page(wanting: "email", after: token) == nil)
            #expect(try await bridge.page(wanting: "profile", after: token) != nil)
            await bridge.credentials.end()
        }
    }

    /// The user closes the provider's page, and clicks again.
    @Test func failedSignInCanBeRepeated() async throws {
        try await withWorld { world in
            let (tries, ended) = AsyncStream.makeStream(of: Void.self)
            let bridge = try PagedBridge(world, logins: Logins()) { number in
                ended.yield()
                return number == 1 ? 5 : 0
            }
            let offer = try #require(await bridge.page())
            let visitor = StartPageVisitor(address: offer.address)
            async let end = bridge.credentials.signInEnded(offer.id)
            #expect(await visitor.click() != nil)
            for await _ in tries { break }
            while await !visitor.read().contains("<form") { await Task.yield() }
            #expect(await bridge.page() == offer)
            #expect(await visitor.click() != nil)
            let isSignedIn = await end
            #expect(isSignedIn)
            await bridge.credentials.end()
        }
    }

    @Test func pageThatIsNotUsedEnds() async throws {
        try await withWorld { world in
            let bridge = try PagedBridge(world, logins: Logins())
            let offer = try #require(await bridge.page())
            let visitor = StartPageVisitor(address: offer.address)
            let once = try #require(await visitor.read().firstMatch(of: /value="([^"]+)"/)?.output.1)
            async let end = bridge.credentials.signInEnded(offer.id)
            bridge.time.advance(by: .seconds(599))
            #expect(await visitor.read().contains("<form"))
            // Another request names it.
            #expect(await bridge.page() == offer)
            bridge.time.advance(by: .seconds(599))
            #expect(await visitor.read().contains("<form"))
            bridge.time.advance(by: .seconds(1))
            let isSignedIn = await end
            #expect(!isSignedIn)
            #expect(await visitor.click(once: once).hasPrefix("HTTP/1.1 410 "))
            // The next request gets another one at the same address.
            let next = try #require(await bridge.page())
            #expect(next.id != offer.id && next.address == offer.address)
            await bridge.credentials.end()
        }
    }

    /// The user has run the command in a terminal instead.
    @Test func signInElsewhereEndsThePage() async throws {
        try await withWorld { world in
            let bridge = try PagedBridge(world, logins: Logins())
            let offer = try #require(await bridge.page())
            #expect(await world.run("login", "sandbox").status == 0)
            async let end = bridge.credentials.signInEnded(offer.id)
            #expect(try await bridge.token() != nil)
            let isSignedIn = await end
            #expect(isSignedIn)
            #expect(await StartPageVisitor(address: offer.address).read().hasPrefix("HTTP/1.1 410 "))
            await bridge.credentials.end()
        }
    }

    @Test func endClosesThePageAndEndsTheWait() async throws {
        try await withWorld { world in
            let bridge = try PagedBridge(world, logins: Logins())
            let offer = try #require(await bridge.page())
            async let end = bridge.credentials.signInEnded(offer.id)
            while await bridge.credentials.askedSignIn.current?.waiting.isEmpty != false { await Task.yield() }
            await bridge.credentials.end()
            let isSignedIn = await end
            #expect(!isSignedIn)
            #expect(await StartPageVisitor(address: offer.address).read() == "")
            #expect(await bridge.page() == nil)
        }
    }

    /// The sessions are on another machine, or no provider is configured for the server: the user's own command is needed.
    @Test func pageIsForSessionsOfThisMachineOnly() async throws {
        try await withWorld { world in
            #expect(await (try PagedBridge(world, remote: true, logins: Logins())).page() == nil)
            let unknown = try PagedBridge(world, address: "https://other.example.org/mcp", logins: Logins())
            #expect(await unknown.page() == nil)
            // A failure for which no sign-in was asked.
            let bridge = try PagedBridge(world, logins: Logins())
            #expect(await bridge.page() != nil)
            #expect(await bridge.credentials.signInPage(for: AuthFailure(.notSignedIn, text: "other")) == nil)
            await bridge.credentials.end()
        }
    }
}
