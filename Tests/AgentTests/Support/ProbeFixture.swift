import AuthEngine
import AuthModel
import Glibc
import OAuth
import ProcessHarness
import ProviderKinds
import Sandbox
import SessionStore
import Synchronization
import Testing

@testable import Agent

/// An agent in its own process, in which a test can inject faults, with a session at a provider in this process.
final class ProbeFixture: Sendable {
    let home: TemporaryHome
    let place: AgentLocation
    let client: AgentClient
    let sandbox: SandboxServer
    private let seal: KeySource
    private let transport = CurlTransport(version: "test", environment: [:])
    private let agents = Mutex<[RunningProgram]>([])

    /// The store's folder.
    var store: String { home.path + "/data/yett" }
    var name: SessionName { Sample.named("sandbox/ada") }

    private init(_ sandbox: SandboxServer, passphrase: Bool) throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
        self.sandbox = sandbox
        let store = home.path + "/data/yett"
        seal = passphrase ? .passphrase : .keyFile(store + "/sessions.key")
        client = AgentClient(location: place, home: AgentHome(store: store, configuration: "/none"))
    }

    /// Runs `body` with a session whose tokens live for less than a minute by default, so that every issued token needs a renewal.
    static func run(passphrase: Secret? = nil, lifetime: Duration = .seconds(55), _ body: (ProbeFixture) async throws -> Void) async throws
    {
        let sandbox = try await SandboxServer.start(
            SandboxConfiguration(autoApproves: "ada", lifetimes: .init(code: .seconds(3000), accessToken: lifetime)))
        let outcome: Result<Void, any Error>
        do {
            let world = try ProbeFixture(sandbox, passphrase: passphrase != nil)
            do {
                try await world.signIn(passphrase)
                try await body(world)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await world.killAll()
        } catch {
            outcome = .failure(error)
        }
        await sandbox.stop()
        try outcome.get()
    }

    /// Kills the agents that a failed test left running.
    private func killAll() async {
        for agent in agents.withLock(\.self) {
            agent.signal(SIGKILL)
            _ = await agent.finish()
        }
    }

    /// Returns an engine as an independent program has it: in this process, on the same store.
    func engine(passphrase: Secret? = nil) async throws -> Engine {
        let time = SystemTimeSource()
        let sessions = try await SessionStore.open(
            directory: store, source: seal, time: time, settings: .init(bounds: .init(accepted: 10...18, fresh: 10)))
        if let passphrase { try await sessions.unlock(passphrase: passphrase) }
        var provider = ProviderConfiguration(
            name: name.provider, kind: .oidc, issuer: Issuer(sandbox.issuer), clientID: "yett",
            scopes: ["openid", "profile", "offline_access"])
        provider.loginTimeout = .seconds(900)
        return Engine(
            providers: [provider], store: sessions,
            environment: EngineEnvironment(makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil))
    }

    /// Signs in from this process, which then closes the store.
    private func signIn(_ passphrase: Secret?) async throws {
        let engine = try await engine(passphrase: passphrase)
        let attempt = try await engine.signIn(SignInRequest(provider: name.provider))
        for await event in attempt.events {
            if case .available(.browser(let url, _)) = event { Task { await follow(url, transport: transport) } }
            if case .finished(let result) = event { _ = try result.get() }
        }
    }

    /// Starts the agent, and waits until it serves or has exited.
    /// - Parameters:
    ///   - wrapper: A program that starts the agent, and its arguments.
    ///   - user: The user that the agent becomes.
    func start(
        _ fault: String = "none", at: Int = 0, seal: String = "key-file", through wrapper: [String] = [], user: uid_t? = nil
    ) async throws -> RunningProgram {
        let words = wrapper + [try Product.program("agent-probe"), store, sandbox.issuer, seal, fault, "\(at)"]
        let variables = ["AGENT_PROBE_USER": user.map { "\($0)" }]
        let agent = try Program(
            words[0], Array(words.dropFirst()), environment: home.environment(with: variables), folder: "/", limit: .seconds(600)
        ).start()
        agents.withLock { $0.append(agent) }
        try await eventually("the agent does not serve") { place.isServed() || agent.soFar.ending != nil || isGone(agent) }
        return agent
    }

    /// Starts a program that renews the session or signs out without an agent, and exits with the status of that.
    func startAlone(_ fault: String = "none", at: Int = 0, to task: String = "renew") async throws -> RunningProgram {
        let program = try Program(
            try Product.program("agent-probe"), [store, sandbox.issuer, "key-file", fault, "\(at)"],
            environment: home.environment(with: ["AGENT_PROBE_ALONE": task]), folder: "/", limit: .seconds(600)
        ).start()
        agents.withLock { $0.append(program) }
        return program
    }

    /// Stops the agent, and waits for a clean exit.
    func end(_ agent: RunningProgram) async throws {
        #expect(try await client.stop())
        let result = await agent.finish()
        #expect(result.status == 0, "\(result)")
    }

    private func isGone(_ agent: RunningProgram) -> Bool { kill(agent.processID, 0) != 0 }

    /// How often each refresh token was sent.
    var presented: [String: Int] {
        sandbox.requests.compactMap { $0.field("refresh_token") }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// Follows redirects on this machine to the callback, as a browser without a user. A late answer is waited for: without the callback, the attempt
/// would wait for its deadline.
@Sendable func follow(_ start: WebURL, transport: CurlTransport) async {
    let policy = TransportPolicy(deadline: .seconds(60))
    var url = start
    for _ in 0..<10 {
        guard let response = try? await transport.send(WebRequest(method: .get, url: url), policy: policy),
            (300..<400).contains(response.status), let location = response.header("Location"),
            let next = WebURL(location) ?? WebURL(url.origin.description + location)
        else { return }
        url = next
    }
}
