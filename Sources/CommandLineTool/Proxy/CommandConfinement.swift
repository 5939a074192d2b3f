internal import Agent
internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import ResourceProxy
internal import UserConfiguration

/// The limits of a command below `yett exec --intercept`, as the command line says.
struct CommandConfinement {
    /// Whether it reaches the network through the proxy only, and finds nothing of Yett's.
    let isIsolated: Bool
    /// The user that it runs as; this user if `nil`.
    let user: UserAccount?

    /// Reads the options. Throws `.usage` for a user who can use this user's sessions, and for root without a user: namespaces alone
    /// protect little from root, whose files control the machine, so root must ask for that by name.
    init(isIsolated: Bool, user name: String?) throws(AuthFailure) {
        self.isIsolated = isIsolated
        let isRoot = isIsolated && geteuid() == 0
        guard !isRoot || name != nil else {
            throw AuthFailure(
                .usage, text: "--isolated protects little from a command of root, which can change this machine",
                hint: "add --user NAME with a user that has no rights, or --user root if the network is all that it must not reach")
        }
        guard let name, !isRoot || UserAccount(named: name)?.id != 0 else {
            user = nil
            return
        }
        guard let user = UserAccount(named: name) else {
            throw AuthFailure(.usage, text: "this machine has no user \(name)", hint: "name another one; getent passwd lists them")
        }
        guard user.id != geteuid(), user.id != 0 else {
            throw AuthFailure(
                .usage, text: "a command that runs as \(name) could use your sessions without the proxy",
                hint: "name a user that has no rights, such as nobody")
        }
        self.user = user
    }

    /// Whether there is any.
    var isEmpty: Bool { !isIsolated && user == nil }

    /// Prepares the command, which waits for its environment.
    ///
    /// - Parameter shown: the folder of the command's certificates, in ``TrustBundle/sharedBase``.
    func prepare(_ command: [String], showing shown: String, in context: CommandContext) async throws -> ConfinedCommand {
        guard let starter = context.edges.ownProgram else {
            throw AuthFailure(.configuration, text: "cannot find this program's own path", hint: "call yett by its full path")
        }
        if isIsolated { Self.makeFolders(in: context) }
        let environment = context.edges.environment
        var confinement = ConfinedCommand.Confinement(isIsolated: isIsolated, user: user)
        if isIsolated {
            let configurations = try Self.configurations(in: context)
            confinement.hidden = try Self.hidden(configurations, showing: shown, in: context)
            confinement.shown = shown
            confinement.locked = try await Self.locked(configurations, showing: shown, in: context)
        }
        let result = await DetachedThread.run { [confinement] () -> Result<ConfinedCommand, ConfinedCommand.Failure> in
            Result { () throws(ConfinedCommand.Failure) in
                try ConfinedCommand.prepare(command, confinement, starter: starter, environment: environment)
            }
        }
        switch result {
        case .success(let command): return command
        case .failure(let failure): throw self.failure(failure, command, in: context)
        }
    }

    /// Returns where the proxy listens.
    func entrance(of command: ConfinedCommand?) -> InterceptingProxy.Entrance {
        guard let command, let socket = command.listener else { return .user(user?.id ?? getuid()) }
        return .namespace(socket: socket, port: command.port, process: command.companion)
    }

    /// Returns the variables of the command besides those for the proxy. Those of this user are not another one's.
    func environment(from environment: [String: String]) -> [String: String] {
        guard let user else { return isIsolated ? environment.filter { $0.key != "YETT_PASSPHRASE_FILE" } : environment }
        let names: Set = ["PATH", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "TZ"]
        let kept = environment.filter { name, _ in names.contains(name) || name.hasPrefix("LC_") }
        return kept.merging(["HOME": user.home, "USER": user.name, "LOGNAME": user.name, "SHELL": user.shell]) { $1 }
    }

    /// Creates Yett's folders and those of tmux, so that they can be covered: a command could create them itself, and an agent or tmux
    /// would use them later. Where that fails, the command cannot either.
    private static func makeFolders(in context: CommandContext) {
        // Those of root are for all users, who could not read a private one.
        let system = geteuid() == 0 ? [] : context.directories.system
        for folder in folders(in: context) + system + tmuxFolders(context.edges.environment) {
            try? PrivateFile.makeDirectory(folder, isPrivate: true)
        }
    }

    /// The folders in which tmux looks for its servers. What a program says there, tmux runs.
    private static func tmuxFolders(_ environment: [String: String]) -> [String] {
        Set([environment["TMUX_TMPDIR"] ?? "", "/tmp"]).filter { $0.hasPrefix("/") }.map { "\($0)/tmux-\(geteuid())" }
    }

    /// The directories of an agent that systemd started, which may have other variables than this shell.
    private static func standardDirectories(in context: CommandContext) -> Directories {
        Directories(environment: context.edges.environment.filter { name, _ in name == "HOME" })
    }

    /// The folders whose files Yett trusts: with another token endpoint in the cached metadata, the agent would send refresh tokens there.
    /// The default folders are among them.
    private static func folders(in context: CommandContext) -> [String] {
        let own = [context.directories, standardDirectories(in: context)].flatMap { directories in
            [try? directories.data, try? directories.state, try? directories.configuration, try? directories.cache].compactMap(\.self)
        }
        return Set(own + [context.agentLocation.folder, AgentLocation(environment: [:]).folder]).sorted()
    }

    /// Returns what an isolated command finds empty: the store, the configuration, cached metadata, and the sockets of programs that do
    /// things for this user, such as Yett's agent, the message bus, terminals in the background, and the desktop. Abstract sockets belong
    /// to a network namespace, and need no cover.
    private static func hidden(
        _ configurations: [Configuration], showing shown: String, in context: CommandContext
    ) throws(AuthFailure) -> [String] {
        let environment = context.edges.environment
        let runtime = ["/run/user/\(geteuid())", environment["XDG_RUNTIME_DIR"] ?? ""]
        // It may be elsewhere, or a link to another folder. A passphrase file may be named from here.
        let passphrase = environment["YETT_PASSPHRASE_FILE"].flatMap { $0.isEmpty ? nil : context.absolute($0) }
        let configuration = [try? context.configurationFile().path, environment["YETT_CONFIG"], passphrase].compactMap(\.self)
        let tmux = tmuxFolders(environment) + [String(environment["TMUX"]?.prefix { $0 != "," } ?? "")]
        let terminals = tmux + ["/run/screen", environment["SCREENDIR"] ?? ""]
        let own: [String]
        do { own = try OwnSocketFiles.paths() } catch {
            throw AuthFailure(
                .configuration, text: "cannot list the sockets that the command must not find: \(error.text)", hint: "is /proc mounted?")
        }
        // Also those that are not this user's, if a variable such as SSH_AUTH_SOCK or DOCKER_HOST names them.
        let sockets =
            environment.values.flatMap(socketPaths).compactMap { path in
                // A variable may name it from here.
                [path, context.absolute(path)].first { isSocket($0) }
            }.sorted() + [context.agentLocation.socket] + own
        // The last leads from Linux to Windows, and runs programs there.
        let desktop = ["/tmp/.X11-unix", "/tmp/.ICE-unix", "/run/WSL"]
        // uinput types in all programs of the desktop, and input shows what is typed there; the queues belong to the namespace of before,
        // and the files of shm are memory that other programs share.
        let devices = ["/dev/mqueue", "/dev/shm", "/dev/uinput", "/dev/input"]
        // An administrator's folder can be the user's own: KDE has one in the user's configuration folder.
        let folders = folders(in: context) + context.directories.system
        let paths = [configuration, runtime, folders, secretFiles(configurations), terminals, sockets, desktop, devices].flatMap(\.self)
        let tokens = try tokenFolders(showing: shown, in: context)
        // A runtime folder such as /tmp cannot be covered whole.
        let covered = paths.filter { $0.hasPrefix("/") && !(shown + "/").hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }
        // The certificates of other commands are there, also of those that start later.
        return covered + tokens + [TrustBundle.sharedBase]
    }

    /// The configuration of this command, and that of an agent with the default folders. A file that this command does not need may be
    /// damaged; the user is told.
    private static func configurations(in context: CommandContext) throws(AuthFailure) -> [Configuration] {
        let file = try context.configurationFile()
        let own = try file.read()
        do throws(AuthFailure) {
            let other = try ConfigurationFile(
                option: nil, environment: [:], directories: standardDirectories(in: context),
                workingDirectory: context.edges.workingDirectory, rules: .standard)
            return other.path == file.path ? [own] : [own, try other.read()]
        } catch {
            context.console.warning("the command may read the files that the default configuration names: \(error.summary)")
            return [own]
        }
    }

    /// The files of secrets and keys that the configuration names, which may be anywhere.
    private static func secretFiles(_ configurations: [Configuration]) -> [String] {
        let providers = configurations.flatMap(\.providers)
        let sources = providers.flatMap { [$0.clientSecret, $0.exchange?.assertion] }
        let files = sources.compactMap { if case .file(let path)? = $0 { path } else { nil } }
        return files + providers.flatMap { [$0.clientKeyFile, $0.clientCertificateFile].compactMap(\.self) }
    }

    /// Returns the folders of token files, which Yett replaces at each renewal, and writes if they are missing. Tells the user of each.
    private static func tokenFolders(showing shown: String, in context: CommandContext) throws(AuthFailure) -> [String] {
        var folders: Set<String> = []
        let standard = (try? standardDirectories(in: context).state).flatMap { try? TokenFileList(folder: $0).read() } ?? []
        for file in try context.tokenFiles().read() + standard {
            if let folder = try folder(of: file.path, showing: shown, in: context) { folders.insert(folder) }
        }
        for folder in folders.sorted() {
            context.console.note("the command finds \(folder) empty, because Yett keeps a token there")
        }
        return folders.sorted()
    }

    /// Returns what an isolated command reads and cannot change, where it is not covered: the folder of the configuration, because the
    /// agent reads it again, and runs commands that it names; and the files that Yett trusts, here and in the agent.
    private static func locked(
        _ configurations: [Configuration], showing shown: String, in context: CommandContext
    ) async throws(AuthFailure) -> [String] {
        let standard = (try? standardDirectories(in: context).configuration).map { $0 + "/config.toml" }
        var paths: Set<String> = []
        for file in [try context.configurationFile().path, standard].compactMap(\.self) {
            if let folder = try folder(of: file, showing: shown, in: context) { paths.insert(folder) }
        }
        let own = configurations.flatMap(\.providers).compactMap(\.caFile) + context.trustedFiles
        for file in own.map(context.absolute) + (try await trustedByAgents(in: context)) {
            // With the links to it.
            paths.insert(file)
            // A lock on a program alone ends when an update replaces it. But the command may need what else is in the folder.
            let target = PrivateFile.target(of: file)
            let folder = String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)])
            let names = FolderListing.names(in: folder)
            // The installer has its list of files there.
            let isAlone = !names.isEmpty && names.allSatisfy { $0.hasPrefix("yett") || $0 == "files" }
            if isAlone, !FileStatus.isDirectory(target) { paths.insert(folder) }
        }
        return paths.sorted()
    }

    /// The places of agents on this machine, also if this shell uses the agent of another one: in its runtime folder, in that of the login,
    /// where systemd starts one, and without any.
    static func agentLocations(_ environment: [String: String]) -> [AgentLocation] {
        Set([environment["XDG_RUNTIME_DIR"] ?? "", "/run/user/\(geteuid())", ""]).sorted().map {
            AgentLocation(environment: ["XDG_RUNTIME_DIR": $0])
        }
    }

    /// Returns the files that the user's agents trust: they may be of another installation or home, or have been started with other
    /// variables.
    private static func trustedByAgents(in context: CommandContext) async throws(AuthFailure) -> [String] {
        var files: [String] = []
        // Another user's folder in /tmp has no agent of this user.
        for location in agentLocations(context.edges.environment) where isSocket(location.socket, of: geteuid()) {
            func failure(_ reason: String) -> AuthFailure {
                AuthFailure(
                    .configuration,
                    text: "the agent in \(location.folder) does not say what an isolated command must not change: \(reason)",
                    hint: "end it, with its own configuration: yett agent stop")
            }
            let status: AgentStatus?
            do throws(AuthFailure) {
                status = try await AgentClient(location: location, home: nil).status()
            } catch {
                throw failure(error.summary)
            }
            guard let status else { continue }
            guard let trusted = status.facts.trustedFiles else { throw failure("it is of an older version") }
            files += trusted
        }
        return files
    }

    /// Returns the folder of a file that is replaced while the command runs, which ends a cover on the file alone (mount_namespaces(7));
    /// `nil` if it is covered anyway. Throws if the command needs the folder.
    private static func folder(of path: String, showing shown: String, in context: CommandContext) throws(AuthFailure) -> String? {
        let target = PrivateFile.target(of: path)
        // Once more, because a missing file leaves the links on the way to it as they are.
        let folder = PrivateFile.target(of: String(target[..<(target.lastIndex(of: "/") ?? target.startIndex)]))
        guard !(folders(in: context) + context.directories.system).map(PrivateFile.target).contains(folder) else { return nil }
        let needed = [context.edges.environment["HOME"] ?? "/", context.edges.workingDirectory, shown].map(PrivateFile.target)
        guard !needed.contains(where: { ($0 + "/").hasPrefix(folder + "/") }) else {
            throw AuthFailure(
                .configuration, text: "\(path) cannot be kept from an isolated command, which needs the folder that the file is in",
                hint: "move it to a folder of its own, or run the command elsewhere")
        }
        // Otherwise the command could create it.
        try? PrivateFile.makeDirectory(folder, isPrivate: true)
        return folder
    }

    /// Returns the paths in a variable: the variable itself, an address such as `unix:///run/docker.sock`, or a list of those of D-Bus.
    private static func socketPaths(_ value: String) -> [String] {
        value.split { ";,".contains($0) }.map { part in
            let path = ["unix:path=", "unix://", "unix:"].first { part.hasPrefix($0) }.map { part.dropFirst($0.count) }
            return String(path ?? part)
        }
    }

    /// - Parameter user: the owner; `nil` for any.
    private static func isSocket(_ path: String, of user: uid_t? = nil) -> Bool {
        var status = stat()
        guard path.hasPrefix("/"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        return user.map { $0 == status.st_uid } ?? true
    }

    private func failure(_ failure: ConfinedCommand.Failure, _ command: [String], in context: CommandContext) -> any Error {
        let reason: String
        switch failure.step {
        case .command: return ExecCommand.failure(command, failure.error, in: context)
        case .start where user != nil && geteuid() != 0 && failure.error.isMissing:
            return AuthFailure(
                .configuration, text: "only root can run a command as \(user?.name ?? ""), and sudo is not installed",
                hint: "run yett exec as root, or use --isolated")
        case .start where user != nil && geteuid() != 0:
            return AuthFailure(
                .configuration, text: "sudo does not let you run this as \(user?.name ?? "")",
                hint: "an administrator allows it with a rule of sudo without a password, for \(context.edges.ownProgram ?? "yett-main")")
        case .start:
            return AuthFailure(.configuration, text: "cannot start the command: \(failure.error.text)", hint: "try again")
        case .user:
            return AuthFailure(
                .configuration, text: "cannot become \(user?.name ?? ""): \(failure.error.text)", hint: "run yett exec as root")
        case .namespaces: reason = "no namespaces for users and the network"
        case .processes: reason = "no namespace for processes"
        case .hiding: reason = "no cover for folders"
        case .network: reason = "no loopback of its own"
        case .terminal:
            return AuthFailure(
                .configuration, text: "the command cannot be kept from typing at your terminal: \(failure.error.text)",
                hint: "the system must allow filters of system calls (seccomp); in a container, run yett exec outside")
        }
        return AuthFailure(
            .configuration, text: "the command cannot be isolated on this machine: \(reason): \(failure.error.text)", hint: Self.hint)
    }

    /// The hint for an administrator who can allow namespaces; it names the setting that forbids them.
    private static var hint: String {
        func setting(_ name: String) -> String? {
            let path = "/proc/sys/" + name.replacing(".", with: "/")
            let bytes = try? RegularFile.read(path, limit: 64)
            return bytes.map { String(decoding: $0, as: UTF8.self).trimmed.description }
        }
        let settings = [
            ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"), ("kernel.unprivileged_userns_clone", "0", "1"),
            ("user.max_user_namespaces", "0", "10000"),
        ]
        guard let (name, _, wanted) = settings.first(where: { setting($0.0) == $0.1 }) else {
            return "containers often forbid it: run yett exec outside, or use --user NAME"
        }
        return "an administrator allows it for all programs with: sysctl \(name)=\(wanted); or use --user NAME"
    }
}
