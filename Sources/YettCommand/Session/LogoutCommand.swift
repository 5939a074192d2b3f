internal import ArgumentParser
internal import AuthModel

/// `yett logout`: ends sessions and says what was done.
struct LogoutCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out: revoke the tokens at the provider and forget them here.",
        discussion: "The session is gone here whatever the provider answers. Where the provider could not be told, the exit status is 7.")

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT; may be left out where there is only one session.",
        completion: .shellCommand(CompleteCommand.line(.sessions)))
    var sessions: [String] = []

    @Flag(help: "End every session.")
    var all = false

    @Flag(help: "Forget here only; the provider is not told.")
    var local = false

    @Flag(help: "End the session in the browser at the provider as well.")
    var browser = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if all, !sessions.isEmpty { throw ValidationError("name sessions or say --all, not both") }
        if local, browser { throw ValidationError("--local and --browser exclude each other") }
    }

    private var mode: SignOutMode { local ? .localOnly : browser ? .endBrowserSession : .revoke }

    func run(in context: CommandContext) async throws {
        // Forgetting needs no key, so a lost passphrase cannot keep a session alive here.
        let keeper = local ? try await context.keeper() : try await context.unlockedKeeper()
        let known = try await keeper.sessions().sorted { $0.name < $1.name }
        let targets = try targets(among: known)
        var receipts: [SignOutReceipt] = []
        for target in targets {
            let receipt = try await keeper.signOut(target.name, mode: mode)
            receipts.append(receipt)
            if let url = receipt.browserURL { await open(url, of: target.name.provider, in: context) }
        }
        try context.console.answer(ReceiptList(receipts: receipts), asJSON: json)
        guard receipts.allSatisfy(\.isComplete) else {
            context.console.warning("a token may live on at the provider until it ends; its revocation is tried again later")
            throw ExitStatus(code: AuthFailure(.unavailable(retryAfter: nil), "").exitCode)
        }
    }

    private func targets(among known: [SessionSummary]) throws(AuthFailure) -> [SessionSummary] {
        if all { return known }
        guard !sessions.isEmpty else { return [try known.only()] }
        var targets: [SessionSummary] = []
        for text in sessions {
            let target = try known.only(SessionName(argument: text))
            if !targets.contains(target) { targets.append(target) }
        }
        return targets
    }

    private func open(_ url: WebURL, of provider: ProviderName, in context: CommandContext) async {
        let settings = try? context.configurationFile().read().provider(provider)
        context.console.note("ending the session in your browser:")
        context.console.note("  " + url.text)
        let launch = await context.edges.openBrowser(
            BrowserWish(url: url, command: settings?.browser, isPrivate: settings?.isPrivate ?? false))
        launch.explain(to: context.console)
    }
}
