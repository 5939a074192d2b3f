import CProcess
package import Glibc

/// A command that has less than this user: it runs as another user, or in namespaces of its own.
///
/// Another process of this program starts it and stays beside it (`Confinement.c` in `CProcess`): it passes signals on, ends with the
/// status of the command, and ends the command when this process ends, even by SIGKILL.
package struct ConfinedCommand: Sendable {
    /// The restrictions of the command.
    package struct Confinement: Equatable, Sendable {
        /// Whether the command gets namespaces of its own for users, processes, mounts and the network, whose only interface is loopback.
        package var isIsolated: Bool
        /// The paths that an isolated command finds empty.
        package var hidden: [String]
        /// A folder in a hidden one that an isolated command sees all the same, and cannot change.
        package var shown: String?
        /// The files that an isolated command cannot change, and the folders in which it cannot change anything.
        package var locked: [String]
        /// The user that the command runs as; this user if `nil`. If this user is not root, sudo must allow it without a password.
        package var user: UserAccount?

        /// Describes a confinement.
        package init(
            isIsolated: Bool = false, hidden: [String] = [], shown: String? = nil, locked: [String] = [], user: UserAccount? = nil
        ) {
            self.isIsolated = isIsolated
            self.hidden = hidden
            self.shown = shown
            self.locked = locked
            self.user = user
        }
    }

    /// Why a command was not started.
    package struct Failure: Error, Equatable, Sendable {
        /// The step that failed.
        package enum Step: Equatable, Sendable {
            case user, namespaces, processes, hiding, network, terminal, command
            /// The process beside the command was not started, or has ended.
            case start
        }

        package let step: Step
        package let error: SystemError
    }

    /// The first argument of the process beside the command.
    private static let argument = "confined"

    private let process: ChildProcess
    private let channel: Int32
    /// A socket that listens on the loopback interface of an isolated command.
    package let listener: Int32?
    /// Its port.
    package let port: Int
    /// The process beside the command, which is in the command's network namespace; `nil` below sudo, which is not.
    package let companion: Int32?

    /// Confines this process and runs a command, if it was started for that. Call it before the process has a second thread.
    package static func runIfAsked() {
        let (words, count) = (cprocess_arguments(), cprocess_argument_count())
        guard count > 2, let first = words[1], strcmp(first, argument) == 0 else { return }
        exit(cprocess_confine(count - 2, words + 2))
    }

    /// Prepares a command, which waits for its environment. Blocks until it is ready.
    ///
    /// - Parameters:
    ///   - starter: the path of this program.
    ///   - environment: the variables of this process.
    package static func prepare(
        _ command: [String], _ confinement: Confinement, starter: String, environment: [String: String]
    ) throws(Failure) -> ConfinedCommand {
        guard let program = command.first.flatMap({ ChildProcess.find($0, in: environment["PATH"]) }) else {
            throw Failure(step: .command, error: SystemError(number: ENOENT))
        }
        var options =
            (confinement.isIsolated ? ["isolated"] : []) + confinement.hidden.map { "hide=\($0)" }
            + confinement.locked.map { "lock=\($0)" }
        if let shown = confinement.shown { options.append("show=\(shown)") }
        let words = options + ["program=\(program)", "--"] + command
        let (process, channel): (ChildProcess, Int32)
        do throws(SystemError) {
            if let user = confinement.user, geteuid() != 0 {
                (process, channel) = try startBelowSudo(starter, words, as: user, environment)
            } else {
                let user = confinement.user.map { ["user=\($0.name)"] } ?? []
                (process, channel) = try start(starter, [argument] + user + words)
            }
        } catch {
            throw Failure(step: .start, error: error)
        }
        var report = cprocess_report()
        var listener: Int32 = -1
        let status = cprocess_receive_report(channel, &report, &listener, 1)
        let failure: Failure? =
            if status != 0 {
                Failure(step: .start, error: SystemError(number: status))
            } else if report.stage != CPROCESS_READY {
                Failure(step: step(report.stage), error: SystemError(number: report.number))
            } else if confinement.isIsolated, listener < 0 {
                // Without its socket, the proxy would listen outside.
                Failure(step: .network, error: SystemError(number: EPROTO))
            } else {
                nil
            }
        if let failure {
            close(channel)
            if listener >= 0 { close(listener) }
            process.wait()
            throw failure
        }
        return ConfinedCommand(
            process: process, channel: channel, listener: listener < 0 ? nil : listener, port: listener < 0 ? 0 : Int(report.number),
            companion: confinement.user != nil && geteuid() != 0 ? nil : process.id)
    }

    private static func step(_ stage: cprocess_stage) -> Failure.Step {
        switch stage {
        case CPROCESS_USER: .user
        case CPROCESS_NAMESPACE: .namespaces
        case CPROCESS_PROCESSES: .processes
        case CPROCESS_HIDING: .hiding
        case CPROCESS_NETWORK: .network
        case CPROCESS_TERMINAL: .terminal
        default: .command
        }
    }

    private static func start(_ starter: String, _ words: [String]) throws(SystemError) -> (ChildProcess, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { throw .last }
        defer { close(ends[1]) }
        do throws(SystemError) {
            return (try ChildProcess.start(starter, words, environment: [:], streams: streams(passed: ends[1])), ends[0])
        } catch {
            close(ends[0])
            throw error
        }
    }

    /// Starts the process by sudo, which closes descriptors. So it connects to a socket, which takes that user's connections only.
    private static func startBelowSudo(
        _ starter: String, _ words: [String], as user: UserAccount, _ environment: [String: String]
    ) throws(SystemError) -> (ChildProcess, Int32) {
        var name = [CChar](repeating: 0, count: 128)
        let listener = cprocess_listen_without_file(&name, name.count)
        guard listener >= 0 else { throw .last }
        defer { close(listener) }
        let caller = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let sudo = ["-n", "-u", user.name, "--", starter, argument, "caller=\(caller)"] + words
        let process = try ChildProcess.start("sudo", sudo, environment: environment, streams: streams(passed: nil))
        while true {
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 50) > 0 {
                let channel = cprocess_accept_from(listener, user.id, process.id)
                if channel >= 0 { return (process, channel) }
            }
            var information = siginfo_t()
            if waitid(P_PID, id_t(process.id), &information, WEXITED | WNOWAIT | WNOHANG) == 0, information.si_signo == SIGCHLD {
                process.wait()
                throw SystemError(number: EPERM)
            }
        }
    }

    private static func streams(passed: Int32?) -> ChildProcess.Streams {
        ChildProcess.Streams(input: .inherited, output: .inherited, errors: .inherited, passed: passed, startsSession: false)
    }

    /// Starts the command with its environment.
    package func begin(_ environment: [String: String]) {
        let variables: [UInt8] = environment.flatMap { (name, value) -> [UInt8] in Array("\(name)=\(value)".utf8) + [0] }
        var start = cprocess_start(
            size: UInt32(variables.count), count: UInt32(environment.count), mask: ProcessReplacement.originalMask)
        let message = withUnsafeBytes(of: &start) { Array($0) } + variables
        var sent = 0
        while sent < message.count {
            let count = message.withUnsafeBytes { bytes in
                Glibc.send(channel, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            // The process has ended, and its status says so.
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends a signal to the command. One below sudo may not be sent signals, and ends.
    package func send(_ signal: Int32) {
        if kill(process.id, signal) != 0, errno == EPERM { shutdown(channel, Int32(SHUT_RDWR)) }
    }

    /// Waits for the end of the command, and returns its status; fails if it could not be run. Call it once.
    package func exitStatus() async -> Result<Int32, SystemError> {
        let status = await process.exitStatus()
        var report = cprocess_report()
        var descriptor: Int32 = -1
        if cprocess_receive_report(channel, &report, &descriptor, 0) == 0, report.stage == CPROCESS_COMMAND {
            return .failure(SystemError(number: report.number))
        }
        return .success(status ?? 1)
    }

    /// Ends the command at once if it still runs. Call it once, after everything else.
    package func end() { close(channel) }
}

/// A user of this machine.
package struct UserAccount: Equatable, Sendable {
    package let name: String
    package let id: uid_t
    package let home: String
    package let shell: String

    /// Looks a user up; `nil` if there is none of that name.
    package init?(named name: String) {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var texts = [CChar](repeating: 0, count: 16_384)
        guard getpwnam_r(name, &entry, &texts, texts.count, &found) == 0, found != nil else { return nil }
        self.name = name
        id = entry.pw_uid
        home = String(cString: entry.pw_dir)
        shell = String(cString: entry.pw_shell)
    }
}

/// The files of Unix sockets that belong to this user: each leads to a program that may do something for this user, such as an agent of SSH
/// keys, or the connection that ssh(1) keeps to another machine.
package enum OwnSocketFiles {
    /// The number of fields before the path in a line of the table.
    private static let fields = 7

    /// Returns the paths of all that programs have bound now. For a folder of this user that has nothing else, returns the folder: the next
    /// socket is made there.
    package static func paths() throws(SystemError) -> [String] {
        var paths = bound(in: try RegularFile.readTable("/proc/self/net/unix"))
        let processes = FolderListing.names(in: "/proc").filter { $0.allSatisfy(\.isNumber) && isOwn("/proc/\($0)", S_IFDIR) }
        // A table has the sockets of one network namespace only (proc_net(5)), but their files are found in all, such as that of a
        // container engine without root.
        var networks = Set([SymbolicLink.target(of: "/proc/self/ns/net")])
        for process in processes where networks.insert(SymbolicLink.target(of: "/proc/\(process)/ns/net")).inserted {
            // It may have ended.
            if let table = try? RegularFile.readTable("/proc/\(process)/net/unix") { paths.formUnion(bound(in: table)) }
        }
        return covering(paths, in: Set(processes.compactMap { SymbolicLink.target(of: "/proc/\($0)/cwd") }))
    }

    /// Returns the paths in a table, in the kernel's form: the path is the rest of a line, and may have spaces. Abstract ones, which begin
    /// with `@`, are left out: they have no file.
    static func bound(in table: [UInt8]) -> Set<String> {
        var paths: Set<String> = []
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: fields)
            guard parts.count > fields, let first = parts[fields].first, first != UInt8(ascii: "@") else { continue }
            paths.insert(String(decoding: parts[fields], as: UTF8.self))
        }
        return paths
    }

    /// Returns this user's sockets in the folders of these paths, or a folder in their place. The table has the paths as they were bound:
    /// ssh(1) binds a name with random letters, and moves the socket to its own.
    ///
    /// - Parameter folders: the working directories of processes, in which a path may have been bound that is not absolute.
    static func covering(_ paths: Set<String>, in folders: Set<String> = []) -> [String] {
        var parents: Set<String> = []
        for path in paths {
            let parent = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            if path.hasPrefix("/") { parents.insert(String(parent)) } else { parents.formUnion(folders.map { "\($0)/\(parent)" }) }
        }
        let found = parents.flatMap { parent in
            let names = FolderListing.names(in: parent)
            let sockets = names.filter { isOwn(parent + $0, S_IFSOCK) }
            return !sockets.isEmpty && sockets.count == names.count && isOwn(parent, S_IFDIR)
                ? [String(parent.dropLast())] : sockets.map { parent + $0 }
        }
        return Set(found).sorted()
    }

    private static func isOwn(_ path: String, _ kind: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == kind && status.st_uid == geteuid()
    }
}
