import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// From the URL of a protected resource to a session for it (RFC 9728, RFC 8707).
struct ResourceTests {
    @Test func resourceURLSignsInForThatResource() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            let resource = server.issuer + "/mcp"
            await world.run("login", resource, "--register", "--issuer", server.issuer, exits: 0)
            let text = try world.text(world.configurationPath)
            #expect(text.contains("resource = \"\(resource)\""))
            #expect(text.contains("client_id = \"registered-"))
            let authorized = server.requests.filter { $0.path == "/authorize" }
            #expect(authorized.map { $0.parameter("resource") } == [resource])
            #expect(authorized.first?.parameter("scope")?.split(separator: " ").contains("mcp") == true)
            let redeemed = server.requests.filter { $0.path == "/token" && $0.field("resource") != nil }
            #expect(redeemed.map { $0.field("resource") } == [resource])
            let answer = await world.run("request", "local", resource, exits: 0)
            #expect(try answer.json["scope"]?.string?.contains("mcp") == true)
            // The same session serves the next call: nothing is added, and no client is registered again.
            #expect(await world.run("login", resource).status == 0)
            #expect(server.requests.filter { $0.path == "/register" }.count == 1)
            #expect(try world.text(world.configurationPath) == text)
        }
    }

    /// The log changes nothing about requests whose responses are streamed.
    @Test func proxyWorksWithALog() async throws {
        try await withEmptyHome(SignInTests.honest) { (server, world) async throws in
            let resource = server.issuer + "/mcp"
            #expect(await world.run("login", resource, "--register", "--issuer", server.issuer).status == 0)
            await world.run("exec", "local", "--proxy", "--log", "--", "sh", "-c", "curl -sf \"${YETT_PROXY_URL}mcp\" >/dev/null", exits: 0)
            #expect(try world.text(world.home + "/.local/state/yett/yett.log").contains("GET \(resource): 200"))
        }
    }

    /// A server without identities: its only account signs in again, and no second one is created.
    @Test func secondSignInWithoutIdentityKeepsTheAccount() async throws {
        try await withEmptyHome(FirstSignInTests.withoutIdentity.with { $0.refreshTokens = .always }) { server, world in
            let resource = server.issuer + "/mcp"
            for turn in 0..<2 {
                let login = await world.run("login", resource, "--register", "--yes")
                #expect(login.status == 0, "turn \(turn): \(login.errors)")
                let sessions = try await world.run("status", "--json").json["sessions"]?.array ?? []
                #expect(sessions.map { $0["session"]?.string } == ["local/account"])
            }
        }
    }

    /// A server and its resources often share a host, and `login` cannot name what it adds.
    @Test func resourceOfAConfiguredHostGetsItsOwnName() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--client-id", "yett").output == "added: local\n")
            for (resource, name) in [("/mcp", "local-2"), ("/api/hello", "local-3")] {
                let login = await world.run("login", server.issuer + resource, "--register", "--issuer", server.issuer, exits: 0)
                #expect(login.errors.contains("added: \(name)\n"))
                #expect(await world.run("request", name, server.issuer + resource).status == 0)
            }
        }
    }

    @Test func userChoosesTheAuthorizationServer() async throws {
        try await withEmptyHome(SignInTests.honest) { (server, world) async throws in
            let resource = server.issuer + "/mcp"
            let silent = await world.run("providers", "add", resource, "--register", exits: 64)
            #expect(silent.errors.contains("confirm it at a terminal: yett login \(resource)"), "\(silent.errors)")
            await world.run("providers", "add", resource, "--register", "--issuer", "https://other.example", exits: 64)
            await world.run(
                "providers", "add", resource, "--register", user: .init(hasTerminal: true, lines: [""]), exits: 3)
            #expect(!FileStatus.exists(world.configurationPath))
            #expect(!server.requests.contains { $0.path == "/register" || $0.path == "/.well-known/openid-configuration" })
            let chosen = await world.run(
                "providers", "add", resource, "--client-id", "yett", "--name", "tools", user: .init(hasTerminal: true, lines: ["1"]))
            #expect(chosen.status == 0, "\(chosen.errors)")
            #expect(chosen.output == "added: tools\n")
            #expect(try world.text(world.configurationPath).contains("[providers.tools]\n"))
        }
    }

    @Test func onlyServerOfTheSameOriginIsAcceptedWithYes() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await world.run("providers", "add", server.issuer + "/mcp", "--yes", "--client-id", "yett", exits: 0)
            await server.set(try FaultSet(names: ["resource-metadata-authorization-servers-foreign"]))
            let foreign = await world.run(
                "providers", "add", server.issuer + "/api/hello", "--yes", "--client-id", "yett", "--name", "hello", exits: 64)
            #expect(foreign.errors.contains("https://other.example, and you have not confirmed that"))
        }
    }

    /// Another port of a host may be another user's program, and another path another tenant's. Those of this machine are the user's, who
    /// says so.
    @Test(arguments: [
        ("https://nas.example:8443/mcp", "https://nas.example:8443", true), ("https://nas.example/mcp", "https://nas.example/", true),
        ("https://gw.example/a/mcp", "https://gw.example/a", true), ("https://gw.example/a", "https://gw.example/a/", true),
        ("https://gw.example/evil/mcp", "https://gw.example/good", false), ("https://gw.example/ab/mcp", "https://gw.example/a", false),
        ("http://localhost:7001/mcp", "http://localhost:7001/as", true),
        ("https://nas.example:8443/mcp", "https://nas.example:9443", false),
        ("https://nas.example/mcp", "https://id.nas.example", false), ("http://127.0.0.1:7001/mcp", "http://127.0.0.1:7002/as", true),
        ("http://localhost:7001/mcp", "http://127.0.0.1:7002", false),
    ])
    func portOfAnotherProgramIsConfirmed(resource: String, issuer: String, isBeside: Bool) throws {
        #expect(try #require(Issuer(issuer)).isBeside(try #require(WebURL(resource))) == isBeside)
    }

    /// A name in a document sends no request into the user's own network.
    @Test(arguments: [
        ("https://mcp.example/mcp", "https://id.example", true), ("https://mcp.example/mcp", "https://10.0.0.1", false),
        ("https://mcp.example/mcp", "https://router.local", false), ("https://10.0.0.2/mcp", "https://10.0.0.1", true),
        ("http://localhost:7001/mcp", "http://127.0.0.1:7002", true),
    ])
    func serversOfTheOwnNetworkAreNotAskedUnconfirmed(resource: String, issuer: String, isAsked: Bool) throws {
        #expect(try #require(Issuer(issuer)).mayBeAsked(for: try #require(WebURL(resource))) == isAsked)
    }

    @Test(arguments: [
        ("resource-metadata-resource-other", Int32(8)), ("resource-metadata-resource-missing", 8),
        ("resource-metadata-authorization-servers-missing", 2), ("resource-metadata-authorization-servers-empty", 2),
        ("resource-metadata-authorization-servers-http", 8),
        ("resource-metadata-503", 7), ("resource-metadata-html", 7),
    ])
    func faultyResourceAddsNothing(fault: String, status: Int32) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: [fault]))
            let result = await world.run("providers", "add", server.issuer + "/mcp", "--yes", "--register")
            #expect(result.status == status, "\(result.errors)")
            #expect(!FileStatus.exists(world.configurationPath))
            #expect(!server.requests.contains { $0.path == "/register" || $0.path == "/authorize" })
            #expect(!server.requests.contains { $0.header("Authorization") != nil })
        }
    }

    @Test(arguments: [
        ["resource-challenge-without-metadata"],
        // A metadata URL that must not be followed counts as none.
        ["resource-challenge-metadata-http"],
    ])
    func wellKnownURLsAreTriedWithoutAMetadataURL(faults: [String]) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: faults))
            await world.run("providers", "add", server.issuer + "/mcp", "--yes", "--client-id", "yett", exits: 0)
            await server.set(.none)
            try await world.signIn("local")
            #expect(await world.run("request", "local", server.issuer + "/mcp").status == 0)
        }
    }

    /// The document at the root describes the origin, and so are the tokens for the whole origin.
    @Test func resourceBroaderThanTheURLNeedsConfirmation() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: ["resource-challenge-without-metadata", "resource-metadata-at-root-alone"]))
            let silent = await world.run("login", server.issuer + "/mcp", "--register", "--yes", exits: 64)
            #expect(silent.errors.contains("yett login \(server.issuer)"))
            await world.run(
                "login", server.issuer + "/mcp", "--register", "--yes", user: .init(hasTerminal: true, lines: ["n"]), exits: 3)
            #expect(!FileStatus.exists(world.configurationPath))
            let yes = await world.run(
                "providers", "add", server.issuer + "/mcp", "--register", "--yes", user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
            #expect(yes.errors.contains("a program that gets such a token can use all of"))
            #expect(try world.text(world.configurationPath).contains("resource = \"\(server.issuer)"))
        }
    }

    @Test func failedSignInLeavesNoProvider() async throws {
        try await withEmptyHome(SignInTests.honest.with { $0.faultSet = [.callback(.error)] }) { (server, world) async throws in
            let failed = await world.run("login", server.issuer + "/mcp", "--register", "--yes")
            #expect(failed.status != 0)
            #expect(failed.errors.contains("removed again: local"), "\(failed.errors)")
            #expect(try !world.text(world.configurationPath).contains("providers"))
            #expect(server.requests.last { $0.method == "DELETE" }?.path == "/register")
            await server.set(.none)
            await world.run("login", server.issuer + "/mcp", "--register", "--yes", exits: 0)
        }
    }

    /// The client belongs to a provider that stays.
    @Test func failedSignInDeletesNoClientOfAnotherProvider() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            #expect(await world.run("providers", "add", server.issuer, "--register", "--name", "box").status == 0)
            let text = try world.text(world.configurationPath)
            let client = try #require(text.firstMatch(of: /client_id = "(.*)"/)).1
            let redirect = try #require(text.firstMatch(of: /redirect = \["(.*)"\]/)).1
            await server.set(try FaultSet(names: ["callback-error"]))
            let failed = await world.run(
                "login", server.issuer + "/mcp", "--client-id", String(client), "--redirect", String(redirect), "--yes")
            #expect(failed.errors.contains("removed again: local"), "\(failed.errors)")
            #expect(!server.requests.contains { $0.method == "DELETE" })
            #expect(await world.run("providers", "remove", "box").status == 0)
            #expect(server.requests.last { $0.method == "DELETE" }?.path == "/register")
        }
    }

    @Test func redirectOrPortIsRegisteredAsGiven() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            for (option, redirect) in [
                (["--port", "23456"], "http://127.0.0.1:23456/callback/local"),
                (["--redirect", "http://[::1]:23457/back"], "http://[::1]:23457/back"),
            ] {
                let world = try CommandWorld()
                server.clearRequests()
                await world.run(["login", server.issuer + "/mcp", "--register", "--yes"] + option, exits: 0)
                let sent = try #require(server.requests.first { $0.path == "/register" })
                #expect(try JSONValue(strict: sent.body)["redirect_uris"] == [.string(redirect)])
                #expect(server.requests.first { $0.path == "/authorize" }?.parameter("redirect_uri") == redirect)
            }
            let world = try CommandWorld()
            #expect(await world.run("login", server.issuer + "/mcp", "--redirect", "https://example.org/").status == 64)
            #expect(await world.run("login", "local", "--redirect", "http://127.0.0.1:8400/").status == 64)
        }
    }

    @Test func secondSignInKeepsTheAccount() async throws {
        try await withEmptyHome(SignInTests.honest.with { $0.faultSet = [.discovery(.userInfoEndpointMissing)] }) {
            (server, world) async throws in
            for _ in 0..<2 {
                await world.run("login", server.issuer + "/api/hello", "--register", "--yes", exits: 0)
            }
            #expect(try await world.sessions().count == 1)
        }
    }

    @Test func twoProvidersOfOneClientForTwoResourcesCoexist() async throws {
        try await withSandbox(SignInTests.honest) { server, world in
            let resource = server.issuer + "/mcp"
            // A configured provider does not mean that the resource may have its tokens.
            await world.run("providers", "add", resource, "--client-id", "yett", "--name", "tools", exits: 64)
            await world.run("providers", "add", resource, "--client-id", "yett", "--name", "tools", "--issuer", server.issuer, exits: 0)
            try await world.signIn("sandbox")
            try await world.signIn("tools")
            #expect(try await world.sessions().count == 2)
            let wrong = await world.run("request", "sandbox", server.issuer + "/mcp", exits: 8)
            #expect(wrong.errors.contains("yett request tools"))
        }
    }
}
