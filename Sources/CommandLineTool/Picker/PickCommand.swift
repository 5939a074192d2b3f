internal import ArgumentParser
internal import AuthModel
internal import CursesBackend
internal import TerminalApp
internal import TerminalUI

/// `yett pick`: lets the user choose a session, or a role of one, from a short list below the prompt.
struct PickCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose a session from a list below the prompt.",
        discussion: """
            Type letters of the name to narrow the list. Up and Down, or Ctrl-P and Ctrl-N, move; Enter chooses; Esc or Ctrl-C \
            cancels, with exit status 3. Ctrl-Y copies the session's token through the terminal (OSC 52), never prints it, and clears \
            the clipboard after 45 seconds or when you press a key; Ctrl-E prints a line that exports a fresh token as ACCESS_TOKEN in a \
            shell; Ctrl-O opens the session in the app. The list is drawn on the terminal, not on standard output, and erased afterwards. \
            The chosen session becomes its provider's default account, as with yett switch; with --print, nothing is changed. For a key \
            of your shell, see: yett help shell-keys.

            With --aws, the list has the accounts and roles of AWS IAM Identity Center, those that you used of late first, with a star. \
            Enter prints the chosen one as ACCOUNT/ROLE; Ctrl-E prints a line that runs a command as that role; Ctrl-O opens the AWS \
            console; Ctrl-R lists the roles again, because the list is kept for a day.
            """)
    static let examples: KeyValuePairs = [
        "yett pick": "Chooses a default account.",
        "yett pick --print": "Prints the name of the chosen session, for $(…) in a command line.",
        "eval \"$(yett pick)\"": "With Ctrl-E, sets ACCESS_TOKEN in this shell.",
        "yett console aws \"$(yett pick --aws)\"": "Chooses a role, and opens the AWS console with it.",
    ]

    @Flag(name: .customLong("print"), help: "Print the session's name, and change nothing.")
    var prints = false

    @Flag(help: "Choose an AWS account and role, and print it as ACCOUNT/ROLE.")
    var aws = false

    @Argument(help: "With --aws, the session. Default: the only one of AWS.", completion: .names(.sessions))
    var session: String?

    func validate() throws {
        guard aws || session == nil else { throw ValidationError("a session belongs to --aws; without it, choose the session in the list") }
    }

    func run(in context: CommandContext) async throws {
        if aws { return try await chooseRole(in: context) }
        let service = try await context.service()
        let sessions = try await service.sessions()
        guard !sessions.isEmpty else {
            throw AuthFailure(.notSignedIn, text: "there is no session to choose", hint: "sign in with: yett login")
        }
        let defaults = try await service.providers().reduce(into: [:]) { $0[$1.name] = $1.defaultAccount }
        let rows = sessions.map { session in
            SessionPicker.Row(
                session: session, isDefault: session.name.account != nil && defaults[session.name.provider] == session.name.account)
        }
        switch try await choose(SessionPicker(rows, prints: prints, opensApp: context.canRunApp), in: context) {
        case .cancelled: throw CancellationError()
        case .copied(let name): try await copyToken(of: name, in: context)
        // A command instead of the token, because the line stays in the scrollback.
        case .exported(let name): try context.console.lines(["export ACCESS_TOKEN=\"$(yett token \(name.shellWord))\""])
        case .opened(let name): try await AppStart.run(in: context, opening: name)
        case .chosen(let name) where prints: try context.console.lines([name.description])
        case .chosen(let name): try await makeDefault(name, in: context)
        case .chosenRole, .exportedRole, .openedRole, .reloadedRoles: throw AuthFailure(.bug, text: "a role was chosen among sessions")
        }
    }

    private func chooseRole(in context: CommandContext) async throws {
        let roles = try await RoleSession.named(try session ?? RoleSession.onlyProvider(in: context), for: "yett pick", in: context)
        let name = roles.tool.session.name
        // The activity only sorts the list.
        let activity = (try? await roles.tool.service.activity(ListActivity.maximum)) ?? []
        func outcome(isFresh: Bool) async throws -> SessionPicker.Outcome {
            let rows = activity.recentFirst(try await roles.roles(isFresh: isFresh), of: name).map { role, isRecent in
                SessionPicker.Row(session: roles.tool.session, isDefault: isRecent, role: role)
            }
            guard !rows.isEmpty else {
                throw AuthFailure(.denied(code: nil), text: "\(name) has no role in any account", hint: "ask your administrator for access")
            }
            return try await choose(SessionPicker(rows), in: context)
        }
        var choice = try await outcome(isFresh: false)
        while choice == .reloadedRoles { choice = try await outcome(isFresh: true) }
        switch choice {
        case .chosenRole(let role): try context.console.lines([role.text])
        case .exportedRole(let role):
            try context.console.lines([["yett", "exec", name.description, "--aws", role.text].shellLine + " -- "])
        case .openedRole(let role): try await ConsoleCommand.open(role, of: roles, in: context)
        default: throw CancellationError()
        }
    }

    private func makeDefault(_ name: SessionName, in context: CommandContext) async throws {
        try await context.unlockedService().makeDefault(name.account, at: name.provider)
        context.console.done(
            name.account == nil ? "\(name) is the session of \(name.provider)" : "\(name) is now the default account of \(name.provider)")
    }

    private func choose(_ picker: SessionPicker, in context: CommandContext) async throws -> SessionPicker.Outcome {
        guard !context.options.isPlain, !context.supportsLinesOnly, let terminal = context.edges.keyTerminal() else {
            throw AuthFailure(
                .usage, text: "yett pick needs a terminal", hint: "without a terminal, name the session; list sessions with: yett status")
        }
        let start = await start(at: terminal, in: context)
        terminal.write(start.opening(columns: terminal.size().columns))
        defer {
            terminal.write(SessionPicker.erasure)
            // A message after the list needs the empty line.
            if !context.edges.streams.isAnswerTerminal, !context.edges.streams.isDiagnosticsTerminal { terminal.write(start.returning) }
            terminal.close()
        }
        let paint = context.paint
        var picker = picker
        var reader = TypedKeyReader()
        for key in reader.keys(in: start.typed) { if let outcome = picker.press(key) { return outcome } }
        while true {
            let size = terminal.size()
            let now = context.now
            terminal.write(
                picker.drawing(columns: size.columns, rows: size.rows, at: now, showsUnicode: context.console.showsUnicode, paint: paint)
                    .bytes)
            switch await terminal.next(picker.untilChange(columns: size.columns, rows: size.rows, at: now)) {
            case .ended: return .cancelled
            case .redraw, .late: break
            case .typed(let bytes):
                for key in reader.keys(in: bytes) { if let outcome = picker.press(key) { return outcome } }
            }
        }
    }

    /// Asks where the cursor is. Keys typed meanwhile are kept.
    private func start(at terminal: KeyTerminal, in context: CommandContext) async -> PickerStart {
        var start = PickerStart()
        terminal.write(PickerStart.question)
        let deadline = context.edges.time.bootTime + PickerStart.timeLimit
        while start.column == nil {
            let left = deadline - context.edges.time.bootTime
            guard left > .zero, case .typed(let bytes) = await terminal.next(left) else { break }
            start.add(bytes)
        }
        return start
    }

    /// Copies a fresh token through the terminal. The list is closed by then, so that consent can be asked for.
    private func copyToken(of name: SessionName, in context: CommandContext) async throws {
        let service = try await context.unlockedService()
        var prompt = ConsentPrompt(context: context)
        let issued = try await prompt.token(TokenRequest(session: name, caller: .verbatim("yett pick")), from: service)
        try issued.requireUnbound()
        guard let terminal = context.edges.keyTerminal() else {
            throw AuthFailure(.usage, text: "the terminal is gone", hint: "use: yett token \(name.shellWord)")
        }
        defer { terminal.close() }
        var bytes = issued.token.withBytes { Array($0) }
        let isCopied = await Clipboard.hold(&bytes, write: terminal.write) {
            let text = SafeText.line("copied the token of \(name); press any key to clear it").prefix(max(terminal.size().columns - 1, 0))
            // In the row below, which may have to be scrolled in; then the cursor returns.
            terminal.write(Array("\u{1B}D\u{1B}[A\u{1B}7\u{1B}[B\r\(text)".utf8))
            await Self.waitForKey(at: terminal, in: context)
            terminal.write(Array("\r\u{1B}[K\u{1B}8".utf8))
        }
        guard isCopied else {
            throw AuthFailure(
                .usage, text: "the token of \(name) is too long for the clipboard", hint: "use: yett token \(name.shellWord)")
        }
        context.console.done("copied the token of \(name), and cleared the clipboard")
    }

    /// Waits for a key, the end of the command, or the time that a token may be on the clipboard.
    private static func waitForKey(at terminal: KeyTerminal, in context: CommandContext) async {
        let deadline = context.edges.time.bootTime + CopyOutcome.timeOnClipboard
        while true {
            let left = deadline - context.edges.time.bootTime
            guard left > .zero, case .redraw = await terminal.next(left) else { return }
        }
    }
}

/// Finds out where the cursor is when the picker opens, so that the list keeps the text before the cursor.
struct PickerStart: Sendable {
    /// Asks the terminal for the position of the cursor (DSR 6).
    static let question = Array("\u{1B}[6n".utf8)
    /// The time limit for the answer. A later answer is ignored like an unknown key.
    static let timeLimit = Duration.milliseconds(300)

    /// The keys that were typed before the answer, or around it.
    private(set) var typed: [UInt8] = []
    /// The column of the cursor, from 1; `nil` before the answer.
    private(set) var column: Int?

    /// Adds bytes of the terminal.
    mutating func add(_ bytes: [UInt8]) {
        typed += bytes
        guard column == nil else { return }
        for start in typed.indices where typed[start...].starts(with: [0x1B, UInt8(ascii: "[")]) {
            let body = typed[(start + 2)...].prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
            guard body.endIndex < typed.endIndex, typed[body.endIndex] == UInt8(ascii: "R") else { continue }
            let numbers = body.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 2, let last = numbers[1], last > 0 else { continue }
            column = last
            typed.removeSubrange(start...body.endIndex)
            return
        }
    }

    /// Returns the bytes that move the cursor to an empty line.
    ///
    /// Without an answer, a row of spaces does: it wraps unless the cursor is in the first column.
    func opening(columns: Int) -> [UInt8] {
        guard let column else { return Array((String(repeating: " ", count: columns) + "\r").utf8) }
        return column > 1 ? Array("\r\n".utf8) : []
    }

    /// The bytes that move the cursor back to the text before the list, so that a shell finds it where it was.
    var returning: [UInt8] {
        guard let column, column > 1 else { return [] }
        return Array("\u{1B}[A\u{1B}[\(column - 1)C".utf8)
    }
}
