internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import TerminalUI
internal import UserConfiguration

/// `yett agent`: manages the process that renews sessions and issues tokens.
struct AgentCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Run, start, stop, check, lock and unlock the agent.",
        discussion: """
            The agent keeps the store unlocked, renews tokens ahead of time and answers at once. Commands start it when they need it. \
            To work without it, use --no-agent or YETT_NO_AGENT=1.
            """,
        subcommands: [
            AgentRunCommand.self, AgentStartCommand.self, AgentStopCommand.self, AgentStatusCommand.self, AgentLockCommand.self,
            AgentUnlockCommand.self, AgentUnitsCommand.self,
        ], defaultSubcommand: AgentStatusCommand.self)
    static let examples: KeyValuePairs = [
        "yett agent status": "Shows whether an agent is running.",
        "yett agent lock": "Locks the store.",
        "yett agent stop": "Stops the agent; the next command starts it again.",
    ]
}

/// `yett agent start`: starts the agent, and returns when it serves requests.
struct AgentStartCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the agent in the background, unless it is running.")
    static let examples: KeyValuePairs = ["yett agent start": "Starts the agent in the background."]

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        if let status = try await client.status() {
            return context.console.done("the agent is already running, as process \(status.facts.process)")
        }
        guard let starter = context.agentStarter() else {
            throw AuthFailure(.configuration, text: "cannot start an agent from here", hint: "run: yett agent run")
        }
        try await starter.start()
        guard let status = try await client.status() else {
            throw AuthFailure(.bug, text: "the agent stopped right after it started", hint: "see why with: yett agent run")
        }
        context.console.done("the agent is running, as process \(status.facts.process)")
    }
}

/// `yett agent stop`: asks the agent to exit.
struct AgentStopCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the agent.",
        discussion: """
            Ends sessions with session_lifetime = "process" before it returns; other sessions are unchanged. The next command starts a new \
            agent.
            """)
    static let examples: KeyValuePairs = ["yett agent stop": "Stops the agent; the next command starts it again."]

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        let process = try? await client.status()?.facts.process
        let wasThere = try await client.stop()
        if wasThere, let process { await waitForEnd(of: process, context.edges.time) }
        if wasThere { context.console.done("the agent is stopping") } else { context.console.note("no agent is running") }
    }

    /// Waits until the process has ended, so that another agent can start. It may wait longer for a provider's response.
    private func waitForEnd(of process: Int32, _ time: any TimeSource) async {
        let deadline = time.bootTime + .seconds(2)
        while kill(process, 0) == 0, time.bootTime < deadline {
            guard (try? await time.sleep(until: time.bootTime + .milliseconds(10))) != nil else { return }
        }
    }
}

/// `yett agent status`: prints whether the agent runs, and its state. Starts none.
struct AgentStatusCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether an agent is running, and its state.",
        discussion: "Does not start an agent. The exit status is 0 in both cases; scripts can check running in --json.")
    static let examples: KeyValuePairs = [
        "yett agent status": "Shows the agent's process, and whether the store is locked.",
        "yett agent status --json": "Prints it for a script.",
    ]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let status = try await context.agentClient().status()
        try context.answer(AgentReport(status: status, location: context.agentLocation), asJSON: json)
    }
}

/// The output of `yett agent status`.
private struct AgentReport: Answer {
    let status: AgentStatus?
    let location: AgentLocation

    private var socket: String { location.socket }
    /// The socket for oidc-agent's clients; `nil` if this machine's agent serves none.
    private var oidcAgentSocket: String? {
        status != nil && location.remoteSocket == nil && location.isServingOIDCAgent ? location.oidcAgentSocket : nil
    }

    var lines: [String] {
        guard let status else { return ["no agent is running"] }
        return [
            "the agent is running as process \(status.facts.process), version \(status.facts.version), since \(status.facts.startedAt.inLocalTime)",
            "store: \(storeDescription(status))", "socket: \(socket)",
        ] + (oidcAgentSocket.map { ["socket for oidc-agent's clients: \($0)"] } ?? [])
    }

    func rows(on display: Display) -> [StyledText] {
        guard let status else { return [display.neutral + StyledText(" " + lines[0])] }
        let isOpen = status.seal == .unlocked
        let first = display.marked(display.good, lines[0]) + display.marked(isOpen ? display.good : display.warning, lines[1])
        return first + lines.dropFirst(2).map { StyledText("  " + $0, .muted) }
    }

    private func storeDescription(_ status: AgentStatus) -> String {
        switch status.seal {
        case .unlocked: "unlocked"
        case .locked(isNew: false): "locked"
        case .locked(isNew: true): "none yet in \(status.facts.home.store)"
        }
    }

    var json: JSONValue {
        guard let status else { return .answer(("running", false), ("socket", .string(socket))) }
        return .answer(
            ("running", true), ("socket", .string(socket)), ("oidc_agent_socket", JSONValue(oidcAgentSocket)),
            ("process", .number(status.facts.process)),
            ("agent_version", .string(status.facts.version)), ("started_at", JSONValue(status.facts.startedAt)),
            ("locked", .bool(status.seal != .unlocked)), ("logs", .bool(status.facts.logs)),
            ("store", .string(status.facts.home.store)), ("configuration", .string(status.facts.home.configuration)))
    }
}

/// `yett agent lock`: removes the store's keys from the agent's memory.
struct AgentLockCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "lock", abstract: "Lock the store: the agent erases its keys and tokens.")
    static let examples: KeyValuePairs = ["yett agent lock": "Locks the store until you unlock it."]

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        guard try await client.status() != nil else { return context.console.note("no agent is running, so nothing is unlocked") }
        try await client.lock()
        context.console.done("the store is locked")
    }
}

/// `yett agent unlock`: sends the store's passphrase to the agent.
struct AgentUnlockCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the store.",
        discussion: """
            Asks for the passphrase on the terminal, or reads it from the file in YETT_PASSPHRASE_FILE. For a store that a security key \
            opens, asks for its PIN on the terminal; then touch the key. A store whose key is in a file or a keyring, or sealed by \
            systemd, needs none.
            """)
    static let examples: KeyValuePairs = [
        "yett agent unlock": "Asks for the passphrase.",
        "YETT_PASSPHRASE_FILE=~/passphrase yett agent unlock": "Reads the passphrase from a file that only you can read.",
    ]

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        if try await client.status() == nil {
            guard let starter = context.agentStarter() else {
                throw AuthFailure(.configuration, text: "no agent is running", hint: "start it with: yett agent run")
            }
            try await starter.start()
        }
        let report = try await client.perform(ReadSeal())
        if report.state != .unlocked, !report.needsPassphrase {
            // The key source needs no passphrase, but a manual lock must be undone explicitly.
            try await client.unlock(passphrase: Secret(""))
        } else {
            try await PassphrasePrompt(context: context).unlock(client)
        }
        context.console.done("the store is unlocked")
    }
}

/// `yett agent units`: prints or installs the unit files for systemd.
struct AgentUnitsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "units", abstract: "Print the unit files that let systemd run the agent, or install them.",
        discussion: "After installing them: systemctl --user daemon-reload && systemctl --user enable --now yett-agent.socket")
    static let examples: KeyValuePairs = [
        "yett agent units": "Prints the units.",
        "yett agent units --install": "Writes the units to your configuration folder.",
        "systemctl --user enable --now yett-agent.socket": "Lets systemd start the agent when a command needs it.",
    ]

    @Flag(help: "Write them to your systemd user units instead of printing them.")
    var install = false

    func run(in context: CommandContext) async throws {
        guard let program = context.edges.agentProgram else {
            throw AuthFailure(.configuration, text: "cannot find where yett is installed", hint: "mount /proc")
        }
        let units = [("yett-agent.socket", UnitFiles.socket), ("yett-agent.service", UnitFiles.service(program: program))]
        guard install else {
            return try context.console.page(units.map { "# \($0.0)\n\($0.1)" }.joined(separator: "\n"))
        }
        let base = try context.directories.configuration
        let folder = base[..<(base.lastIndex(of: "/") ?? base.endIndex)] + "/systemd/user"
        try PrivateFile.makeDirectory(String(folder))
        for (name, text) in units {
            try PrivateFile.replace("\(folder)/\(name)", with: Array(text.utf8))
            context.console.done("wrote \(folder)/\(name)")
        }
        context.console.hint("next, run: systemctl --user daemon-reload && systemctl --user enable --now yett-agent.socket")
    }
}
