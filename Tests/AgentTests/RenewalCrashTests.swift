import AuthEngine
import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import Agent

/// Crashes and disk failures of the agent during a renewal. The next agent has the old or the new session, or requires a sign-in, and a
/// refresh token that may be used up is not sent again and again.
@Suite(.startsPrograms) struct RenewalCrashTests {
    /// Kills the agent one step later in each run, until a renewal ends before its fault.
    @Test(arguments: [("request", 1), ("answer", 1), ("kill", 4), ("torn", 4)])
    func killedRenewalLosesNothing(fault: String, atLeast: Int) async throws {
        var kills = 0
        for at in 1...200 {
            var survived = false
            try await ProbeFixture.run { world in
                let agent = try await world.start(fault, at: at)
                let first = try? await world.client.token(TokenRequest(session: world.name))
                survived = first != nil
                if survived { _ = try await world.client.stop() }
                let ending = await agent.finish().ending
                #expect(ending == (survived ? .exited(0) : .signalled(SIGKILL)), "\(fault) \(at)")
                kills += survived ? 0 : 1
                try await expectOldOrNew(world, "\(fault) at \(at)")
            }
            if survived { break }
        }
        #expect(kills >= atLeast)
    }

    private func expectOldOrNew(_ world: ProbeFixture, _ label: String) async throws {
        let agent = try await world.start()
        for _ in 0..<3 {
            do throws(AuthFailure) {
                let grant = try await world.client.token(TokenRequest(session: world.name))
                #expect(!grant.token.isEmpty)
            } catch {
                #expect(error.kind == .signInAgain, "\(label): \(error)")
            }
        }
        // Once by the killed agent and once by the next; a third time would be a loop.
        #expect(world.presented.values.allSatisfy { $0 <= 2 }, "\(label): \(world.presented.values)")
        let state = try await world.client.sessions().map(\.recordedState)
        #expect(state == [.signedIn] || state == [.needsSignIn], "\(label): \(state)")
        try await world.end(agent)
    }

    /// The disk fails at each change in turn; the agent reports it and keeps running.
    @Test(arguments: ["full", "broken"])
    func agentSurvivesEveryDiskFailure(fault: String) async throws {
        var failures = 0
        for at in 1...200 {
            var isOver = false
            try await ProbeFixture.run { world in
                let agent = try await world.start(fault, at: at)
                let first: AuthFailure? = await failure { _ = try await world.client.renew(world.name) }
                let second: AuthFailure? = await failure { _ = try await world.client.renew(world.name) }
                failures += first == nil ? 0 : 1
                // The fault occurred once: now the renewal works, and nothing is lost.
                let third: AuthFailure? = await failure { _ = try await world.client.renew(world.name) }
                let others = [first, second, third].compactMap(\.self).filter { $0.kind != .signInAgain }
                #expect(others.count <= 1, "\(fault) at \(at): \(others)")
                #expect(third == nil || third?.kind == .signInAgain, "\(fault) at \(at): \(String(describing: third))")
                #expect(try await world.client.status() != nil)
                #expect(world.presented.values.allSatisfy { $0 <= 2 })
                isOver = first == nil && at > 50
                try await world.end(agent)
            }
            if isOver { break }
        }
        #expect(failures >= 4)
    }

    /// The disk is full from some change on, until the mark is removed: tokens that the provider issued meanwhile are not lost, and no used
    /// refresh token is sent.
    @Test func fullDiskLosesNothing() async throws {
        var failures = 0
        for at in 1...24 {
            try await ProbeFixture.run { world in
                let mark = world.store + "/full"
                close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
                let agent = try await world.start("filled", at: at)
                for _ in 0..<3 { failures += await failure { _ = try await world.client.renew(world.name) } == nil ? 0 : 1 }
                unlink(mark)
                #expect(await failure { _ = try await world.client.renew(world.name) } == nil, "at \(at)")
                #expect(world.presented.values.allSatisfy { $0 == 1 }, "at \(at): \(world.presented.values)")
                #expect(try await world.client.sessions().map(\.recordedState) == [.signedIn], "at \(at)")
                try await world.end(agent)
            }
        }
        #expect(failures >= 12)
    }

    @Test func issuesAValidTokenOnAFullDisk() async throws {
        try await ProbeFixture.run { world in
            close(open(world.store + "/full", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let agent = try await world.start("filled", at: 1)
            #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
            #expect(world.presented.isEmpty)
            try await world.end(agent)
        }
    }

    private func failure(_ body: () async throws -> Void) async -> AuthFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? AuthFailure ?? AuthFailure(.bug, text: "\(error)")
        }
    }

    /// The provider has answered, and the client has not received the token yet.
    @Test func finishesARenewalBeforeItExits() async throws {
        try await ProbeFixture.run { world in
            let agent = try await world.start("held")
            async let token = try? world.client.token(TokenRequest(session: world.name))
            try await eventually("nothing was renewed") { !world.presented.isEmpty }
            async let end: Void = world.end(agent)
            try await eventually("the agent still serves") { !world.place.isServed() }
            close(open(world.store + "/answer", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            try await end
            _ = await token
            let next = try await world.start()
            #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
            #expect(world.presented.count == 2)
            #expect(world.presented.values.allSatisfy { $0 == 1 })
            try await world.end(next)
        }
    }

    @Test func refusesASecondAgent() async throws {
        try await ProbeFixture.run { world in
            let agent = try await world.start()
            let second = try await world.start()
            let result = await second.finish()
            #expect(result.status == 1)
            #expect(result.errors.contains("an agent is already running here"))
            #expect(try await !world.client.token(TokenRequest(session: world.name)).token.isEmpty)
            try await world.end(agent)
        }
    }

    /// The agent and an independent program share the lock of the session.
    @Test func agentAndProgramNeverUseARefreshTokenTwice() async throws {
        try await ProbeFixture.run { world in
            let agent = try await world.start()
            let program = try await world.engine()
            let tokens = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let request = TokenRequest(session: world.name)
                        let grant = number % 2 == 0 ? try? await world.client.token(request) : try? await program.token(request)
                        return grant?.token.isEmpty == false
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(tokens == 20)
            #expect(!world.presented.isEmpty)
            #expect(world.presented.values.allSatisfy { $0 == 1 })
            try await world.end(agent)
        }
    }
}
