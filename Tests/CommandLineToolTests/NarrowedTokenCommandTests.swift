import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// `--scope` and `--audience`: a token with less access than the session has.
struct NarrowedTokenCommandTests {
    @Test func tokenWithFewerScopesIsADifferentToken() async throws {
        try await withSession { (sandbox, world) async throws in
            let whole = await world.run("token", "sandbox").output
            for scopes in [["--scope", "openid", "--scope", "email"], ["--scope", "email openid"]] {
                let result = await world.run(["token", "sandbox", "--json", "--audience", "https://api.example.org/"] + scopes, exits: 0)
                #expect(try Set(result.json["scopes"]?.strings ?? []) == ["openid", "email"])
                #expect(try result.json["token"]?.string.map { $0 + "\n" } != whole)
            }
            #expect(await world.run("token", "sandbox").output == whole)
            let asked = sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
            #expect(asked.map { $0.field("scope") } == ["email openid", "email openid"])
            #expect(asked.map { $0.field("resource") } == ["https://api.example.org/", "https://api.example.org/"])
        }
    }

    @Test func execGetsATokenWithFewerScopes() async throws {
        try await withSession { sandbox, world in
            let whole = await world.run("token", "sandbox").output
            let options = ["--scope", "openid", "--audience", "https://api.example.org/"]
            let token = await world.run(["exec", "sandbox"] + options + ["--", "printenv"]).replacement?.environment["ACCESS_TOKEN"]
            #expect(token != nil && token.map { $0 + "\n" } != whole)
            let asked = sandbox.requests.last { $0.field("grant_type") == "refresh_token" }
            #expect(asked?.field("scope") == "openid" && asked?.field("resource") == "https://api.example.org/")
            #expect(await world.run("exec", "sandbox", "--audience", "no URI", "--", "true").status == 64)
        }
    }

    /// Runs a sandbox whose resources may get the tokens, with a signed-in session.
    private func withResources(
        _ configuration: SandboxConfiguration = .lasting,
        _ body: (SandboxServer, CommandWorld, String) async throws -> Void
    ) async throws {
        try await withToolWorld(configuration) { sandbox, world in
            sandbox.clearRequests()
            try await body(sandbox, world, sandbox.issuer + "/api/hello")
        }
    }

    @Test func requestSendsATokenWithFewerScopes() async throws {
        try await withResources { sandbox, world, url in
            let whole = await world.run("token", "sandbox", "--header").output.dropLast()
            await world.run("request", "sandbox", "--scope", "openid", "--audience", sandbox.issuer + "/api", url, exits: 0)
            let asked = sandbox.requests.last { $0.field("grant_type") == "refresh_token" }
            #expect(asked?.field("scope") == "openid" && asked?.field("resource") == sandbox.issuer + "/api")
            let sent = sandbox.requests.last { $0.path == "/api/hello" }?.header("Authorization")
            #expect(sent?.hasPrefix("Bearer ") == true)
            #expect(sent.map { "Authorization: " + $0 } != String(whole))
            #expect(await world.run("token", "sandbox", "--header").output.dropLast() == whole)
        }
    }

    /// A resource that accepts only tokens requested for it by name refuses each of them.
    @Test func refusedNarrowTokenIsRequestedAgainOnce() async throws {
        try await withResources { sandbox, world, _ in
            let result = await world.run("request", "sandbox", "--scope", "openid", sandbox.issuer + "/mcp")
            #expect(result.status != 0)
            let made = sandbox.requests.filter { $0.path == "/token" }
            #expect(made.map { $0.field("scope") } == ["openid", "openid"], "\(result.errors)")
            let sent = sandbox.requests.filter { $0.path == "/mcp" }.map { $0.header("Authorization") }
            #expect(sent.count == 2)
            #expect(Set(sent).count == 2)
        }
    }

    @Test func resourceThatNeedsAnOmittedScopeStartsNoSignIn() async throws {
        try await withResources { sandbox, world, _ in
            let url = sandbox.issuer + "/mcp"
            let result = await world.run("request", "sandbox", "--challenge", "prompt", "--scope", "openid", "--audience", url, url)
            #expect(result.status == 5)
            #expect(result.errors.contains("requires scopes that --scope excludes: mcp"), "\(result.errors)")
            #expect(result.errors.contains("yett: hint: add them with --scope, or remove --scope"))
            #expect(!sandbox.requests.contains { $0.path == "/authorize" })
        }
    }

    @Test(arguments: [["--scope", "a\"b"], ["--audience", "no URI"], ["--audience", "https://api.example.org/#x"]])
    func invalidRestrictionsAreRefusedBeforeAnyRequest(restrictions: [String]) async throws {
        try await withResources { sandbox, world, url in
            #expect(await world.run(["request", "sandbox"] + restrictions + [url]).status == 64)
            #expect(sandbox.requests.isEmpty)
        }
    }

    @Test func scopeThatTheSessionLacksSaysHowToGetIt() async throws {
        try await withSession { _, world in
            let result = await world.run("token", "sandbox", "--scope", "admin", exits: 5)
            #expect(result.output == "")
            #expect(result.errors.contains("yett: error: the session sandbox/ada has no scope admin"))
            #expect(result.errors.contains("yett: hint: sign in with it: yett login sandbox --scope openid"))
        }
    }
}
