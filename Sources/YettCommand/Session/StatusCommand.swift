internal import ArgumentParser
internal import AuthModel

/// `yett status`: who is signed in where, and for how long. Reads no network and no secret.
struct StatusCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show who is signed in where, and for how long.")
    static let handlesInterruptions = false

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT; all sessions where it is left out.", completion: .shellCommand(CompleteCommand.line(.sessions))
    )
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        try await Self.show(name, asJSON: json, in: context)
    }

    static func show(_ name: SessionName?, asJSON: Bool, in context: CommandContext) async throws {
        let keeper = try await context.keeper()
        var sessions = try await keeper.sessions()
        if let name { sessions = try sessions.named(name) }
        var identities: [SessionName: Identity] = [:]
        // Who somebody is lies under the seal: it is told where one session is asked for and the store is open.
        if name != nil, asJSON, await keeper.seal() == .unlocked {
            for session in sessions { identities[session.name] = try? await keeper.session(session.name).identity }
        }
        try context.console.answer(SessionList(sessions: sessions, now: context.now, identities: identities), asJSON: asJSON)
        if sessions.isEmpty, !asJSON {
            context.console.note("nobody is signed in")
            context.console.hint("sign in with: yett login")
        }
    }
}
