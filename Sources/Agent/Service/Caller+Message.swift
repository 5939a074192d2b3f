public import AuthModel

/// Who asks, in words that tell a user more than the process at the other end of the socket: often that is only Yett, in a shell that a tool
/// started.
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

    /// The paths of the programs through which the process asks: itself, or everything from the program that started yett up to the tool that
    /// ``message`` names.
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
    /// How many ancestors are read, for a machine with a loop of them.
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

    /// What the tool does, such as `fetch`.
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
