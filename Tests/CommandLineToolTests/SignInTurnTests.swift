import AuthEngine
import AuthModel
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

/// One sign-in for all programs that wait.
struct SignInTurnTests {
    @Test func oneOfManySignsInAndAllContinue() async throws {
        let world = try CommandWorld()
        let time = ManualTime()
        let count = Mutex(0)
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let turn = SignInTurn(path: world.home + "/turn", time: time)
        let signIn = { @Sendable () async -> Int32? in
            count.withLock { $0 += 1 }
            for await _ in isOver {}
            return 0
        }
        let results = await withTaskGroup(of: Int32?.self) { group in
            for _ in 0..<5 {
                group.addTask { await turn.run(signIn) }
            }
            await time.until(sleepers: 4)
            end.finish()
            // The others sleep until the clock goes on, and it does so only after the sign-in, however late its turn comes.
            var results = await [group.next() ?? nil]
            // Those that wake while another one looks at the turn sleep once more.
            let clock = Task {
                while !Task.isCancelled {
                    await time.until(sleepers: 1)
                    time.advance(by: .milliseconds(100))
                    await Task.yield()
                }
            }
            for await result in group { results.append(result) }
            clock.cancel()
            return results
        }
        #expect(results == [0, 0, 0, 0, 0])
        #expect(count.withLock { $0 } == 1)
    }

    @Test func signInRunsWithoutTheFile() async {
        let turn = SignInTurn(path: "/missing/turn", time: SystemTimeSource())
        #expect(await turn.run { 0 } == 0)
        #expect(await turn.run { 3 } == 3)
    }

    /// A program that another thread starts has copies of all descriptors for a moment, and must not keep the turn.
    @Test func turnEndsWhileAProgramIsStarted() async throws {
        let world = try CommandWorld()
        var turn = SignInTurn(path: world.home + "/turn", time: ManualTime())
        turn.limit = .zero
        let path = turn.path
        let copies = Mutex<DescriptorCopies?>(nil)
        #expect(
            await turn.run {
                copies.withLock { $0 = DescriptorCopies(of: path) }
                return 0
            } == 0)
        #expect(copies.withLock { $0?.count } == 1)
        #expect(await turn.run { 3 } == 3)
    }

    /// A sign-in that was stopped does not block other tools for ever, and they say for whom they wait.
    @Test(.timeLimit(.minutes(10))) func waitHasALimitAndNamesTheProcess() async throws {
        let world = try CommandWorld()
        let time = ManualTime()
        let waits = Mutex<[(SignInTurn.Wait, Int32?)]>([])
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
        var turn = SignInTurn(path: world.home + "/turn", time: time)
        let first = Task { [turn] in
            await turn.run {
                begin.finish()
                for await _ in isOver {}
                return 0
            }
        }
        for await _ in hasBegun {}
        turn.limit = .seconds(1)
        turn.report = { wait, process in waits.withLock { $0.append((wait, process)) } }
        let second = Task { [turn] in await turn.run { 0 } }
        for _ in 0..<10 {
            await time.until(sleepers: 1)
            time.advance(by: .milliseconds(100))
        }
        #expect(await second.value == AuthFailure(.timedOut, text: "").exitCode)
        #expect(waits.withLock { $0.map(\.0) } == [.begun, .givenUp])
        #expect(waits.withLock { $0.map(\.1) } == [getpid(), getpid()])
        end.finish()
        #expect(await first.value == 0)
        #expect(await turn.run { 3 } == 3)
    }

    /// A bridge begins the first sign-in for a resource when no provider is configured, and a second one may find the provider already.
    @Test func resourceHasOneTurnBeforeAndAfterItsProviderIsAdded() throws {
        let context = try CommandWorld().context()
        var provider = ProviderConfiguration(name: try #require(ProviderName("work")), kind: .oauth2, issuer: nil, clientID: "x")
        func path(_ address: String) throws -> String { try context.signInTurn(for: try #require(WebURL(address))).path }
        provider.resources = ["https://mcp.example/mcp"]
        let turn = try context.signInTurn(at: provider).path
        for spelling in ["https://mcp.example/mcp", "https://MCP.example:443/mcp/"] { #expect(try path(spelling) == turn) }
        for other in ["https://mcp.example/other", "https://mcp.example/mcp?tenant=a", "https://mcp.example:444/mcp"] {
            #expect(try path(other) != turn)
        }
        provider.resources = []
        #expect(try context.signInTurn(at: provider).path.hasSuffix("/sign-in-work.lock"))
    }
}
