internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Glibc
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

/// The files with the certificates that one command trusts: those of this environment, and one more. They have no secret, but a command
/// must trust no file that others can change: of isolated commands, each sees its own folder alone, and only reads it.
///
/// Their folder is locked as long as it is used, so that the next command can remove what a killed process left.
struct TrustBundle {
    /// The path of the file for each variable.
    let files: [String: String]
    /// The folder of the files.
    let folder: String
    private let descriptor: Int32

    /// The variables of programs that have a bundle of certificates of their own, each with those whose file such a program reads
    /// otherwise.
    private static let replacing: [String: [String]] = [
        "SSL_CERT_FILE": [], "CURL_CA_BUNDLE": [], "REQUESTS_CA_BUNDLE": ["CURL_CA_BUNDLE"], "GIT_SSL_CAINFO": [], "CARGO_HTTP_CAINFO": [],
        "AWS_CA_BUNDLE": ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"], "PIP_CERT": ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
        "NODE_EXTRA_CA_CERTS": [], npm: [],
    ]
    /// Debian's npm has a bundle in its configuration, so that NODE_EXTRA_CA_CERTS does not count. Others add that file.
    private static let npm = "npm_config_cafile"

    private static let prefix = "yett-intercept-"
    /// The folder for confined commands, which every user can enter. It is never removed: an isolated command has a cover on it.
    static var sharedBase: String { "/tmp/yett-certificates-\(geteuid())" }

    /// Creates the files.
    ///
    /// - Parameters:
    ///   - certificate: the certificate to add, in PEM.
    ///   - isShared: whether they are outside of the folder of the agent's socket, where other users can read them.
    init(adding certificate: String, isShared: Bool, in context: CommandContext) throws(AuthFailure) {
        let environment = context.edges.environment
        let base = isShared ? Self.sharedBase : context.agentLocation.folder
        if isShared { try Self.makeSharedBase() } else { try PrivateFile.makeDirectory(base, isPrivate: true) }
        Self.removeLeftovers(in: base)
        (folder, descriptor) = try Self.makeFolder(in: base, mode: isShared ? 0o755 : 0o700)
        var paths: [[String?]: String] = [:]
        var files: [String: String] = [:]
        do throws(AuthFailure) {
            for (variable, others) in Self.replacing {
                let own = ([variable] + others + ["SSL_CERT_FILE"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
                let added = variable == Self.npm && own != environment[variable] ? environment["NODE_EXTRA_CA_CERTS"] : nil
                let path = paths[[own, added]] ?? "\(folder)/\(Self.name(paths.count))"
                if paths[[own, added]] == nil {
                    let bytes = try CertificateRoots.bundle(environment, replacedBy: own, adding: added) + Array(certificate.utf8)
                    do throws(SystemError) {
                        try Self.write(bytes, to: path, mode: isShared ? 0o644 : 0o600)
                    } catch {
                        throw error.failure("phrase.write", path)
                    }
                    paths[[own, added]] = path
                }
                files[variable] = path
            }
        } catch {
            Self.remove(folder, descriptor)
            FileLock.close(descriptor)
            throw error
        }
        self.files = files
    }

    /// Removes the files.
    func remove() {
        Self.remove(folder, descriptor)
        FileLock.close(descriptor)
    }

    /// Removes the files by the descriptor of the folder: a command that may write beside it can have put a link in its place.
    private static func remove(_ folder: String, _ descriptor: Int32) {
        for number in 0..<replacing.count { unlinkat(descriptor, name(number), 0) }
        rmdir(folder)
    }

    private static func name(_ number: Int) -> String { "\(number).pem" }

    private static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(SystemError) {
        let descriptor = try SecretFile.create(path)
        defer { close(descriptor) }
        try OpenFile.write(bytes, to: descriptor)
        guard fchmod(descriptor, mode) == 0 else { throw .last }
    }

    private static func makeSharedBase() throws(AuthFailure) {
        try PublicFile.makeDirectory(sharedBase)
        let descriptor = open(sharedBase, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_uid == geteuid(), fchmod(descriptor, 0o755) == 0 else {
            throw AuthFailure(
                .configuration, text: "\(sharedBase) is not a folder of yours",
                hint: "if another user has made it, an administrator removes it: rm -r \(sharedBase)")
        }
    }

    /// Creates a folder and locks it. Another process may take it for a leftover, in the moment before it is locked.
    private static func makeFolder(in base: String, mode: mode_t) throws(AuthFailure) -> (String, Int32) {
        for _ in 0..<100 {
            let path = "\(base)/\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
            guard mkdir(path, 0o700) == 0 else { throw SystemError.last.failure("phrase.write", path) }
            do {
                // Throws if others could replace a folder of the path.
                _ = try SecretFile(path + "/0.pem")
            } catch {
                if rmdir(path) != 0, errno == ENOENT { continue }
                throw AuthFailure(
                    .configuration, text: "other users can change \(error.path)", hint: "set XDG_RUNTIME_DIR to a folder of your own")
            }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0, errno == ENOENT { continue }
            guard descriptor >= 0 else { throw SystemError.last.failure("phrase.write", path) }
            if FileLock.take(descriptor), isLinked(descriptor), fchmod(descriptor, mode) == 0 { return (path, descriptor) }
            FileLock.close(descriptor)
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil), text: "another program removes or locks each new folder in \(base)",
            hint: "end that program: fuser \(base)/\(prefix)* names it while it runs")
    }

    private static func isLinked(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    private static func removeLeftovers(in base: String) {
        for name in FolderListing.names(in: base) where name.hasPrefix(prefix) {
            let descriptor = open("\(base)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), FileLock.take(descriptor) {
                remove("\(base)/\(name)", descriptor)
            }
            FileLock.close(descriptor)
        }
    }
}
