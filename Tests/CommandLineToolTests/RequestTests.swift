import AuthModel
import Localization
import OAuth
import Sandbox
import Synchronization
import TestSupport
import Testing
import UserConfiguration

@testable import CommandLineTool

/// `yett request` at the sandbox's resources.
struct RequestTests {
    /// Signs in at a sandbox whose host may get the tokens.
    private func signedIn(
        _ sandbox: SandboxConfiguration = SignInTests.honest, more: String = "",
        _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        try await withToolWorld(sandbox, more: more) { server, world in
            server.clearRequests()
            try await body(server, world)
        }
    }

    private func calls(of path: String, at server: SandboxServer) -> [LoggedRequest] { server.requests.filter { $0.path == path } }

    @Test func responseIsPrintedUnchanged() async throws {
        try await signedIn { (server, world) async throws in
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 0)
            #expect(try result.json["sub"]?.string != nil)
            #expect(result.errors == "")
            #expect(server.requests.map(\.path) == ["/api/hello"])
            let token = await world.run("token", "sandbox").output.dropLast()
            #expect(server.requests.first?.header("Authorization") == "Bearer \(token)")
        }
    }

    @Test func severalURLsAreRequestedInOrder() async throws {
        try await signedIn { server, world in
            await world.run("request", "sandbox", server.issuer + "/api/hello?a=1", server.issuer + "/api/hello?a=2", exits: 0)
            #expect(server.requests.map { $0.parameter("a") } == ["1", "2"])
        }
    }

    @Test func methodHeadersAndBodyAreTheUsers() async throws {
        try await signedIn { server, world in
            let call = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"
            let result = await world.run("request", "sandbox", "-H", "X-Mine: yes", "-d", call, server.issuer + "/api/hello")
            let request = try #require(server.requests.first)
            #expect(request.method == "POST", "\(result.errors)")
            #expect(request.header("X-Mine") == "yes")
            #expect(request.header("Content-Type") == "application/json")
            #expect(String(decoding: request.body, as: UTF8.self) == call)
        }
    }

    @Test(arguments: ["Authorization: Bearer x", "Host: evil.example", "DPoP: x", "Cookie: a=b", "broken"])
    func headersOfTheSessionCannotBeSet(field: String) async throws {
        try await signedIn { server, world in
            await world.run("request", "sandbox", "-H", field, server.issuer + "/api/hello", exits: 64)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func tokenIsNotSentToAnUnnamedHost() async throws {
        try await SandboxServer.running(SignInTests.honest) { other in
            try await signedIn { server, world in
                let result = await world.run(
                    "request", "sandbox", server.issuer + "/api/hello", "http://127.0.0.1:\(other.port)/api/hello", exits: 8)
                #expect(result.errors.contains("tokens of sandbox are not sent to 127.0.0.1:\(other.port)"))
                #expect(result.errors.contains("api_hosts"))
                // Not even the first URL was requested.
                #expect(server.requests.isEmpty)
                #expect(other.requests.isEmpty)
            }
        }
    }

    @Test func refusalNamesTheProviderWhoseTokensFit() async throws {
        try await signedIn(
            more: "[providers.right]\nkind = \"oidc\"\nissuer = \"https://id.example\"\nclient_id = \"x\"\napi_hosts = [\"api.example\"]\n"
        ) {
            server, world in
            let result = await world.run("request", "sandbox", "https://api.example/things", exits: 8)
            #expect(result.errors.contains("yett: hint: use right: yett request right https://api.example/things"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [("http://api.example/", Int32(8)), ("ftp://api.example/", 64), ("api", 64), ("https://user@api.example/", 64)])
    func unsafeURLsAreRefused(address: String, status: Int32) async throws {
        try await signedIn { server, world in
            #expect(await world.run("request", "sandbox", address).status == status)
            #expect(server.requests.isEmpty)
        }
    }

    /// The token of the first call has expired at the provider, and so has the one of the second: each call renews once, with the newest
    /// refresh token.
    @Test func eachCallRenewsOnceWithTheNewestRefreshToken() async throws {
        let provider = SignInTests.honest.with { $0.lifetimes.accessToken = .seconds(170) }
        try await signedIn(provider) { server, world in
            var spent: [String] = []
            let time = ManualTime(now: world.time.now)
            for _ in 0..<2 {
                // The token has expired at the provider, but not on this machine's clock, which stands still.
                await server.advance(by: .seconds(180))
                server.clearRequests()
                await world.run(["request", "sandbox", server.issuer + "/api/hello"], time: time, exits: 0)
                #expect(calls(of: "/api/hello", at: server).count == 2)
                spent += calls(of: "/token", at: server).compactMap { $0.field("refresh_token") }
            }
            #expect(spent.count == 2)
            #expect(Set(spent).count == 2)
        }
    }

    /// A request for a new token names the refused one, so callers that come after the renewal get its result.
    @Test func eightRequestsWithOneExpiredTokenRenewOnce() async throws {
        try await signedIn(SignInTests.honest.with { $0.lifetimes.accessToken = .seconds(170) }) { server, world in
            // A call that waits for the lock of another looks at it again by the clock, so it must not stand still.
            await server.advance(by: .seconds(180))
            server.clearRequests()
            let results = await withTaskGroup(of: CommandResult.self) { group in
                for _ in 0..<8 { group.addTask { await world.run("request", "sandbox", server.issuer + "/api/hello") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { #expect(result.status == 0, "\(result.errors)") }
            #expect(calls(of: "/token", at: server).count == 1)
        }
    }

    @Test func jsonResponseIncludesTheHeaderFields() async throws {
        try await signedIn { server, world in
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", "--json")
            let headers = try #require(try result.json["headers"]?.array)
            #expect(headers.contains { $0["name"]?.string?.lowercased() == "content-type" && $0["value"]?.string != nil })
        }
    }

    @Test func refusedTokenIsRenewedOnlyOnce() async throws {
        let provider = SignInTests.honest.with { $0.resources.authorizationServers = ["http://127.0.0.1:9"] }
        // The resource trusts an authorization server that cannot be reached, so every token is invalid there.
        try await signedIn(provider) { server, world in
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 5)
            #expect(result.errors.contains("invalid_token"))
            #expect(calls(of: "/api/hello", at: server).count == 2)
            #expect(calls(of: "/token", at: server).count == 1)
        }
    }

    @Test func stepUpSignsInOnceAsTheResourceRequires() async throws {
        try await signedIn { server, world in
            let refused = await world.run("request", "sandbox", server.issuer + "/api/vault", exits: 5)
            #expect(refused.errors.contains("--challenge prompt"))
            #expect(calls(of: "/authorize", at: server).isEmpty)
            let result = await world.run("request", "sandbox", "--challenge", "prompt", server.issuer + "/api/vault", exits: 0)
            #expect(try result.json["hello"]?.string != nil)
            let asked = try #require(calls(of: "/authorize", at: server).first)
            #expect(asked.parameter("acr_values") == "urn:yett:sandbox:password-again")
            #expect(asked.parameter("max_age") == "300")
            #expect(try await world.sessions().count == 1)
        }
    }

    /// A token that a resource no longer accepts until its claims are met, as after a password was changed.
    @Test func claimsChallengeLeadsToASignInWithTheseClaims() async throws {
        let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
        let challenge = "Bearer error=\"insufficient_claims\", claims=\"\(Base64.encode(Array(claims.utf8)))\""
        let tokens = Mutex<Set<String>>([])
        let resource = try StandInServer { request in
            let isFirst = tokens.withLock { $0.insert(request.header("Authorization") ?? "").inserted && $0.count == 1 }
            return isFirst ? .init(status: 401, headers: ["WWW-Authenticate: \(challenge)"]) : .init(body: Array("granted".utf8))
        }
        try await withSession(SignInTests.honest, more: "api_hosts = [\"127.0.0.1:\(resource.port)\"]\n") { server, world in
            server.clearRequests()
            // Without the user's consent, a resource opens no window.
            let refused = await world.run("request", "sandbox", resource.origin + "/api")
            #expect(refused.status == 5 && refused.errors.contains("--challenge prompt"), "\(refused.errors)")
            #expect(calls(of: "/authorize", at: server).isEmpty)
            tokens.withLock { $0 = [] }
            let result = await world.run("request", "sandbox", "--challenge", "prompt", resource.origin + "/api")
            #expect(result.status == 0 && result.output.contains("granted"), "\(result.errors)")
            #expect(calls(of: "/authorize", at: server).map { $0.parameter("claims") } == [claims])
        }
    }

    @Test func stepUpRequestsTheResourcesOfTheSession() async throws {
        try await signedIn { server, world in
            let resource = server.issuer + "/api/vault"
            try await world.signIn("sandbox", "--resource", resource)
            server.clearRequests()
            await world.run("request", "sandbox", "--challenge", "prompt", server.issuer + "/api/vault", exits: 0)
            #expect(calls(of: "/authorize", at: server).first?.parameter("resource") == resource)
        }
    }

    /// The resource is never content, or the provider ignores what it wants.
    @Test(arguments: [("resource-step-up-for-ever", Int32(5), 2), ("id-token-acr-other", 8, 1), ("id-token-acr-missing", 8, 1)])
    func stepUpWithoutEffectIsAttemptedOnce(fault: String, status: Int32, count: Int) async throws {
        try await signedIn { server, world in
            await server.set(try FaultSet(names: [fault]))
            await world.run("request", "sandbox", "--challenge", "prompt", server.issuer + "/api/vault", exits: status)
            #expect(calls(of: "/authorize", at: server).count == 1)
            #expect(calls(of: "/api/vault", at: server).count == count)
        }
    }

    @Test func stepUpWithAnotherAccountIsRefused() async throws {
        try await signedIn { (server, world) async throws in
            await server.autoApprove(as: "grace")
            let result = await world.run("request", "sandbox/ada", "--challenge", "prompt", server.issuer + "/api/vault", exits: 8)
            #expect(result.errors.contains("signed in grace (Grace Hopper, grace@example.org), but sandbox/ada is another account"))
            #expect(calls(of: "/api/vault", at: server).count == 1)
            // Nothing of the other account is stored.
            #expect(try await world.sessions().compactMap { $0["session"]?.string } == ["sandbox/ada"])
        }
    }

    /// A resource may require any scopes; the user at the terminal decides whether to request them.
    @Test(arguments: [("", Int32(3)), ("n", 3), ("y", 0)])
    func moreScopesNeedTheUsersConsent(line: String, status: Int32) async throws {
        try await signedIn { server, world in
            let resource = server.issuer + "/mcp"
            #expect(await world.run("logout", "sandbox").status == 0)
            #expect(await world.run("login", "sandbox", "--resource", resource).status == 0)
            server.clearRequests()
            let user = CommandWorld.User(hasTerminal: true, lines: [line])
            let result = await world.run("request", "sandbox", resource, user: user)
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains("it requires scopes that sandbox/ada does not have: mcp"))
            let asked = calls(of: "/authorize", at: server).compactMap { $0.parameter("scope")?.contains("mcp") }
            #expect(asked == (status == 0 ? [true] : []))
        }
    }

    /// Without a terminal, more scopes are never requested: the error names the command.
    @Test func moreScopesNeedATerminal() async throws {
        try await signedIn { server, world in
            let resource = server.issuer + "/mcp"
            #expect(await world.run("logout", "sandbox").status == 0)
            #expect(await world.run("login", "sandbox", "--resource", resource).status == 0)
            server.clearRequests()
            let result = await world.run("request", "sandbox", "--challenge", "prompt", resource, exits: 5)
            #expect(result.errors.contains("yett: hint: run: yett login sandbox/ada --scope="))
            #expect(result.errors.contains(" --scope=mcp\n"))
            #expect(calls(of: "/authorize", at: server).isEmpty)
        }
    }

    @Test func anonymousRetriesWithoutAToken() async throws {
        try await signedIn { server, world in
            await world.run("request", "sandbox", "--challenge", "anonymous", server.issuer + "/api/vault", exits: 5)
            #expect(calls(of: "/api/vault", at: server).map { $0.header("Authorization") == nil } == [false, true])
            #expect(calls(of: "/authorize", at: server).isEmpty)
        }
    }

    @Test(arguments: ["none", "fixed", "rotating"])
    func boundTokenIsSentWithAProofForEachRequest(nonces: String) async throws {
        var provider = SignInTests.honest
        provider.proofs = .init(support: .required, resourceNonces: try #require(.init(rawValue: nonces)))
        try await signedIn(provider, more: "dpop = \"required\"\n") { server, world in
            await world.run("request", "sandbox", server.issuer + "/api/hello", server.issuer + "/api/hello", exits: 0)
            let sent = calls(of: "/api/hello", at: server)
            #expect(sent.allSatisfy { $0.header("Authorization")?.hasPrefix("DPoP ") == true })
            #expect(Set(sent.compactMap { $0.header("DPoP") }).count == sent.count)
            #expect(sent.count == (nonces == "none" ? 2 : 3))
        }
    }

    /// At userinfo during the sign-in, and at a resource.
    @Test func challengeSchemeIsCaseInsensitive() async throws {
        var provider = SignInTests.honest
        provider.proofs = .init(support: .required, resourceNonces: .fixed)
        provider.faultSet = try FaultSet(names: ["dpop-scheme-mixed-case"])
        try await signedIn(provider, more: "dpop = \"required\"\n") { server, world in
            await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 0)
            #expect(calls(of: "/api/hello", at: server).count == 2)
        }
    }

    @Test func endlessNonceChallengesAreLimited() async throws {
        let provider = SignInTests.honest.with { $0.proofs = .init(support: .required, resourceNonces: .fixed) }
        try await signedIn(provider, more: "dpop = \"required\"\n") { server, world in
            await server.set(try FaultSet(names: ["dpop-resource-use-nonce-for-ever"]))
            await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 5)
            #expect(calls(of: "/api/hello", at: server).count <= 4)
        }
    }

    @Test(arguments: [("resource-503", Int32(7)), ("resource-html", 0)])
    func responseStatusDecidesTheExitStatus(fault: String, status: Int32) async throws {
        try await signedIn { server, world in
            await server.set(try FaultSet(names: [fault]))
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello")
            #expect(result.status == status, "\(result.errors)")
        }
    }

    @Test func redirectToAnotherHostIsNotFollowed() async throws {
        try await signedIn { server, world in
            await server.set(try FaultSet(names: ["resource-redirect-302"]))
            await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 8)
            #expect(server.requests.map(\.path) == ["/api/hello"])
        }
    }

    @Test func outputOnATerminalIsSanitised() async throws {
        try await signedIn { server, world in
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", user: .init(hasTerminal: true), exits: 0)
            #expect(!result.output.contains("\u{1B}"))
        }
    }
}

/// Which URLs may get tokens.
struct TokenDestinationsTests {
    @Test(arguments: [
        ("https://api.example/a", true), ("https://API.example:443/a", true), ("https://api.example:8443/", false),
        ("https://other.example:8443/x", true), ("https://other.example/x", false), ("https://mcp.example/any", true),
        ("https://mcp.example:444/any", false), ("https://sub.api.example/", false), ("https://api.example.evil.example/", false),
        ("http://api.example/", false),
    ])
    func hostAndPortAreComparedExactly(address: String, isReached: Bool) throws {
        var provider = ProviderConfiguration(name: try #require(ProviderName("work")), kind: .oauth2, issuer: nil, clientID: "x")
        provider.apiHosts = ["api.example", "other.example:8443"]
        provider.resources = ["https://mcp.example/mcp"]
        #expect(TokenDestinations(provider: provider).includes(try #require(WebURL(address))) == isReached)
    }

    /// A tool names a full URL: the token of one resource goes to no other resource at the same origin.
    @Test(arguments: [
        ("https://mcp.example/mcp", true), ("https://mcp.example/mcp/", true), ("https://mcp.example/mcp/tools", true),
        ("https://mcp.example/other", false), ("https://mcp.example/mcp2", false), ("https://mcp.example/", false),
        ("https://mcp.example/mcp/../other", false), ("https://mcp.example/mcp/%2e%2e/other", false), ("https://api.example/other", true),
        ("https://mcp.example:444/mcp", false), ("http://mcp.example/mcp", false),
    ])
    func resourceIsNotItsWholeOrigin(address: String, isReached: Bool) throws {
        var provider = ProviderConfiguration(name: try #require(ProviderName("work")), kind: .oauth2, issuer: nil, clientID: "x")
        provider.apiHosts = ["api.example"]
        provider.resources = ["https://mcp.example/mcp"]
        #expect(TokenDestinations(provider: provider).includesAddress(try #require(WebURL(address))) == isReached)
    }

    private static func tenants() throws -> Configuration {
        let resources = [
            "alpha": "https://gw.example/mcp?tenant=alpha", "beta": "https://gw.example/mcp?tenant=beta", "docs": "https://gw.example/docs",
            "inner": "https://gw.example/docs/inner", "twin": "https://gw.example/docs/inner/",
        ]
        var configuration = Configuration()
        configuration.providers = try resources.sorted { $0.key < $1.key }.map { name, resource in
            var provider = ProviderConfiguration(name: try #require(ProviderName(name)), kind: .oauth2, issuer: nil, clientID: "x")
            provider.resources = [resource]
            return provider
        }
        return configuration
    }

    /// Tenants of a gateway share its origin, and often a path: the closest resource alone decides, with or without a session.
    @Test(
        arguments: [
            ("https://gw.example/mcp?tenant=alpha", ["alpha"]), ("https://GW.example:443/mcp/?tenant=beta", ["beta"]),
            ("https://gw.example/mcp/tools?tenant=beta", ["beta"]), ("https://gw.example/mcp?tenant=gamma", []),
            ("https://gw.example/mcp?tenant=alpha&x=1", []), ("https://gw.example/mcp", []), ("https://gw.example/docs/", ["docs"]),
            ("https://gw.example/docs?tenant=alpha", ["docs"]), ("https://gw.example/docs/innermost", ["docs"]),
            ("https://gw.example/docs/inner", ["inner", "twin"]), ("https://gw.example/docs/x/../inner/a?b", ["inner", "twin"]),
            ("https://gw.example/", []), ("https://gw.example:444/docs", []), ("http://gw.example/docs", []),
        ] as [(String, [String])])
    func closestResourceDecides(address: String, names: [String]) throws {
        let url = try #require(WebURL(address))
        let providers = try Self.tenants().providers
        #expect(providers.closest(to: url).map(\.name.text) == names)
        #expect(providers.reversed().closest(to: url).map(\.name.text) == names.reversed())
        #expect(providers.closest(to: url, orAtHost: true).map(\.name.text) == names)
    }

    /// A host in `api_hosts` is farther than a resource there.
    @Test func resourceIsCloserThanAHost() throws {
        var providers = try Self.tenants().providers
        providers[0].resources = []
        providers[0].apiHosts = ["gw.example"]
        func names(_ address: String) throws -> [String] {
            providers.closest(to: try #require(WebURL(address)), orAtHost: true).map(\.name.text)
        }
        #expect(try names("https://gw.example/docs/a") == ["docs"])
        #expect(try names("https://gw.example/mcp?tenant=alpha") == ["alpha"])
        #expect(try names("https://gw.example/mcp?tenant=gamma") == ["alpha"])
    }

    /// Also a session that the user names is not for what another provider's resource is closer to, unless `api_hosts` has the host.
    @Test(
        arguments: [
            ("alpha", "https://gw.example/mcp?tenant=alpha", true), ("alpha", "https://gw.example/mcp?tenant=beta", false),
            ("docs", "https://gw.example/docs/inner", false), ("twin", "https://gw.example/docs/inner", true),
            ("docs", "https://gw.example/other", true), ("inner", "https://gw.example/docs", false),
        ] as [(String, String, Bool)])
    func namedSessionIsNotForAnotherResource(name: String, address: String, isSent: Bool) throws {
        let url = try #require(WebURL(address))
        let configuration = try Self.tenants()
        var provider = try configuration.named(name)
        func isAllowed() -> Bool { (try? TokenDestinations(provider: provider).require(url, in: configuration)) != nil }
        #expect(isAllowed() == isSent)
        provider.apiHosts = ["gw.example"]
        #expect(isAllowed())
    }

    /// The path of a request through a proxy for an origin is the client's choice.
    @Test func proxySendsNothingToAnotherResource() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try world.configure(issuer: server.issuer, more: "resource = \"\(server.issuer)\"\n")
            try await world.signIn("sandbox")
            try world.addProvider("beta", resource: server.issuer + "/beta")
            let proxy = try await SessionProxy(
                try #require(SessionName("sandbox")), target: server.issuer, issues: false, in: world.context())
            _ = try await proxy.credential(for: try #require(WebURL(server.issuer + "/alpha")), refused: nil)
            let refusal = await #expect(throws: AuthFailure.self) {
                _ = try await proxy.credential(for: try #require(WebURL(server.issuer + "/beta/x")), refused: nil)
            }
            #expect(refusal?.kind == .security && refusal?.summary.contains("belongs to the provider beta") == true)
        }
    }
}
