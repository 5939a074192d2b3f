internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett status`: prints who is signed in where, and for how long. Does not use the network or read secrets.
struct StatusCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "List sessions and the time left in each.")
    static let examples: KeyValuePairs = [
        "yett status": "Lists all sessions.",
        "yett status work/ada --json": "Prints one session for a script.",
        "yett status --watch": "Shows all sessions, with their times counting down.",
        "yett status --prompt": "Prints a short line for a shell prompt.",
    ]
    static let handlesInterruptions = false

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT. Default: all sessions.", completion: .names(.sessions)
    )
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print one short line for a shell prompt; see: yett help prompt.")
    var prompt = false

    @Flag(help: "Print again whenever something changes, until Ctrl-C. With --json: one line for each change.")
    var watch = false

    @Option(help: ArgumentHelp("The longest time to wait while a session is being renewed.", valueName: "seconds"))
    var wait: Int?

    /// The launcher does not wait for a renewal.
    var runsInAgent: Bool { wait == nil && !watch }

    func validate() throws {
        if prompt, json || wait != nil { throw ValidationError("--prompt cannot be combined with --json or --wait") }
        if watch, prompt || wait != nil { throw ValidationError("--watch cannot be combined with --prompt or --wait") }
        if let wait, !(0...86_400).contains(wait) { throw ValidationError("--wait must be between 0 and 86400 seconds") }
    }

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        if prompt { return try await printPrompt(name, in: context) }
        if watch { return try await StatusWatch(name: name, asJSON: json, context: context).run() }
        try await Self.show(name, asJSON: json, waiting: .seconds(wait ?? 0), in: context)
    }

    private func printPrompt(_ name: SessionName?, in context: CommandContext) async throws {
        let service = try await context.service()
        let chosen = if let name { try await service.sessions(named: name) } else { try await service.sessions() }
        let line = PromptLine(chosen, at: context.now, showsUnicode: context.console.showsUnicode)
        try context.console.lines([line.text].compactMap(\.self))
    }

    /// Prints the sessions.
    ///
    /// - Parameter showsUse: whether a terminal shows when they were used, instead of the time that is left in each.
    static func show(
        _ name: SessionName?, asJSON: Bool, waiting: Duration = .zero, showsUse: Bool = false, in context: CommandContext
    ) async throws {
        let service = try await context.service()
        func known() async throws(AuthFailure) -> [SessionSummary] {
            if let name { try await service.sessions(named: name) } else { try await service.sessions() }
        }
        var sessions = try await known()
        let deadline = context.edges.time.bootTime + waiting
        while sessions.contains(where: { $0.recordedState == .renewing }), context.edges.time.bootTime < deadline {
            try await context.edges.time.sleep(until: min(deadline, context.edges.time.bootTime + .milliseconds(100)))
            sessions = try await known()
        }
        var details: [SessionName: SessionDetail] = [:]
        // Identities are sealed: they are printed only for a single session and only if the store is unlocked.
        if name != nil, asJSON, try await service.storeState() == .unlocked {
            for session in sessions { details[session.name] = try? await service.session(session.name) }
        }
        let list = context.sessionList(sessions, details: details, asJSON: asJSON)
        if showsUse {
            try context.answer(SessionUses(list: list), asJSON: asJSON)
        } else {
            try context.answer(list, asJSON: asJSON)
        }
        if !asJSON, let owner = await context.remoteOwner() { context.console.note("through \(owner)") }
        if sessions.isEmpty, !asJSON {
            let hasProvider = (try? await service.providers())?.isEmpty == false
            context.console.note(
                "not signed in",
                hint: hasProvider ? "sign in with: yett login" : ProvidersAddCommand.hintOrDemo)
        }
    }
}
