internal import ArgumentParser
internal import AuthModel
internal import TerminalUI

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
        let sessions = try await context.service().sessions()
        let chosen = try name.map { name throws(AuthFailure) in try sessions.named(name) } ?? sessions
        let line = PromptLine(chosen, at: context.now, showsUnicode: context.console.showsUnicode)
        try context.console.lines([line.text].compactMap(\.self))
    }

    static func show(_ name: SessionName?, asJSON: Bool, waiting: Duration = .zero, in context: CommandContext) async throws {
        let service = try await context.service()
        func known() async throws(AuthFailure) -> [SessionSummary] {
            let sessions = try await service.sessions()
            return try name.map { name throws(AuthFailure) in try sessions.named(name) } ?? sessions
        }
        var sessions = try await known()
        let deadline = context.edges.time.bootTime + waiting
        while sessions.contains(where: { $0.recordedState == .renewing }), context.edges.time.bootTime < deadline {
            try await context.edges.time.sleep(until: min(deadline, context.edges.time.bootTime + .milliseconds(100)))
            sessions = try await known()
        }
        var details: [SessionName: SessionDetail] = [:]
        // Identities are sealed: they are printed only for a single session and only if the store is unlocked.
        if name != nil, asJSON, try await service.seal() == .unlocked {
            for session in sessions { details[session.name] = try? await service.session(session.name) }
        }
        try context.console.answer(context.sessionList(sessions, details: details, asJSON: asJSON), asJSON: asJSON)
        if !asJSON, let owner = await context.remoteOwner() { context.console.note("through \(owner)") }
        if sessions.isEmpty, !asJSON {
            context.console.note("not signed in")
            context.console.hint("sign in with: yett login")
        }
    }
}

/// `yett status --watch`: prints the sessions again when they change, until it is interrupted.
///
/// On a terminal, the table stays in its place and its times count down. Elsewhere, each change of a session or its state is printed once: as
/// a table after an empty line, or as one JSON object on a line.
struct StatusWatch {
    let name: SessionName?
    let asJSON: Bool
    let context: CommandContext

    /// An event that ends a wait.
    private enum Wake: Sendable {
        case changed
        /// A time on the screen or a state changes.
        case due
        /// The session service ended.
        case ended
    }

    /// The wait for another agent after one has ended.
    private static let pause = Duration.seconds(1)

    private var countsDown: Bool { !asJSON && context.edges.streams.isAnswerTerminal }

    func run() async throws {
        var output = Output()
        while true {
            let service = try await context.service()
            try await follow(service, &output)
            try await context.edges.time.sleep(until: context.edges.time.bootTime + Self.pause)
        }
    }

    /// Prints the sessions of a service until the service ends.
    private func follow(_ service: any SessionService, _ output: inout Output) async throws {
        let (wakes, wake) = AsyncStream.makeStream(of: Wake.self)
        let watch = Task {
            for await event in await service.events() {
                switch event {
                case .sessionsChanged, .sealChanged: wake.yield(.changed)
                case .activity, .asked, .settled: break
                }
            }
            wake.yield(.ended)
        }
        var timer: Task<Void, Never>?
        defer {
            watch.cancel()
            timer?.cancel()
        }
        var sessions = try await known(to: service)
        try show(sessions, &output)
        timer = alarm(sessions, wake)
        for await event in wakes {
            timer?.cancel()
            switch event {
            case .ended: return
            case .due: break
            case .changed: sessions = try await known(to: service)
            }
            try show(sessions, &output)
            timer = alarm(sessions, wake)
        }
    }

    private func known(to service: any SessionService) async throws(AuthFailure) -> [SessionSummary] {
        let sessions = try await service.sessions()
        guard let name else { return sessions }
        // A session that was signed out may come back.
        return sessions.filter { $0.name == name || name.account == nil && $0.name.provider == name.provider }
    }

    private func alarm(_ sessions: [SessionSummary], _ wake: AsyncStream<Wake>.Continuation) -> Task<Void, Never>? {
        let now = context.now
        guard let wait = sessions.compactMap({ Self.nextChange(of: $0, at: now, countsDown: countsDown) }).min() else { return nil }
        let time = context.edges.time
        return Task {
            guard (try? await time.sleep(until: time.bootTime + wait)) != nil else { return }
            wake.yield(.due)
        }
    }

    /// Returns the time until a session's state changes, or the text of its time left; `nil` if that is never.
    static func nextChange(of session: SessionSummary, at now: Timestamp, countsDown: Bool) -> Duration? {
        guard let end = session.accessExpiresAt, end > now else { return nil }
        let left = (end - now).wholeMilliseconds
        // One instant later than the last moment of the old state or text.
        let expiring = left - SessionSummary.freshness.wholeMilliseconds + 1
        guard countsDown else { return .milliseconds(expiring > 0 ? expiring : left) }
        let unit: Int64 = left < 3_600_000 ? 1_000 : left < 86_400_000 ? 60_000 : 3_600_000
        return .milliseconds(min(left % unit + 1, left))
    }

    private func show(_ sessions: [SessionSummary], _ output: inout Output) throws {
        let list = context.sessionList(sessions, asJSON: asJSON)
        if countsDown {
            let lines = sessions.isEmpty ? ["not signed in"] : list.lines
            return try output.replace(lines, in: context.console, size: context.edges.streams.size())
        }
        let json = list.json.text
        guard json != output.last else { return }
        let isFirst = output.last == nil
        output.last = json
        if !isFirst, !asJSON { try context.console.lines([""]) }
        if sessions.isEmpty, !asJSON { return try context.console.lines(["not signed in"]) }
        try context.console.answer(list, asJSON: asJSON)
    }

    /// The last printed output.
    private struct Output {
        var last: String?
        private var lines: [String] = []

        /// Prints lines in place of the last ones. Each takes one row of the terminal, and all of them fit.
        mutating func replace(_ lines: [String], in console: Console, size: (columns: Int, rows: Int)?) throws(OutputError) {
            let size = size ?? (80, 24)
            var lines = lines.map { Self.cut(console.printable($0), to: max(1, size.columns - 1)) }
            let room = max(1, size.rows - 1)
            if lines.count > room { lines = Array(lines.prefix(room - 1)) + ["and \(lines.count - room + 1) more"] }
            guard lines != self.lines else { return }
            // A narrower terminal may have wrapped them.
            let rows = self.lines.reduce(0) { $0 + max(1, (SafeText.width(of: $1) + size.columns - 1) / max(1, size.columns)) }
            try console.replace(rows: min(rows, room), with: lines)
            self.lines = lines
        }

        private static func cut(_ line: String, to columns: Int) -> String {
            var width = 0
            return SafeText.glyphs(line).prefix { glyph in
                width += glyph.width
                return width <= columns
            }.map(\.text).joined()
        }
    }
}
