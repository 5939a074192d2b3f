@testable import Agent
import AuthEngine
import AuthModel
import CVersion
import Glibc
import NIOCore
import ProcessHarness
import Synchronization

/// An agent in this process, on a socket in a temporary runtime folder.
struct AgentFixture {
    let home: TemporaryHome
    let place: AgentLocation
    let agentHome: AgentHome
    let server: AgentServer
    let client: AgentClient
    let log: ActivityLog
    /// The number of requests to stop.
    let stops: Counter

    /// Limits with enough time for tests that run among hundreds of others; other tests check the limits with short times.
    static let generous = ServerLimits(readTime: .minutes(2), writeTime: .minutes(2))

    /// Runs `body` with an agent that serves `service`.
    static func run(
        _ service: any SessionService, limits: ServerLimits = generous, user: uid_t = geteuid(),
        version: String = String(cString: cversion_text()), runCommand: LauncherCommand.Runner? = nil,
        _ body: (AgentFixture) async throws -> Void
    ) async throws {
        let home = try TemporaryHome()
        let place = AgentLocation(environment: home.environment)
        let agentHome = home.agentHome
        let stops = Counter()
        let log = ActivityLog(folder: home.path)
        let service = AgentService(
            service: service,
            facts: AgentFacts(version: version, home: agentHome, startedAt: Timestamp(milliseconds: 1_700_000_000_000), trustedFiles: []),
            log: log,
            time: SystemTimeSource(), runCommand: runCommand, stop: { stops.add() })
        let server = try await AgentServer.start(AgentLock.acquire(place), service: service, limits: limits, user: user)
        let world = AgentFixture(
            home: home, place: place, agentHome: agentHome, server: server, client: AgentClient(location: place, home: agentHome), log: log,
            stops: stops)
        do {
            try await body(world)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

extension TemporaryHome {
    /// The store and the configuration of programs that run in this home.
    var agentHome: AgentHome { AgentHome(store: path + "/data/yett", configuration: path + "/config/yett/config.toml") }
}

/// A thread-safe counter.
final class Counter: Sendable {
    private let number = Mutex(0)
    func add() { number.withLock { $0 += 1 } }
    var value: Int { number.withLock { $0 } }
}
