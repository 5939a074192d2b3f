import AuthModel
import Sandbox
import Testing

/// The provider signs in another account than the one that the user named.
@Suite(.serialized)
struct OtherAccountTests {
    /// Runs a sign-in to ada's session, with grace signed in at the provider.
    private func signIn(
        answering answer: String, hasTerminal: Bool = true, _ check: (CommandResult, [String], CommandWorld) async throws -> Void
    ) async throws {
        try await withSession(SignInTests.honest) { server, world in
            let before = await world.run("token", "sandbox/ada").output
            await server.autoApprove(as: "grace")
            // Pasted lines are read until the question comes.
            let keyboard = Keyboard()
            let result = await world.run(
                ["login", "sandbox", "--account", "ada", "--prompt", "consent"], user: .init(hasTerminal: hasTerminal, keyboard: keyboard),
                told: { if $0.contains("[1-2]") { keyboard.type(answer) } })
            #expect(await world.run("token", "sandbox/ada").output == before, "the older session is unchanged")
            try await check(result, try await world.sessions().compactMap { $0["session"]?.string }, world)
        }
    }

    @Test func userIsToldWhoWasExpectedAndWhoCame() async throws {
        try await signIn(answering: "") { result, sessions, _ in
            #expect(result.errors.contains("the provider signed in grace (Grace Hopper, grace@example.org)"))
            #expect(result.errors.contains("sandbox/ada"))
            #expect(result.errors.contains("keep as sandbox/grace"))
            #expect(result.status == 8 && sessions == ["sandbox/ada"], "Enter discards it: \(result)")
        }
    }

    @Test func otherAccountCanBeKeptUnderItsName() async throws {
        try await signIn(answering: "keep") { result, sessions, world in
            #expect(result.status == 0, "\(result)")
            #expect(sessions == ["sandbox/ada", "sandbox/grace"])
            #expect(await world.run("token", "sandbox/grace").status == 0)
        }
    }

    @Test func programGetsNoOtherAccountThanItNamed() async throws {
        try await signIn(answering: "keep", hasTerminal: false) { result, sessions, _ in
            #expect(result.status == 8 && sessions == ["sandbox/ada"], "\(result)")
        }
    }
}
