internal import ArgumentParser
internal import AuthModel

/// `yett pick`: lets the user choose a session from a short list below the prompt.
struct PickCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose a session from a list below the prompt.",
        discussion: """
            Type letters of the name to narrow the list. Up and Down, or Ctrl-P and Ctrl-N, move; Enter chooses; Esc or Ctrl-C \
            cancels, with exit status 3. The list is drawn on the terminal, not on standard output, and erased afterwards. The chosen \
            session becomes its provider's default account, as with yett switch; with --print, nothing is changed. For a key of your \
            shell, see: yett help shell-keys.
            """)
    static let examples: KeyValuePairs = [
        "yett pick": "Chooses a default account.",
        "yett pick --print": "Prints the name of the chosen session, for $(…) in a command line.",
    ]

    @Flag(name: .customLong("print"), help: "Print the session's name, and change nothing.")
    var prints = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let service = try await context.service()
        let sessions = try await service.sessions()
        guard !sessions.isEmpty else {
            throw AuthFailure(.notSignedIn, text: "there is no session to choose", hint: "sign in with: yett login")
        }
        let defaults = try await service.providers().reduce(into: [:]) { $0[$1.name] = $1.activeAccount }
        let rows = sessions.map { session in
            SessionPicker.Row(
                session: session, isDefault: session.name.account != nil && defaults[session.name.provider] == session.name.account)
        }
        guard case .chosen(let name) = try await choose(SessionPicker(rows), in: context) else { throw CancellationError() }
        if prints { return try context.console.lines([name.description]) }
        try await context.unlockedService().activate(name.account, at: name.provider)
        context.console.note(
            name.account == nil ? "\(name) is the session of \(name.provider)" : "\(name) is now the default account of \(name.provider)")
    }

    private func choose(_ picker: SessionPicker, in context: CommandContext) async throws -> SessionPicker.Outcome {
        guard !context.options.isPlain, !context.supportsLinesOnly, let terminal = context.edges.keyTerminal() else {
            throw AuthFailure(
                .usage, text: "yett pick needs a terminal", hint: "without a terminal, name the session; list sessions with: yett status")
        }
        defer {
            terminal.write(SessionPicker.erasure)
            terminal.close()
        }
        var picker = picker
        var reader = PickerKeyReader()
        while true {
            let size = terminal.size()
            terminal.write(
                picker.drawing(columns: size.columns, rows: size.rows, at: context.now, showsUnicode: context.console.showsUnicode).bytes)
            switch await terminal.next() {
            case .ended: return .cancelled
            case .redraw: break
            case .typed(let bytes):
                for key in reader.keys(in: bytes) { if let outcome = picker.press(key) { return outcome } }
            }
        }
    }
}
