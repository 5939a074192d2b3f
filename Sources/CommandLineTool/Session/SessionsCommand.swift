internal import ArgumentParser
internal import AuthModel
internal import TerminalApp
internal import TerminalUI

/// `yett sessions`: prints the local sessions, or the user's tokens that the provider lists.
struct SessionsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List your sessions, or your tokens at the provider.",
        discussion: """
            On a terminal, shows when you signed in, and when a program last used each session; yett status shows the time left. \
            With --remote, asks the provider which of your tokens are valid, wherever they were issued, and shows the last characters \
            of each. Revoke one with yett revoke. Few kinds of providers have such a list; see yett help configuration.
            """)
    static let examples: KeyValuePairs = [
        "yett sessions work --remote": "Lists your tokens at the provider, if it supports that."
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String?

    @Flag(help: "List your tokens at the provider.")
    var remote = false

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        guard remote else { return try await StatusCommand.show(name, asJSON: json, showsUse: true, in: context) }
        let service = try await context.unlockedService()
        let target = try await service.only(name)
        let tokens = try await service.remoteTokens(of: target.name)
        try context.answer(RemoteTokenReport(session: target.name, tokens: tokens), asJSON: json)
        if tokens.isEmpty, !json { context.console.note("\(target.name.provider) lists no tokens for you") }
    }
}

/// The sessions with their use on a terminal. Elsewhere, they are the same list as in `yett status`.
struct SessionUses: Answer {
    let list: SessionList

    var lines: [String] { list.lines }
    var json: JSONValue { list.json }

    func rows(on display: Display) -> [StyledText] {
        var table = TextTable("", "SESSION", "STATE", "SIGNED IN", "LAST USED", "BY")
        table.dispensable = [5, 3]
        for session in list.sessions {
            let state = session.shownState(at: list.now)
            table.add([
                display.mark(of: state), StyledText(session.name.description, .title),
                StyledText(Words.state(state), Words.role(state)), StyledText(Words.relative(session.grantedAt, to: list.now)),
                StyledText(session.lastUsedAt.map { Words.relative($0, to: list.now) } ?? "never"),
                StyledText(session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? "", .muted),
            ])
        }
        return table.rows(on: display)
    }
}

/// `yett revoke`: revokes one of the tokens that the provider lists.
struct RevokeCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke one of your tokens at the provider.",
        discussion: """
            yett sessions SESSION --remote lists the tokens and their identifiers. Revoking the session's own access token ends the \
            session and revokes its refresh token too. Revoking its refresh token ends the session when its access token expires. To \
            end the session here, use yett logout. If an identifier begins with a dash, write -- before it.
            """)
    static let examples: KeyValuePairs = [
        "yett sessions work --remote": "Lists the identifiers of your tokens.",
        "yett revoke work 1f0c2b": "Revokes the token with this identifier.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Argument(help: "The token's identifier at the provider.")
    var token: String

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let service = try await context.unlockedService()
        let target = try await service.only(SessionName(argument: session))
        let after = try await service.revokeRemoteToken(token, of: target.name)
        try context.answer(context.sessionList([after], asJSON: json), asJSON: json)
        if after.recordedState != .revoked {
            guard target.isRenewable, !after.isRenewable else { return }
            context.console.warning("that was the refresh token of \(after.name), which can no longer be renewed")
        } else {
            context.console.warning("that was the token of \(after.name), which has now ended")
        }
        context.console.hint("sign in again with: yett login \(after.name.shellWord)")
    }
}

/// The tokens that a provider lists, without their secret values.
private struct RemoteTokenReport: TableAnswer {
    let session: SessionName
    let tokens: [RemoteToken]

    var table: TextTable {
        var table = TextTable("TOKEN", "LAST", "KIND", "ISSUED", "EXPIRES", "SCOPES")
        for token in tokens {
            table.add([
                token.id, token.suffix.map { "…" + $0 } ?? "-", token.kind ?? "-", token.issuedAt?.inLocalTime ?? "-",
                token.expiresAt?.inLocalTime ?? "-", token.scopes.wire,
            ])
        }
        return table
    }

    var json: JSONValue {
        .answer(("session", .string(session.description)), list: "tokens", of: tokens) { token in
            .members(
                ("id", .string(token.id)), ("suffix", JSONValue(token.suffix)), ("kind", JSONValue(token.kind)),
                ("scopes", JSONValue(token.scopes.values)), ("issued_at", JSONValue(token.issuedAt)),
                ("expires_at", JSONValue(token.expiresAt)))
        }
    }
}
