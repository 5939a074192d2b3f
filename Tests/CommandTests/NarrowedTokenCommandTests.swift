import AuthModel
import Sandbox
import Testing

@testable import YettCommand

/// `--scope` and `--audience`: a token for less than the session is good for.
struct NarrowedTokenCommandTests {
    @Test func tokenWithFewerScopesIsAnotherOne() async throws {
        try await withSandbox { sandbox, world in
            try await world.signIn()
            let whole = await world.run("token", "sandbox").output
            for scopes in [["--scope", "openid", "--scope", "email"], ["--scope", "email openid"]] {
                let result = await world.run(["token", "sandbox", "--json", "--audience", "https://api.example.org/"] + scopes)
                #expect(result.status == 0, "\(result.errors)")
                #expect(try Set(result.json["scopes"]?.strings ?? []) == ["openid", "email"])
                #expect(try result.json["token"]?.string.map { $0 + "\n" } != whole)
            }
            #expect(await world.run("token", "sandbox").output == whole)
            let asked = sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
            #expect(asked.map { $0.field("scope") } == ["email openid", "email openid"])
            #expect(asked.map { $0.field("resource") } == ["https://api.example.org/", "https://api.example.org/"])
        }
    }

    @Test func commandGetsATokenWithFewerScopes() async throws {
        try await withSandbox { sandbox, world in
            try await world.signIn()
            let whole = await world.run("token", "sandbox").output
            let options = ["--scope", "openid", "--audience", "https://api.example.org/"]
            let token = await world.run(["exec", "sandbox"] + options + ["--", "printenv"]).replacement?.environment["ACCESS_TOKEN"]
            #expect(token != nil && token.map { $0 + "\n" } != whole)
            let asked = sandbox.requests.last { $0.field("grant_type") == "refresh_token" }
            #expect(asked?.field("scope") == "openid" && asked?.field("resource") == "https://api.example.org/")
            #expect(await world.run("exec", "sandbox", "--audience", "no URI", "--", "true").status == 64)
        }
    }

    @Test func tokenWithAScopeThatTheSessionHasNotSaysHowToGetIt() async throws {
        try await withSandbox { _, world in
            try await world.signIn()
            let result = await world.run("token", "sandbox", "--scope", "admin")
            #expect(result.status == 5)
            #expect(result.output == "")
            #expect(result.errors.contains("yett: error: the session sandbox/ada has no scope admin"))
            #expect(result.errors.contains("yett: hint: sign in for it: yett login sandbox --scope openid"))
        }
    }
}
