import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Omitted or misspelt arguments, and the answers to them.
struct ShortHandTests {
    @Test func tokenWithoutASessionTakesTheOnlyOne() async throws {
        try await withSandbox { server, world in
            let none = await world.run("token")
            #expect(none.status == 9 && none.output == "")
            try await world.signIn()
            #expect(await world.run("token").output == world.run("token", "sandbox/ada").output)
            await server.autoApprove(as: "grace")
            try await world.signIn("sandbox")
            let several = await world.run("token")
            #expect(several.status == 64 && several.output == "")
            #expect(several.errors.contains("name one: sandbox/ada, sandbox/grace"))
        }
    }

    @Test(arguments: [["tokn"], ["tokn", "work"], ["tokn", "work", "--header"], ["--no-agent", "tokn"]])
    func misspeltCommandGetsASuggestion(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(arguments, exits: 64)
        #expect(result.errors == "yett: error: unknown command 'tokn'\nyett: hint: did you mean: yett token?\n")
    }

    @Test(arguments: [
        ("github", "yett providers add github --client-id ID"),
        ("keycloak", "yett providers add keycloak --at id.example.org/realms/main --client-id ID"),
    ])
    func wellKnownProviderIsSuggested(name: String, command: String) async throws {
        let result = await (try CommandWorld()).run("login", name, exits: 2)
        #expect(result.errors.contains("add this well-known service with: " + command))
    }

    @Test func doctorNamesSessionsThatNeedASignInAndLibcurl() async throws {
        try await withSession { server, world in
            #expect(!(await world.run("doctor").output.contains("sign in again")))
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            #expect(await world.run("renew").status == 6)
            let doctor = await world.run("doctor")
            #expect(doctor.output.contains("session       sandbox/ada: sign in again"))
            #expect(doctor.output.contains("sign in again with: yett login sandbox/ada"))
            #expect(doctor.output.contains("ok   libcurl       libcurl/"))
        }
    }
}
