internal import ArgumentParser
internal import AuthModel

/// `yett helper git`: a credential helper for git (gitcredentials(7)).
struct GitHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Be a credential helper of git.",
        discussion: """
            git calls it with get, store, erase or capability, and asks on standard input. The session is the one whose api_hosts or \
            resource has git's host, unless one is named. A token that git says was refused is renewed when git asks again; nobody is \
            signed out.
            """)

    @Argument(
        help: ArgumentHelp(
            "PROVIDER or PROVIDER/ACCOUNT, where it is not to be found by the host; then what git wants.", valueName: "words"),
        completion: .names(.sessions))
    var words: [String] = []

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        guard !words.isEmpty else { throw ValidationError("git says what it wants as the last word: get, store, erase or capability") }
        guard words.count <= 2 else { throw ValidationError("there are too many words; git adds the last one itself") }
    }

    func run(in context: CommandContext) async throws {
        let session = words.count == 2 ? words[0] : nil
        switch words.last {
        case "get": try await get(session, in: context)
        case "erase": try await erase(session, in: context)
        case "capability": try context.console.lines(["version 0", "capability authtype"])
        // Yett stores sessions itself, so `store` does nothing. Helpers must ignore operations that they do not know (gitcredentials(7)).
        default: break
        }
    }

    private func get(_ name: String?, in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "git")
        let credential = try await GitCredential(lines: context.requestLines())
        guard let url = credential.url,
            let tool = try await ToolSession.reaching(url, named: name, user: credential.username, in: context)
        else { return }
        let grant = try await tool.token(for: "git", in: context)
        try context.console.secret(Secret(credential.answer(grant)))
    }

    /// Marks the token that the server refused, so that the next caller gets another one. Does not renew it now, because git waits for this
    /// command.
    private func erase(_ name: String?, in context: CommandContext) async throws {
        let credential = try await GitCredential(lines: context.requestLines())
        guard let url = credential.url, let password = credential.password,
            let tool = try await ToolSession.reaching(url, named: name, user: credential.username, in: context)
        else { return }
        do throws(AuthFailure) {
            _ = try await tool.service.token(
                TokenRequest(
                    session: tool.session.name, minimumValidity: .zero, mayRenew: false, caller: "yett helper git", refused: password))
        } catch {
            guard error.kind == .signInAgain else { throw error }
        }
    }
}
