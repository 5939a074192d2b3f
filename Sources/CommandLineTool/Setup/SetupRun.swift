internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// Sets up a tool or removes the setup: shows the change, asks once, makes it, and checks it as the tool does.
struct SetupRun {
    let setup: any ToolSetup
    let options: SetupOptions
    let context: CommandContext

    private var tool: SetupTool { setup.tool }

    func callAsFunction() async throws {
        try context.requireDefaultConfiguration()
        try await options.remove ? remove() : setUp()
    }

    // MARK: Setting up

    private func setUp() async throws {
        let provider = try await requireSession()
        let destination = try await setup.destination()
        if let url = destination, !url.isProtected {
            throw AuthFailure(
                .security, text: "\(tool.rawValue) would send the token to \(url.origin) without encryption",
                hint: "use https; http is for loopback addresses only")
        }
        var change = try await setup.change()
        if let url = destination, !TokenDestinations(provider: provider).includes(url) {
            let host = HostChange(.add, url.origin.authority, of: provider.name)
            change.steps.append(try SetupStep(host, in: try context.configurationFile()))
        }
        for note in change.notes { context.console.note(note) }
        try await confirm(change, "Let \(tool.rawValue) get tokens of \(setup.session?.description ?? "") for \(setup.targetName):")
        try await apply(change)
        let outcome: SetupResult.Outcome = change.steps.isEmpty ? .unchanged : .setUp
        var check: SetupCheck?
        var failure: AuthFailure?
        // The setup stays if there is no token now: a renewal may have failed for a while.
        do throws(AuthFailure) { check = try await setup.check() } catch { failure = error }
        try context.answer(SetupResult(setup: setup, outcome: outcome, check: check, now: context.now), asJSON: options.json)
        if let failure { throw failure }
        if let hint = setup.hint { context.console.hint(hint) }
    }

    /// Returns the provider of the session. Throws if there is no such session, or if the store stays locked.
    private func requireSession() async throws -> ProviderConfiguration {
        guard let name = setup.session else { throw AuthFailure(.usage, text: "no session given", hint: "list them with: yett status") }
        return try await ToolSession.named(name.description, in: context).provider
    }

    // MARK: Removing

    private func remove() async throws {
        let entries = try await tool.current(in: setup.environment)
        let entry = entries.first {
            $0.target == setup.target && (setup.session == nil || $0.session == nil || $0.session == setup.session)
        }
        if entry == nil, let other = entries.first(where: { $0.target == setup.target }), let session = other.session {
            let wanted = setup.session?.description ?? ""
            throw AuthFailure(
                .usage, text: "\(tool.rawValue) gets tokens of \(session) for \(tool.named(setup.target)), not of \(wanted)",
                hint: "leave out the session, or name that one")
        }
        var change = try await setup.undo()
        if let entry, !change.steps.isEmpty, let step = try await hostRemoval(of: entry) { change.steps.append(step) }
        try await confirm(change, "Remove the setup of \(tool.rawValue) for \(setup.targetName):")
        try await apply(change)
        let outcome: SetupResult.Outcome = change.steps.isEmpty ? .notSetUp : .removed
        try context.answer(SetupResult(setup: setup, outcome: outcome, check: nil, now: context.now), asJSON: options.json)
    }

    /// Returns the step that removes the host of an entry from `api_hosts`; `nil` if no setup added it, or if another setup needs it.
    private func hostRemoval(of entry: SetupEntry) async throws -> SetupStep? {
        let file = try context.configurationFile()
        guard let origin = entry.destination?.origin, let provider = try file.read().owner(of: entry),
            let host = file.ownHosts(of: provider.name).first(where: origin.isNamed)
        else { return nil }
        for tool in SetupTool.allCases {
            // A configuration that cannot be read may need the host.
            guard let others = try? await tool.current(in: setup.environment) else { return nil }
            let isNeeded = others.contains { $0 != entry && $0.destination?.origin == origin }
            if isNeeded { return nil }
        }
        let change = HostChange(.remove, host, of: provider.name)
        guard try SetupHosts(context).contains(change) else {
            context.console.note("\(host) stays in api_hosts of \(provider.name), because yett setup did not add it")
            return nil
        }
        return try SetupStep(change, in: file)
    }

    // MARK: Applying

    private func apply(_ change: SetupChange) async throws(AuthFailure) {
        try await setup.apply(change)
        for case .hosts(let host, _) in change.steps.flatMap(\.actions) {
            do throws(AuthFailure) { try SetupHosts(context).note(host) } catch {
                context.console.warning("\(host.host) will stay in api_hosts after --remove: \(error.summary)")
            }
        }
    }

    /// Shows a change and asks whether to make it. Does nothing for an empty one.
    private func confirm(_ change: SetupChange, _ title: String) async throws(AuthFailure) {
        guard !change.steps.isEmpty else { return }
        try await context.confirm(change.lines, title, isConfirmed: options.yes)
    }
}

extension CommandContext {
    /// Throws if `--config` is given: the tools call yett without this option.
    func requireDefaultConfiguration() throws(AuthFailure) {
        guard options.configuration == nil else {
            throw AuthFailure(
                .usage, text: "--config does not apply to setup: tools use the default configuration",
                hint: "set YETT_CONFIG for yett and for the tools")
        }
    }

    /// Prints a change; on a terminal, the lines that go away and those that are new have a colour each.
    private func show(_ lines: [String]) {
        guard let display = diagnosticsDisplay else {
            for line in lines { console.note("  " + line) }
            return
        }
        for line in lines {
            let role: Role = line.hasPrefix("  - ") ? .danger : line.hasPrefix("  + ") ? .success : line.hasPrefix("  $ ") ? .key : .title
            console.note(StyledText("  " + line, role), on: display)
        }
    }

    /// Shows a change, and asks whether to make it unless the user has confirmed it. Throws `.usage` without a terminal to ask at, and
    /// `.cancelled` for a no.
    func confirm(_ lines: [String], _ title: String, isConfirmed: Bool) async throws(AuthFailure) {
        console.note(title)
        show(lines)
        guard !isConfirmed else { return }
        guard canAsk else {
            throw AuthFailure(.usage, text: "the change needs your consent; nothing was changed", hint: "if it is right, add: --yes")
        }
        guard await agrees(to: "Make this change?") else { throw AuthFailure(.cancelled, text: "nothing was changed") }
    }
}

/// The change of one file.
struct SetupStep: Sendable {
    /// One part of a step.
    enum Action: Sendable {
        /// Runs a command of the tool.
        case run([String])
        case write(FileEdit)
        /// Removes a file that the commands before have left empty.
        case removeIfEmpty(String)
        case hosts(HostChange, ConfigurationFile)
    }

    /// The file as it is shown.
    let shownFile: String
    /// The paths of the files that may change.
    let files: [String]
    let actions: [Action]
    /// The lines that go away.
    var before: [String] = []
    /// The lines that are new.
    var after: [String] = []

    /// Whether the step runs commands of the tool.
    var runsCommands: Bool { actions.contains { if case .run = $0 { true } else { false } } }

    init(shownFile: String, files: [String], actions: [Action], before: [String] = [], after: [String] = []) {
        (self.shownFile, self.files, self.actions) = (shownFile, files, actions)
        (self.before, self.after) = (before, after)
    }

    /// Creates the step of an edit, with the lines that differ. Lines with secrets must be given instead.
    init(_ edit: FileEdit, showing lines: LineDifference? = nil) {
        let before = edit.before.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = lines ?? LineDifference(from: before, to: edit.isRemoval ? "" : edit.after)
        self.init(shownFile: edit.path, files: [edit.path], actions: [.write(edit)], before: lines.before, after: lines.after)
    }

    /// Creates the step of a change of `api_hosts`.
    init(_ change: HostChange, in file: ConfigurationFile) throws(AuthFailure) {
        let text = try file.preview(change)
        let lines = LineDifference(from: text.before, to: text.after)
        self.init(
            shownFile: "\(file.path), [providers.\(change.provider)]", files: [file.path], actions: [.hosts(change, file)],
            before: lines.before, after: lines.after)
    }
}

/// The outcome of `yett setup TOOL`.
struct SetupResult: Answer {
    enum Outcome: String {
        case setUp = "set up"
        case unchanged = "already set up"
        case removed
        case notSetUp = "not set up"
    }

    let setup: any ToolSetup
    let outcome: Outcome
    let check: SetupCheck?
    let now: Timestamp

    var lines: [String] {
        let (tool, target) = (setup.tool, setup.targetName)
        let tokens = "\(tool.rawValue) gets tokens of \(setup.session?.description ?? "") for \(target)"
        let line =
            switch outcome {
            case .setUp: "set up: \(tokens)"
            case .unchanged: "already set up: \(tokens); nothing was changed"
            case .removed: "removed: \(tool.rawValue) gets no tokens for \(target)"
            case .notSetUp: "not set up: \(tool.rawValue) gets no tokens for \(target); nothing was changed"
            }
        return [line] + (check.map { ["checked: \($0.command) returned \($0.found)" + ending] } ?? [])
    }

    func rows(on display: Display) -> [StyledText] {
        let mark = outcome == .notSetUp ? display.neutral : display.good
        let first = display.marked(mark, lines[0])
        guard lines.count > 1 else { return first }
        let hasEnded = check?.expiresAt.map { $0 <= now } ?? false
        return first + display.marked(hasEnded ? display.warning : display.good, lines[1])
    }

    private var ending: String {
        guard let end = check?.expiresAt else { return "" }
        return end > now ? ", valid for \((end - now).formatted)" : ", which has ended"
    }

    var json: JSONValue {
        .answer(
            ("tool", .string(setup.tool.rawValue)), ("target", .string(setup.target)),
            ("session", JSONValue(setup.session?.description)),
            ("result", .string(outcome.rawValue.replacing(" ", with: "_"))), ("checked", .bool(check != nil)),
            ("expires_at", JSONValue(check?.expiresAt)))
    }
}
