internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalUI

/// `yett renew`: renews a session's tokens now, even if they are still valid.
struct RenewCommand: Subcommand {
    static let configuration = CommandConfiguration(commandName: "renew", abstract: "Renew a session's tokens now.")
    static let examples: KeyValuePairs = [
        "yett renew work": "Renews one session now.",
        "yett renew --all": "Renews every session that can be renewed.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
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
            return try context.answer(RenewalReport(list: context.sessionList([renewed], asJSON: json)), asJSON: json)
        }
        try await renewAll(service.sessions().filter(\.isRenewable), with: service, in: context)
    }

    /// Renews the sessions one after the other. Continues after a failure; the first failure determines the exit status.
    private func renewAll(_ sessions: [SessionSummary], with service: any SessionService, in context: CommandContext) async throws {
        let hasRows = !json && context.display != nil
        var renewed: [SessionSummary] = []
        var failures: [AuthFailure] = []
        let progress = context.diagnosticsDisplay
        for (index, session) in sessions.enumerated() {
            try Task.checkCancellation()
            if let progress {
                let line = StyledText("renewing \(index + 1) of \(sessions.count)  ", .muted) + StyledText(session.name.description, .title)
                context.console.rewrite(line.cut(to: progress.columns - 1, progress.glyphs), on: progress)
            }
            let result: Result<SessionSummary, AuthFailure>
            do throws(AuthFailure) { result = .success(try await service.renew(session.name)) } catch { result = .failure(error) }
            if let progress { context.console.rewrite("", on: progress) }
            switch result {
            case .success(let session): renewed.append(session)
            case .failure(let error):
                failures.append(AuthFailure(error.kind, text: "\(session.name): \(error.summary)", hint: error.hintText))
                // On a terminal, the rows say it.
                if !hasRows, let failure = failures.last { context.console.failure(failure) }
            }
        }
        let list = context.sessionList(renewed, asJSON: json)
        try context.answer(RenewalReport(list: list, failures: failures), asJSON: json)
        if sessions.isEmpty, hasRows { context.console.note("no session can be renewed", hint: "list sessions with: yett status") }
        if let first = failures.first { throw ExitStatus(code: first.exitCode) }
    }
}

/// The output of `yett renew`: the renewed sessions, and on a terminal the failures before them.
private struct RenewalReport: Answer {
    let list: SessionList
    var failures: [AuthFailure] = []

    var lines: [String] { list.lines }
    var json: JSONValue { list.json }

    func rows(on display: Display) -> [StyledText] {
        let width = 2 + (list.sessions.map { SafeText.width(of: $0.name.description) }.max() ?? 0)
        return failures.flatMap { display.marked(display.bad, $0.summary, .danger, hint: $0.hintText) }
            + list.sessions.map { session in
                let time = session.accessExpiresAt.map { ", \(($0 - list.now).formatted) left" } ?? ""
                let name = StyledText(session.name.description, .title).padded(to: width)
                let row = display.good + StyledText(" ") + name + StyledText("renewed") + StyledText(time, .muted)
                return row.cut(to: display.columns, display.glyphs)
            }
    }
}
