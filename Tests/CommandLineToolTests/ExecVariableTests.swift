import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// `yett exec` with variables that the user names.
struct ExecVariableTests {
    private func signedIn(_ body: (CommandWorld) async throws -> Void) async throws {
        try await withSession(SignInTests.honest) { _, world in
            try await body(world)
        }
    }

    @Test func variablesHaveTheKindsThatTheyName() async throws {
        try await signedIn { world in
            let result = await world.run(
                "exec", "sandbox", "--env", "A", "--env", "B=id_token", "--env", "C=header:sandbox", "--", "forbidden")
            let environment = try #require(result.replacement?.environment, "\(result.errors)")
            let token = await world.run("token", "sandbox").output.dropLast()
            #expect(environment["A"] == String(token))
            #expect(environment["C"] == "Authorization: Bearer \(token)")
            #expect(environment["B"] == String(await world.run("token", "sandbox", "--id-token").output.dropLast()))
            #expect(environment["ACCESS_TOKEN"] == nil && environment["YETT_ACCESS_TOKEN"] == nil)
        }
    }

    @Test func fileNamesVariablesAndSessions() async throws {
        try await signedIn { world in
            let path = world.home + "/tokens.env"
            try world.write("# tokens\n\nAPI=token:sandbox\r\n  HEADER=header:sandbox  \n", to: "tokens.env")
            let result = await world.run("exec", "--env-file", path, "--env", "MORE=id_token:sandbox", "--", "forbidden")
            let names = result.replacement?.environment.keys.map(\.self) ?? []
            #expect(Set(["API", "HEADER", "MORE"]).isSubset(of: names), "\(result.errors)")
            let other = await world.run("exec", "--env", "A=token:other", "--", "forbidden")
            #expect(other.status != 0 && other.replacement == nil)
        }
    }

    @Test(arguments: ["", "=token", "1A", "A-B", "A=password", "A=token:", "A=token:a b/", "LD PRELOAD"])
    func otherTextIsRefused(text: String) { #expect(throws: AuthFailure.self) { try TokenVariable(text) } }

    @Test(arguments: [
        ["exec", "--", "true"], ["exec", "work", "--proxy", "--env", "A", "--", "true"], ["exec", "--proxy", "--", "true"],
        ["exec", "work", "--env", "A", "--env", "A", "--", "true"], ["exec", "--env", "A", "--", "true"],
        ["exec", "work", "--env-file", "/missing", "--", "true"],
    ])
    func senselessCombinationsAreUsageErrors(arguments: [String]) async throws {
        #expect(try await CommandWorld().run(arguments).status == 64)
    }
}
