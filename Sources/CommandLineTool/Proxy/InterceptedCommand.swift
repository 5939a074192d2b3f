internal import Agent
internal import AuthEngine
internal import AuthModel
internal import OperatingSystem
internal import ResourceProxy
internal import Synchronization
internal import UserConfiguration

/// Runs a command whose HTTPS requests to the hosts of sessions get fresh tokens (`yett exec --intercept`).
struct InterceptedCommand: Sendable {
    let sessions: [SessionName]
    let command: [String]
    /// Whether the command reaches no other hosts through the proxy.
    let refusesOthers: Bool
    let confinement: CommandConfinement
    let context: CommandContext

    /// Runs the command to its end, and ends with its status.
    func run() async throws {
        let proxies = try await proxies()
        let authority = try CommandCertificateAuthority(hosts: Set(proxies.map(\.target.origin.host)).sorted())
        let bundle = try TrustBundle(adding: authority.pem, isShared: !confinement.isEmpty, in: context)
        let isBehindProxy = ["HTTPS_PROXY", "https_proxy"].contains { context.edges.environment[$0]?.isEmpty == false }
        if isBehindProxy, !refusesOthers {
            context.console.warning("connections to hosts of no session do not use the proxy in HTTPS_PROXY")
        }
        let refusals = Refusals()
        let log = ProxyRefusalLog(
            folder: try? context.directories.state, command: command.first ?? "yett exec", time: context.edges.time)
        defer {
            bundle.remove()
            for line in refusals.lines { context.console.note(line) }
        }
        let hosts = proxies.map { InterceptingProxy.Host(target: $0.target, policy: $0.policy, credentials: $0) }
        let confined = confinement.isEmpty ? nil : try await confinement.prepare(command, showing: bundle.folder, in: context)
        defer { confined?.end() }
        let proxy = InterceptingProxy(
            hosts: hosts, at: confinement.entrance(of: confined), authority: authority, transport: context.edges.transport,
            refusesOthers: refusesOthers,
            noteRefusal: { reason, client in
                refusals.add(reason)
                log.record(reason, to: client)
            })
        let (files, confinement, refusesOthers, environment) = (bundle.files, confinement, refusesOthers, context.edges.environment)
        try await ProxiedCommand(
            command: command, context: context, confined: confined, environment: confinement.environment(from: environment)
        ).run {
            try await proxy.run(ready: $0)
        } variables: {
            // An isolated command has no other way out, so the proxy is also to refuse what it could not reach.
            let variables = Self.variables(proxy: $0, bundles: files, isOnlyWay: refusesOthers || confinement.isIsolated)
            guard confinement.isEmpty else { return variables }
            return variables.merging(Self.replaced(by: variables, in: environment)) { first, _ in first }
        }
    }

    /// Returns the credentials for each host. Throws `.usage` if a session has no hosts, or if two are for the same one.
    private func proxies() async throws -> [SessionProxy] {
        let configuration = try context.configurationFile().read()
        var owners: [Origin: SessionName] = [:]
        var proxies: [SessionProxy] = []
        for name in sessions {
            let provider = try configuration.named(name.provider.text)
            guard !provider.apiHosts.isEmpty else {
                throw AuthFailure(
                    .usage, text: "\(provider.name) has no api_hosts, so no request would get a token",
                    hint: "add the hosts: api_hosts = [\"api.example.org\"] in [providers.\(provider.name)]")
            }
            for host in provider.apiHosts {
                let proxy = try await SessionProxy(
                    name, target: "https://\(host)", caller: command.first ?? "yett exec", issues: false, isConfined: !confinement.isEmpty,
                    in: context)
                let origin = proxy.target.origin
                if let owner = owners[origin] {
                    guard owner != name else { continue }
                    throw AuthFailure(
                        .usage, text: "\(owner) and \(name) are both for \(origin.authority)",
                        hint: "name one of them, or remove the host from api_hosts of the other")
                }
                owners[origin] = name
                proxies.append(proxy)
            }
        }
        return proxies
    }

    /// Returns the values that variables had before, for an agent that is started in the command.
    private static func replaced(by variables: [String: String], in environment: [String: String]) -> [String: String] {
        let names: Set = ["ssl_cert_file", "http_proxy", "https_proxy", "all_proxy", "no_proxy"]
        var former: [String: String] = [:]
        for name in variables.keys where names.contains(name.asciiLowercased()) {
            let key = AgentStarter.replacedPrefix + name
            // In a command of a command, those of before the first.
            former[key] = environment[key] ?? environment[name] ?? ""
        }
        return former
    }

    private static func variables(proxy: Secret, bundles: [String: String], isOnlyWay: Bool) -> [String: String] {
        var variables = bundles
        let settings = [ProxyPlaceholder.variable: ProxyPlaceholder.text, "NO_PROXY": "", "no_proxy": "", "NODE_USE_ENV_PROXY": "1"]
        variables.merge(settings) { $1 }
        // Plain HTTP gets no token, so it needs the proxy only to be refused.
        let proxies = ["HTTPS_PROXY", "https_proxy"] + (isOnlyWay ? ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] : [])
        for name in proxies { variables[name] = proxy.reveal() }
        return variables
    }
}

/// The refusals of a proxy, with their number. They are shown when the command has ended: before, the terminal is the command's.
private final class Refusals: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// The maximum number of different reasons.
    private static let limit = 50

    func add(_ reason: String) {
        counts.withLock { counts in
            guard counts[reason] != nil || counts.count < Self.limit else { return }
            counts[reason, default: 0] += 1
        }
    }

    var lines: [String] {
        counts.withLock { counts in
            counts.sorted { $0.key < $1.key }.map { reason, count in count == 1 ? reason : "\(reason) (\(count) times)" }
        }
    }
}
