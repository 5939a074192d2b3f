internal import ArgumentParser
internal import AuthModel
internal import Localization

/// `yett renew`: renews a session's tokens now, even if they are still valid.
struct RenewCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "renew", abstract: "Renew a session's tokens now.")
    static let examples: KeyValuePairs = [
        "yett renew work": "Renews one session now.",
        "yett renew --all": "Renews every session that can be renewed.",
    ]

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String?

    @Flag(help: "Renew every session that can be renewed.")
    var all = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if all, session != nil { throw ValidationError("give a session or --all, not both") }
    }

    func run(in context: CommandContext) async throws {
        let service = try await context.unlockedService()
        guard all else {
            let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
            let session = try await service.only(name)
            let renewed = try await service.renew(session.name)
            return try context.answer(context.sessionList([renewed], asJSON: json), asJSON: json)
        }
        try await renewAll(service.sessions().filter(\.isRenewable), with: service, in: context)
    }

    /// Renews the sessions one after the other. Continues after a failure; the first failure determines the exit status.
    private func renewAll(_ sessions: [SessionSummary], with service: any SessionService, in context: CommandContext) async throws {
        var renewed: [SessionSummary] = []
        var first: AuthFailure?
        for session in sessions {
            try Task.checkCancellation()
            do throws(AuthFailure) {
                renewed.append(try await service.renew(session.name))
            } catch {
                context.console.failure(AuthFailure(error.kind, text: "\(session.name): \(error.summary)", hint: error.hintText))
                first = first ?? error
            }
        }
        try context.answer(context.sessionList(renewed, asJSON: json), asJSON: json)
        if let first { throw ExitStatus(code: first.exitCode) }
    }
}
