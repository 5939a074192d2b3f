internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett helper git`: a credential helper for git (gitcredentials(7)).
struct GitHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Act as a credential helper of git.",
        discussion: """
            git calls it with get, store, erase or capability, and sends its request on standard input. Unless you give a session, it \
            uses the one whose api_hosts or resource has git's host. If git reports that a token was refused, it is renewed at git's \
            next request; you stay signed in.
            """)
    static let examples: KeyValuePairs = [
        "git config --global credential.https://git.example.org.helper '!yett helper git'":
            "Lets git get its tokens from Yett.",
        "printf 'protocol=https\\nhost=git.example.org\\n\\n' | yett helper git get": "Shows what git gets.",
    ]

    @Argument(
        help: ArgumentHelp(
            "PROVIDER or PROVIDER/ACCOUNT (default: by the host), then git's operation.", valueName: "words"),
        completion: .names(.sessions))
    var words: [String] = []

    @OptionGroup var options: GlobalOptionsHelp

    var runsInAgent: Bool { words.last == "get" }

    func validate() throws {
        guard !words.isEmpty else { throw ValidationError("the last argument must be git's operation: get, store, erase or capability") }
        guard words.count <= 2 else { throw ValidationError("too many arguments; git adds the last one itself") }
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
        guard let url = credential.url else { return }
        let signIn = OnDemandSignIn(context)
        guard var tool = try await ToolSession.reaching(url, named: name, user: credential.username, signIn: signIn, in: context) else {
            return explainRefusal(of: url.origin, in: context)
        }
        tool.destination = credential.destination
        let issued = try await tool.token(for: "git", in: context)
        try context.console.secret(Secret(credential.answer(issued)))
    }

    /// Says why git gets no token. git asks the next helper then, or the user, and would not say that Yett was asked.
    private func explainRefusal(of origin: Origin, in context: CommandContext) {
        let path = (try? context.configurationFile().path) ?? "the configuration"
        context.console.warning("no session's tokens may be sent to \(origin.authority)")
        context.console.hint("add it to the provider in \(path): api_hosts = [\"\(origin.authority)\"]; see: yett help tools")
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
                    session: tool.session.name, minimumValidity: .zero, mayRenew: false, caller: .verbatim("yett helper git"),
                    refused: password))
        } catch {
            guard error.kind == .signInAgain else { throw error }
        }
    }
}
