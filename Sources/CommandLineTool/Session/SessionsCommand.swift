internal import ArgumentParser
internal import AuthModel

/// `yett sessions`: prints the local sessions, or the user's tokens that the provider lists.
struct SessionsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Show the sessions here, or those that the provider lists for you.",
        discussion: """
            With --remote the provider is asked which of your tokens are alive, wherever they were issued; of each its last characters are \
            shown. yett revoke ends one of them. Few kinds of providers have such a list: yett help configuration says which.
            """)

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String?

    @Flag(help: "Ask the provider for its list.")
    var remote = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        guard remote else { return try await StatusCommand.show(name, asJSON: json, in: context) }
        let service = try await context.unlockedService()
        let target = try await service.only(name)
        let tokens = try await service.remoteTokens(of: target.name)
        try context.console.answer(RemoteTokenList(session: target.name, tokens: tokens), asJSON: json)
        if tokens.isEmpty, !json { context.console.note("\(target.name.provider) lists no token of yours") }
    }
}

/// `yett revoke`: revokes one of the tokens that the provider lists.
struct RevokeCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Have the provider end one of your tokens.",
        discussion: """
            The tokens and their names are in yett sessions SESSION --remote. Where it is the access token of the session that asks, that \
            session is over, and its refresh token is revoked as well; where it is the refresh token, the session ends with its access \
            token. yett logout ends the session that is here.
            """)

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Argument(help: "The provider's name for the token.")
    var token: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let service = try await context.unlockedService()
        let target = try await service.only(SessionName(argument: session))
        let after = try await service.revokeRemoteToken(token, of: target.name)
        try context.console.answer(context.sessionList([after], asJSON: json), asJSON: json)
        if after.recordedState != .revoked {
            guard target.isRenewable, !after.isRenewable else { return }
            context.console.warning("that was the refresh token of \(after.name): it cannot be renewed any more")
        } else {
            context.console.warning("that was the token of \(after.name), which is over by that")
        }
        context.console.hint("sign in again with: yett login \(after.name.shellWord)")
    }
}

/// The tokens that a provider lists, without their secret values.
private struct RemoteTokenList: Answer {
    let session: SessionName
    let tokens: [RemoteToken]

    var lines: [String] {
        guard !tokens.isEmpty else { return [] }
        var table = Table("TOKEN", "LAST", "KIND", "ISSUED", "EXPIRES", "SCOPES")
        for token in tokens {
            table.add([
                token.id, token.suffix.map { "…" + $0 } ?? "-", token.kind ?? "-", token.issuedAt?.description ?? "-",
                token.expiresAt?.description ?? "-", token.scopes.wire,
            ])
        }
        return table.lines
    }

    var json: JSONValue {
        .answer(
            ("session", .string(session.description)),
            (
                "tokens",
                .array(
                    tokens.map { token in
                        .members(
                            ("id", .string(token.id)), ("suffix", JSONValue(token.suffix)), ("kind", JSONValue(token.kind)),
                            ("scopes", JSONValue(token.scopes.values)), ("issued_at", JSONValue(token.issuedAt)),
                            ("expires_at", JSONValue(token.expiresAt)))
                    })
            ))
    }
}
