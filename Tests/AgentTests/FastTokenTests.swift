@testable import Agent
import AuthModel
import ProcessHarness
import Testing

/// `yett token` as it is built, asking the agent.
@Suite(.timeLimit(.minutes(3)))
struct FastTokenTests {
    private static let plain = TokenGrant(
        token: Secret("at-0123456789.~_+/="), tokenType: "Bearer", expiresAt: nil, scopes: [], session: Sample.name)

    /// Runs the launcher with a script in the program's place.
    private func launch(_ world: AgentWorld, _ arguments: [String], with changes: [String: String?] = [:]) async throws -> ProgramResult {
        let launcher = try world.home.install(try Product.program("yett"), as: "prefix/yett")
        try world.home.write("#!/bin/sh\necho program\nexit 42\n", to: "prefix/yett-main", permissions: 0o700)
        return try await Program(launcher, arguments, environment: world.home.environment(with: changes), limit: .seconds(20)).run()
    }

    private func run(_ grant: TokenGrant = plain, _ body: (AgentWorld, ScriptedKeeper) async throws -> Void) async throws {
        let keeper = ScriptedKeeper()
        await keeper.change { $0.tokenAnswer = .success(grant) }
        try await AgentWorld.run(keeper) { try await body($0, keeper) }
    }

    @Test func printsTheTokenAndALineEnd() async throws {
        try await run { world, keeper in
            let result = try await launch(world, ["token", "work/Ada Lovelace"])
            #expect(result == ProgramResult(ending: .exited(0), output: "at-0123456789.~_+/=\n", errors: ""))
            #expect(await keeper.asked.map(\.session) == [Sample.name])
            #expect(try world.log.recent().first?.program?.hasSuffix("/prefix/yett") == true)
        }
    }

    @Test func leavesATokenThatIsOutOfTheOrdinaryToTheProgram() async throws {
        try await run(Sample.grant) { world, _ in
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
        }
    }

    @Test func leavesAFailureToTheProgram() async throws {
        try await run { world, keeper in
            await keeper.change { $0.tokenAnswer = .failure(Sample.notSignedIn) }
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
            #expect(result.status == 42)
        }
    }

    @Test func leavesALockedStoreToTheProgram() async throws {
        try await run { world, keeper in
            await keeper.change { $0.sealAnswer = .locked(isNew: false) }
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
            #expect(await keeper.asked == [])
        }
    }

    @Test func asksNoAgentOfAnotherHome() async throws {
        try await run { world, keeper in
            for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
                let result = try await launch(world, ["token", "work"], with: [variable: "/elsewhere"])
                #expect(result.output == "program\n")
            }
            #expect(await keeper.asked == [])
        }
    }

    @Test func becomesTheProgramWithoutAnAgent() async throws {
        try await run { world, _ in
            await world.server.stop()
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
        }
    }
}
