public import AuthModel
import Glibc
import OperatingSystem
import Synchronization

/// A calling process, as the kernel knows it: at the other end of the socket (`SO_PEERCRED`), or this one.
public struct Caller: Equatable, Sendable {
    var process: Int32
    var user: UInt32

    package init(process: Int32, user: UInt32) {
        self.process = process
        self.user = user
    }

    /// The process's program; `nil` if the kernel does not tell. Only the name, if it is yett and the agent is not root.
    ///
    /// A process number may be reused after its process has ended, so this is for records and not for decisions.
    var program: String? { running.executable ?? ownName }

    var running: RunningProcess { RunningProcess(number: process) }

    private static let ownNames: Set = ["yett", "yett-main"]

    /// The name of the process, if it is yett: its memory is closed to other programs, and then the kernel hides the path of its program
    /// too.
    private var ownName: String? { running.name.flatMap { Self.ownNames.contains($0) ? $0 : nil } }

    /// Returns whether a path or name is one of Yett's own programs.
    static func isOwn(_ program: String) -> Bool { ownNames.contains(String(program.fileName)) }

    /// The variable with the host to which `yett ssh` forwards the restricted socket, in the environment of ssh.
    public static let hostVariable = "YETT_SSH_HOST"

    /// Returns the host on which the caller really is, if the process is the ssh of `yett ssh`. For records only: the user's own programs
    /// can claim any host.
    func forwardedHost(_ program: String) -> String? {
        guard program.hasSuffix("/ssh") else { return nil }
        let head = "\(Self.hostVariable)="
        let variable = running.variables.first { $0.hasPrefix(head) }
        return variable.map { $0.dropFirst(head.count).prefix(bytes: 255) }
    }
}

extension String {
    /// The last part of a path.
    var fileName: Substring { self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...] }
}

/// The caller in words that tell a user more than the process at the other end of the socket: often that is only Yett, in a shell that a
/// tool started.
extension Caller {
    /// The program, for records. If it is yett itself, the program that started it.
    public var message: UserMessage { message(program) }

    /// Returns the message for the process's program, which the caller has already read.
    func message(_ program: String?) -> UserMessage {
        guard let program else { return UserMessage("phrase.process_number", ["number": process]) }
        if let host = forwardedHost(program) { return UserMessage("phrase.host_through_ssh", ["host": host]) }
        guard Self.isOwn(program) else { return ToolProcess(running, program).message }
        guard let starter = running.parent.flatMap({ ToolProcess(startedBy: $0) }) else { return .verbatim(program) }
        return starter.isShell ? UserMessage("phrase.program_through_yett", ["program": starter.path]) : starter.message
    }

    /// The tool behind a process that a proxy serves: git for a part of git, for example. `nil` if the kernel does not tell.
    var tool: (path: String, message: UserMessage)? { ToolProcess(startedBy: running).map { ($0.path, $0.message) } }

    /// The paths of the programs through which the process asks: itself, or everything from the program that started yett up to the tool
    /// that ``message`` names.
    var programs: [String] { program.map(programs(behind:)) ?? [] }

    /// Returns the paths for the process's program, which the caller has already read.
    func programs(behind program: String) -> [String] {
        guard Self.isOwn(program) else { return [program] }
        return running.parent.flatMap { ToolProcess(startedBy: $0) }.map { $0.passed + [$0.path] } ?? []
    }

    /// Returns the message for the process's program and the application that it says it is, unless that is its own name.
    func message(_ program: String?, for application: String?) -> UserMessage {
        let message = message(program)
        guard let application, program.map({ String($0.fileName) }) != application else { return message }
        return UserMessage("phrase.program_for_application", ["program": message, "application": application])
    }
}

/// A tool that uses Yett, with what it does and what started it: "git fetch, by zsh".
private struct ToolProcess {
    let path: String
    /// The programs between this one and yett, which only run yett for it.
    private(set) var passed: [String] = []
    private let process: RunningProcess

    /// The tools whose first plain argument is what they do. Other arguments may be secrets.
    private static let toolsWithCommands: Set<Substring> = [
        "aws", "docker", "git", "helm", "kubectl", "oc", "podman", "skopeo", "terraform", "tofu",
    ]
    /// Options of these tools that are followed by a value.
    private static let optionsWithValue: Set = [
        "-C", "-c", "-H", "-l", "-n", "-s", "--as", "--cluster", "--config", "--context", "--endpoint-url", "--git-dir", "--host",
        "--kubeconfig", "--log-level", "--namespace", "--output", "--profile", "--region", "--server", "--user", "--work-tree",
    ]
    /// Maximum number of ancestors that are read, for a machine with a loop of them.
    private static let depth = 6

    init(_ process: RunningProcess, _ path: String) {
        self.process = process
        self.path = path
    }

    /// The tool behind the process that started yett: not the shell that only runs the tool's helper, and not a part of git but git itself.
    /// `nil` if the kernel does not tell.
    init?(startedBy process: RunningProcess) {
        guard let path = process.executable else { return nil }
        var found = ToolProcess(process, path)
        for _ in 0..<Self.depth {
            guard found.isHelperShell || found.isPartOfGit, let parent = found.process.parent, let path = parent.executable else { break }
            var next = ToolProcess(parent, path)
            next.passed = found.passed + [found.path]
            guard found.isHelperShell || next.isPartOfGit || next.name == "git" else { break }
            found = next
        }
        self = found
    }

    private var name: Substring { path.fileName }

    var isShell: Bool { RunningProcess.shells.contains(String(name)) }

    /// Whether this is a shell that runs one command for another program.
    private var isHelperShell: Bool {
        guard isShell else { return false }
        let options = process.arguments.dropFirst().prefix { $0.hasPrefix("-") && !$0.hasPrefix("--") }
        return options.contains { $0.contains("c") }
    }

    /// Whether this is a program that git started for a part of its work.
    private var isPartOfGit: Bool {
        name.hasPrefix("git-") || name == "git" && process.arguments.dropFirst().first.map { $0.hasPrefix("remote-") } == true
    }

    var message: UserMessage {
        guard let parent = startedBy else { return .verbatim(path) }
        guard let command else { return UserMessage("phrase.program_by", ["program": path, "parent": parent]) }
        return UserMessage("phrase.program_command_by", ["program": path, "command": command, "parent": parent])
    }

    /// The program that started the tool; its path, or its name if the kernel hides the path.
    private var startedBy: String? {
        var parent = process.parent
        for _ in 0..<Self.depth {
            guard let process = parent else { return nil }
            guard let path = process.executable else { return process.name }
            guard ToolProcess(process, path).isHelperShell, let next = process.parent else { return path }
            parent = next
        }
        return nil
    }

    /// The tool's command, such as `fetch`.
    private var command: String? {
        guard Self.toolsWithCommands.contains(name) else { return nil }
        var words = process.arguments.dropFirst()
        while let word = words.popFirst() {
            guard word.hasPrefix("-") else { return Self.isCommand(word) ? word : nil }
            if Self.optionsWithValue.contains(word) { _ = words.popFirst() }
        }
        return nil
    }

    private static func isCommand(_ word: String) -> Bool {
        (2...20).contains(word.utf8.count) && word.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || $0 == 0x2D }
    }
}

/// A process, as `/proc` shows it (proc(5)).
///
/// A process number may be reused after its process has ended, so what is read here is for records and not for decisions.
struct RunningProcess: Equatable {
    let number: Int32

    /// The path of the program; `nil` if the kernel does not tell, such as for another user's process.
    var executable: String? { SymbolicLink.target(of: "/proc/\(number)/exe") }

    /// The name that the process gave itself, at most 15 bytes; readable for every process.
    var name: String? { text("comm", limit: 64).map { String($0.prefix { $0 != "\n" }) } }

    /// The process that started this one, or that adopted it.
    var parent: RunningProcess? {
        let fields = fields
        return fields.count > 1 ? Int32(fields[1]).flatMap { $0 > 0 ? RunningProcess(number: $0) : nil } : nil
    }

    /// When the process started, in ticks since the machine booted. Together with the number, it identifies a process.
    var startTime: UInt64? {
        let fields = fields
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }

    /// The fields of the process's status from the third one, the state; empty if the process has ended.
    private var fields: [Substring] {
        guard let text = text("stat", limit: 1024), let end = text.lastIndex(of: ")") else { return [] }
        // The name in parentheses may contain any character.
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// Whether the process is a shell, by its own name.
    var isShell: Bool { name.map(Self.shells.contains) ?? false }

    /// The names of shells.
    static let shells: Set = ["sh", "bash", "busybox", "dash", "fish", "ksh", "mksh", "zsh"]

    /// The first arguments, beginning with the name that the program was started with. They may contain secrets.
    var arguments: [String] { strings("cmdline", limit: 4096) }

    /// The environment variables that the process was started with, as `NAME=VALUE`. They may contain secrets.
    var variables: [String] { strings("environ", limit: 1 << 17) }

    private func strings(_ file: String, limit: Int) -> [String] {
        (bytes(file, limit: limit) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    func text(_ file: String, limit: Int) -> String? { bytes(file, limit: limit).map { String(decoding: $0, as: UTF8.self) } }

    /// Reads at most `limit` bytes; `nil` if the file cannot be read.
    private func bytes(_ file: String, limit: Int) -> [UInt8]? {
        let descriptor = open("/proc/\(number)/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = 0
            while count < limit {
                let got = read(descriptor, buffer.baseAddress.map { $0 + count }, limit - count)
                guard got > 0 else { return }
                count += got
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}

extension RunningProcess {
    /// The user of the process; also of one whose files in `/proc` belong to root, because its memory is closed to other programs.
    var user: UInt32? {
        let line = text("status", limit: 4096)?.split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { UInt32($0) }
    }
}

/// The programs behind a proxy of Yett (`yett exec --intercept`), for which it asks.
extension Caller {
    /// Maximum number of ancestors of a program that are read.
    private static let depth = 64

    /// Returns the process for which this one asks, if this one is Yett and has started it.
    func client(_ number: Int32?) -> Caller? {
        guard number != nil, program.map(Self.isOwn) == true else { return nil }
        return started(number)
    }

    /// Returns a process that this one started, directly or through others.
    func started(_ number: Int32?) -> Caller? {
        guard let number, number != process else { return nil }
        var ancestor = RunningProcess(number: number).parent
        for _ in 0..<Self.depth {
            guard let found = ancestor else { return nil }
            if found.number == process { return Caller(process: number, user: user) }
            ancestor = found.parent
        }
        return nil
    }

    /// Returns the program for which this very process asks, for records; `nil` if it has not started one, or the kernel does not tell.
    public static func clientMessage(_ number: Int32?) -> UserMessage? { own.started(number)?.tool?.message }

    static var own: Caller { Caller(process: getpid(), user: getuid()) }
}

/// The programs that get no token (`[agent] blocked_programs`), as the configuration says now.
///
/// It stops a program that asks for tokens without the user's wish. It is no wall against a program that wants to deceive the agent: such a
/// program can run another one that asks for it.
public final class BlockedPrograms: Sendable {
    private let paths: Mutex<Set<String>>

    /// Creates the set with the paths in the configuration.
    public init(_ paths: [String] = []) { self.paths = Mutex(Set(paths)) }

    /// Takes the paths of a changed configuration.
    public func set(_ paths: [String]) { self.paths.withLock { $0 = Set(paths) } }

    /// Returns the failure for a blocked program; `nil` if none is blocked: neither the one that a message names, nor one through which it
    /// asks, such as the shell that it runs yett in.
    func refusal(of caller: UserMessage?, process: Int32?) -> AuthFailure? {
        let paths = paths.withLock { $0 }
        guard !paths.isEmpty else { return nil }
        if let path = caller?.programPath, paths.contains(path) { return .programBlocked(path) }
        let passed = process.map { Caller(process: $0, user: 0).programs } ?? []
        let path = passed.lazy.compactMap { UserMessage.verbatim($0).programPath }.first { paths.contains($0) }
        return path.map { .programBlocked($0) }
    }
}
