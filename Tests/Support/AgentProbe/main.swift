import Agent
import AuthEngine
import AuthModel
import CTestSupport
import Glibc
import Localization
import OAuth
import ProcessHarness
import ProviderKinds
import SessionStore
import OperatingSystem

/// Runs the shipped agent in a program that a test can break: `agent-probe STORE ISSUER SEAL FAULT AT`.
///
/// Faults:
/// - `none`
/// - a fault of `FaultyDisk`, at change number AT after the store was opened
/// - `request` and `answer`: kill the process before request number AT is sent, or after its response arrived
/// - `held`: holds the response to each POST until the file `answer` is in the store's folder
/// - `open`: leaves the process's memory readable by other programs of the same user
///
/// With `AGENT_PROBE_ALONE` it does not listen: it renews the session `sandbox/ada` (`renew`) or signs out of it (`logout`), like a program
/// that works without an agent, and exits with the exit code of that operation.
///
/// With `AGENT_PROBE_USER`, root first switches to the user with that number. The probe switches by itself, because other users may have no
/// access to the build folder.
struct Probe {
    let store: String
    let issuer: String
    let seal: String
    let fault: String
    let at: Int

    init?(_ arguments: [String]) {
        guard arguments.count == 6, let at = Int(arguments[5]) else { return nil }
        (store, issuer, seal, fault, self.at) = (arguments[1], arguments[2], arguments[3], arguments[4], at)
    }

    func run() async throws {
        if fault == "open" {
            probe_open_memory()
        } else {
            try ProcessMemory.close()
            try ProcessMemory.disableCoreFilesPermanently()
        }
        let disk = FaultyDisk.Fault(rawValue: fault)
        if disk != nil { FaultyDisk.install() }
        guard let name = ProviderName("sandbox") else { return }
        let environment = ProcessEnvironment.variables
        let time = SystemTimeSource()
        let provider = ProviderConfiguration(
            name: name, kind: .oidc, issuer: Issuer(issuer), clientID: "yett", scopes: ["openid", "profile", "offline_access"])
        let source: KeySource = seal == "passphrase" ? .passphrase : .keyFile(store + "/sessions.key")
        let transport = CrashingTransport(
            fault: fault, at: at, store: store, inner: CurlTransport(version: "test", environment: [:]))
        if let task = getenv("AGENT_PROBE_ALONE").map({ String(cString: $0) }) {
            let sessions = try await SessionStore.open(directory: store, source: source, time: time)
            if let disk { FaultyDisk.arm(disk, at: at, while: store + "/full") }
            let engine = Engine(
                providers: [provider], store: sessions,
                environment: EngineEnvironment(
                    makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil))
            guard let session = SessionName("sandbox/ada") else { return }
            if task == "logout" { _ = try await engine.signOut(session, mode: .revoke) } else { _ = try await engine.renew(session) }
            return
        }
        let run = AgentRun(
            location: AgentLocation(environment: environment),
            facts: AgentFacts(
                version: "test", home: AgentHome(store: store, configuration: "/none"), startedAt: time.now, trustedFiles: []),
            environment: environment, log: ActivityLog(folder: nil), time: time)
        try await run.run { () async throws(AuthFailure) in
            let sessions: SessionStore
            do throws(StoreError) {
                sessions = try await SessionStore.open(
                    directory: store, source: source, time: time,
                    // Cheap to derive, because this tests the process and not the key derivation.
                    settings: .init(bounds: .init(accepted: 10...18, fresh: 10)))
            } catch {
                throw error.failure
            }
            if let disk { FaultyDisk.arm(disk, at: at, while: store + "/full") }
            return AgentSessionService(
                source: SessionServiceSource(
                    revision: { [1] },
                    make: {
                        Engine(
                            providers: [provider], store: sessions,
                            environment: EngineEnvironment(
                                makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil,
                                renewalWait: .seconds(30)))
                    }), log: ActivityLog(folder: nil), time: time)
        }
    }
}

/// An HTTP transport that kills the process at a given request or response, or holds responses.
final class CrashingTransport: HTTPTransport {
    private let fault: String
    private let at: Int
    private let store: String
    private let inner: CurlTransport
    private let count = Count()

    init(fault: String, at: Int, store: String, inner: CurlTransport) {
        self.fault = fault
        self.at = at
        self.store = store
        self.inner = inner
    }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        let number = await count.next()
        if fault == "request", number == at { kill(getpid(), SIGKILL) }
        let response = try await inner.send(request, policy: policy)
        if fault == "answer", number == at { kill(getpid(), SIGKILL) }
        let time = SystemTimeSource()
        while fault == "held", request.method == .post, access(store + "/answer", F_OK) != 0 {
            try? await time.sleep(until: time.bootTime + .milliseconds(10))
        }
        return response
    }

    private actor Count {
        private var value = 0
        func next() -> Int {
            value += 1
            return value
        }
    }
}

/// The environment variables of this process that the agent needs.
enum ProcessEnvironment {
    static var variables: [String: String] {
        var found: [String: String] = [:]
        for name in ["HOME", "XDG_RUNTIME_DIR", "PATH", "YETT_READY_FD"] { found[name] = getenv(name).map { String(cString: $0) } }
        return found
    }
}

guard let probe = Probe(CommandLine.arguments) else { exit(64) }
signal(SIGPIPE, SIG_IGN)
do {
    try await probe.run()
} catch {
    let words = (error as? AuthFailure).map { [$0.summary, $0.hintText].compactMap(\.self).joined(separator: "\n") } ?? "\(error)"
    let line = Array("\(words)\n".utf8)
    _ = write(2, line, line.count)
    exit(getenv("AGENT_PROBE_ALONE") == nil ? 1 : (error as? AuthFailure)?.exitCode ?? 1)
}
