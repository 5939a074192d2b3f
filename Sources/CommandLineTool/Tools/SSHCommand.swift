internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett ssh`: runs ssh with the agent's restricted socket forwarded to the other machine.
struct SSHCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh", abstract: "Run ssh, and let the other machine use the sessions that you forward.",
        discussion: """
            Everything after ssh is passed on to ssh(1). There, yett lists the sessions of [agent] forward and gets their tokens from \
            the agent on this machine; it cannot sign in or out, lock or stop the agent, or see other sessions. The access ends with the \
            connection. See: yett help forwarding.
            """)
    static let examples: KeyValuePairs = [
        "yett ssh build.example.org": "Opens a shell there.",
        "yett ssh build.example.org yett status": "Lists what is forwarded, from there.",
        "yett ssh -p 2222 build.example.org git fetch": "Passes options on to ssh, and runs a command.",
    ]
    static let handlesInterruptions = false

    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The options of ssh, the host, and a command to run there.", valueName: "arguments"))
    var arguments: [String] = []

    func validate() throws {
        if ["-h", "--help"].contains(arguments.first) { throw CleanExit.helpRequest(self) }
        guard SSHArguments(arguments) != nil else { throw ValidationError("no host given: yett ssh HOST") }
    }

    func run(in context: CommandContext) async throws {
        guard let line = SSHArguments(arguments) else { throw AuthFailure(.usage, text: "no host given", hint: "write: yett ssh HOST") }
        try await requireForwarding(in: context)
        let name = [UInt8].random(count: 16).hexadecimal
        let words = line.words(
            forwarding: context.agentLocation.forwardedSocket, to: "/tmp/yett-\(name).sock",
            hasTerminal: context.edges.streams.isInputTerminal)
        var environment = context.edges.environment
        // The agent reads it from its peer, and names the host in the activity.
        environment[Caller.hostVariable] = line.host
        let error = context.edges.replaceProcess(["ssh"] + words, environment)
        context.console.failure(
            AuthFailure(.usage, text: "cannot run ssh: \(error.text)", hint: "install an SSH client, such as openssh-client"))
        throw ExitStatus(code: error.isMissingFile ? 127 : 126)
    }

    /// Throws if no session is forwarded: then the connection would be an ordinary one, and the user would learn it only there.
    private func requireForwarding(in context: CommandContext) async throws {
        guard context.agentLocation.remoteSocket == nil else {
            throw AuthFailure(
                .configuration, text: "this machine only uses the sessions of another one, and cannot forward them further",
                hint: "run yett ssh on the machine where you are signed in, with -J for a host on the way")
        }
        guard try !context.configurationFile().read().agent.forward.isEmpty else {
            throw AuthFailure(
                .configuration, text: "no session is forwarded to other machines",
                hint: "list them in config.toml: [agent] forward = [\"work\", \"git/*\"]; see: yett help forwarding")
        }
        let service = try await context.service(creating: true)
        // The agent opens the socket when it notices the configuration.
        _ = try await service.sessions()
        guard await context.hasForwardedSocket() else {
            throw AuthFailure(
                .configuration, text: "the agent has not opened its restricted socket \(context.agentLocation.forwardedSocket)",
                hint: "restart it: yett agent stop, then yett agent start")
        }
    }
}

extension CommandContext {
    /// Waits up to two seconds for the agent's restricted socket. Returns whether it is there.
    fileprivate func hasForwardedSocket() async -> Bool {
        let end = edges.time.bootTime + .seconds(2)
        while !agentLocation.isForwarding {
            guard edges.time.bootTime < end,
                (try? await edges.time.sleep(until: edges.time.bootTime + .milliseconds(20))) != nil
            else { return false }
        }
        return true
    }
}

/// The arguments of ssh(1), divided into its options, the host, and the command to run there.
struct SSHArguments: Equatable {
    let options: [String]
    /// The destination as it was typed: a name, `user@host`, or an `ssh://` address.
    let host: String
    let command: [String]

    /// The options with a value, which is the rest of the word or the next word.
    private static let withValue: Set<Character> = Set("BbcDEeFIiJLlmOopPQRSWw")

    /// Divides the arguments; `nil` if they name no host.
    init?(_ arguments: [String]) {
        var options: [String] = []
        var rest = arguments[...]
        while let word = rest.first, word.hasPrefix("-"), word != "-" {
            options.append(rest.removeFirst())
            if word == "--" { break }
            guard let place = word.dropFirst().firstIndex(where: Self.withValue.contains) else { continue }
            guard word.index(after: place) == word.endIndex else { continue }
            guard let value = rest.popFirst() else { return nil }
            options.append(value)
        }
        guard let host = rest.popFirst(), !host.isEmpty else { return nil }
        (self.options, self.host, command) = (options, host, Array(rest))
    }

    /// Whether ssh runs no command there (`-N`).
    private var runsNothing: Bool { flags.contains("N") }

    /// The letters of the options without a value.
    private var flags: Set<Character> {
        var flags: Set<Character> = []
        var isValue = false
        for word in options {
            defer { isValue = false }
            if isValue { continue }
            for letter in word.dropFirst() {
                if Self.withValue.contains(letter) {
                    isValue = word.last == letter && word.firstIndex(of: letter) == word.index(before: word.endIndex)
                    break
                }
                flags.insert(letter)
            }
        }
        return flags
    }

    /// Returns the arguments for ssh.
    ///
    /// The command there is run by a POSIX shell, which sets the variable, starts the user's own shell, and removes the socket afterwards,
    /// because sshd leaves it. No server has to permit a variable for it (`AcceptEnv`).
    ///
    /// - Parameters:
    ///   - socket: the restricted socket here.
    ///   - remote: the path of the socket there, which no other user can guess. sshd creates it for the user only.
    ///   - hasTerminal: whether to ask for a terminal there if no command is given, as ssh does by itself.
    func words(forwarding socket: String, to remote: String, hasTerminal: Bool) -> [String] {
        let forwarding = [
            "-o", "ExitOnForwardFailure=yes", "-o", "StreamLocalBindMask=0177", "-o", "ControlMaster=no", "-o", "ControlPath=none",
            "-R", "\(remote):\(socket)",
        ]
        // A master's connection outlives the command, and the forward with it. The first -o counts, but the last -S.
        let end = options.last == "--" ? ["--"] : []
        let options = options.dropLast(end.count) + ["-S", "none"] + end
        guard !runsNothing else { return forwarding + options + [host] + command }
        let terminal = command.isEmpty && hasTerminal && flags.isDisjoint(with: ["T", "t"]) ? ["-t"] : []
        let shell = "\"${SHELL:-sh}\""
        let run = command.isEmpty ? "\(shell) -l" : "\(shell) -c \"$1\""
        // A broken connection ends the shell with SIGHUP.
        let script = "trap 'rm -f \"$YETT_AGENT_SOCK\"' EXIT; trap 'exit 129' HUP TERM; \(run); exit $?"
        let words = ["env", "YETT_AGENT_SOCK=\(remote)", "sh", "-c", script, "sh"]
        let command = command.isEmpty ? words : words + [command.joined(separator: " ")]
        return forwarding + terminal + options + [host, command.map(Self.quoted).joined(separator: " ")]
    }

    /// Quotes a word for a POSIX shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-=".utf8.contains($0) }
        return word.isEmpty || !isPlain ? "'\(word.escapedForSingleQuotes)'" : word
    }
}
