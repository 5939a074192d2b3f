@testable import Agent
import AuthModel
import Glibc
import LocalServer
import Localization
import ProcessHarness
import TestSupport
import Testing

/// The built `yett token`, which asks the agent.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct FastTokenTests {
    private static let plain = IssuedToken(
        token: Secret("at-0123456789.~_+/="), tokenType: "Bearer", expiresAt: nil, scopes: [], session: Sample.name)

    /// Runs the launcher with a script in place of the program.
    private func launch(_ world: AgentFixture, _ arguments: [String], with changes: [String: String?] = [:]) async throws -> ProgramResult {
        try await launch(world.home, arguments, with: changes)
    }

    private func launch(_ home: TemporaryHome, _ arguments: [String], with changes: [String: String?] = [:]) async throws -> ProgramResult {
        let launcher = try home.install(try Product.program("yett"), as: "prefix/yett")
        try home.write("#!/bin/sh\necho program\nexit 42\n", to: "prefix/yett-main", permissions: 0o700)
        return try await Program(launcher, arguments, environment: home.environment(with: changes), limit: .seconds(300)).run()
    }

    private func run(_ grant: IssuedToken = plain, _ body: (AgentFixture, ScriptedSessionService) async throws -> Void) async throws {
        let service = ScriptedSessionService()
        await service.change { $0.tokenAnswer = .success(grant) }
        try await AgentFixture.run(service) { try await body($0, service) }
    }

    @Test func printsTheTokenAndANewline() async throws {
        try await run { world, service in
            let result = try await launch(world, ["token", "work/Ada Lovelace"])
            #expect(result == ProgramResult(ending: .exited(0), output: "at-0123456789.~_+/=\n", errors: ""))
            #expect(await service.asked.map(\.session) == [Sample.name])
            #expect(try world.log.recent().first?.program?.hasSuffix("/prefix/yett") == true)
        }
    }

    /// Runs the launcher next to the real program.
    private func ask(_ world: AgentFixture) async throws -> ProgramResult {
        try await world.home.program("yett", ["token", "work"]).run()
    }

    @Test func printsATokenWithEscapesAndAsksOnce() async throws {
        try await run(Sample.grant) { world, service in
            let result = try await ask(world)
            #expect(result == ProgramResult(ending: .exited(0), output: Sample.grant.token.reveal() + "\n", errors: ""))
            #expect(await service.asked.count == 1)
        }
    }

    @Test func printsAWarningWithTheToken() async throws {
        var grant = Self.plain
        grant.warning = "the clock is wrong"
        try await run(grant) { world, service in
            let result = try await ask(world)
            #expect(
                result
                    == ProgramResult(
                        ending: .exited(0), output: "at-0123456789.~_+/=\n", errors: "yett: warning: the clock is wrong\n"))
            #expect(await service.asked.count == 1)
        }
    }

    /// A second request would send a refresh token twice for one command.
    @Test(arguments: [
        AuthFailure(.notSignedIn, text: "not signed in: work", hint: "sign in with: yett login work"),
        AuthFailure(.unavailable(retryAfter: .seconds(30)), text: "the provider is down", hint: "try again in 30 s"),
        AuthFailure(.signInAgain, text: "the grant has ended", hint: "sign in again with: yett login work"),
        AuthFailure(.configuration, text: "the disk is full", hint: "make room"),
    ])
    func reportsAFailureAndAsksOnce(failure: AuthFailure) async throws {
        try await run { world, service in
            await service.change { $0.tokenAnswer = .failure(failure) }
            let result = try await ask(world)
            #expect(
                result
                    == ProgramResult(
                        ending: .exited(failure.exitCode), output: "",
                        errors: "yett: error: \(failure.summary)\nyett: hint: \(failure.hintText ?? "")\n"))
            #expect(await service.asked.count == 1)
        }
    }

    /// The program asks the user for consent.
    @Test func consentFallsBackToTheProgram() async throws {
        try await run { world, service in
            await service.change { $0.policy = .ask }
            let result = try await ask(world)
            #expect(result.status == 5)
            #expect(await service.asked.map(\.asking) == [.noPrompt, .service])
        }
    }

    /// A listener that accepts no connection and whose queue is full.
    @Test func fullSocketQueueFallsBackToTheProgram() async throws {
        let home = try TemporaryHome()
        let place = AgentLocation(environment: home.environment)
        try place.prepare()
        let address = try #require(UnixSocketAddress(place.socket))
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        var sockets = [socket(AF_UNIX, type, 0)]
        defer { for socket in sockets { close(socket) } }
        try #require(address.withPointer { bind(sockets[0], $0, $1) } == 0 && listen(sockets[0], 0) == 0)
        repeat { sockets.append(socket(AF_UNIX, type, 0)) } while address.withPointer { connect(sockets[sockets.count - 1], $0, $1) } == 0
        try #require(errno == EAGAIN)
        #expect(try await launch(home, ["token", "work"]).output == "program\n")
    }

    @Test func lockedStoreFallsBackToTheProgram() async throws {
        try await run { world, service in
            await service.change { $0.sealAnswer = .locked(isNew: false) }
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
            #expect(await service.asked == [])
        }
    }

    @Test func doesNotAskAnAgentOfAnotherHome() async throws {
        try await run { world, service in
            for variable in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
                let result = try await launch(world, ["token", "work"], with: [variable: "/elsewhere"])
                #expect(result.output == "program\n")
            }
            #expect(await service.asked == [])
        }
    }

    @Test func missingAgentFallsBackToTheProgram() async throws {
        try await run { world, _ in
            await world.server.stop()
            let result = try await launch(world, ["token", "work"])
            #expect(result.output == "program\n")
        }
    }
}
