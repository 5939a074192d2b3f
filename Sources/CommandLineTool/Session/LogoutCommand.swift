internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// `yett logout`: ends sessions and prints the steps taken.
struct LogoutCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out: revoke the tokens at the provider and forget them here.",
        discussion: """
            The session is always forgotten here, even if the provider refuses. If the provider could not be reached, the exit status \
            is 7. --with-publisher also ends the publisher's session that these sessions were made from. --browser also opens the \
            provider's page that ends its own session. If post_logout_redirect is configured, the browser comes back from there, and \
            the receipt says so; Ctrl-C stops waiting for it.
            """)
    static let examples: KeyValuePairs = [
        "yett logout work/ada": "Revokes the session's tokens, and forgets them.",
        "yett logout work --browser": "Also ends the session in the browser.",
        "yett logout --all": "Signs out of every session.",
    ]

    @Argument(help: .onlySession, completion: .names(.sessions))
    var sessions: [String] = []

    @Flag(help: "Sign out of every session.")
    var all = false

    @Flag(help: "Forget the session here only; do not tell the provider.")
    var local = false

    @Flag(help: "Also end the session in the browser at the provider.")
    var browser = false

    @Flag(help: "Also sign out of the publisher's session that this one was made from.")
    var withPublisher = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if all, !sessions.isEmpty { throw ValidationError("give sessions or --all, not both") }
        let modes = [("--local", local), ("--browser", browser), ("--with-publisher", withPublisher)].filter(\.1).map(\.0)
        if modes.count > 1 { throw ValidationError("\(modes.joined(separator: " and ")) cannot be combined") }
    }

    private var mode: SignOutMode { local ? .localOnly : browser ? .endBrowserSession : withPublisher ? .withBase : .revoke }

    func run(in context: CommandContext) async throws {
        // Forgetting a session needs no key, so that it works without the passphrase.
        let service = local ? try await context.service() : try await context.unlockedService()
        let targets = try await targets(with: service)
        let receipts = try await receipts(of: targets.map(\.name), with: service, in: context)
        try context.answer(ReceiptList(receipts: receipts), asJSON: json)
        if receipts.isEmpty { context.console.note("not signed in") }
        try conclude(receipts, in: context)
    }

    /// Signs out of all sessions concurrently; with `--browser` one after the other, because each needs the user's browser.
    private func receipts(
        of names: [SessionName], with service: any SessionService, in context: CommandContext
    ) async throws(AuthFailure) -> [SignOutReceipt] {
        guard !browser else {
            var receipts: [SignOutReceipt] = []
            for name in names where !Task.isCancelled { receipts.append(try await signOut(name, with: service, in: context)) }
            return receipts
        }
        let outcomes = await names.concurrentMap { name in
            await Result<SignOutReceipt, AuthFailure>.of { () async throws(AuthFailure) in
                try await signOut(name, with: service, in: context)
            }
        }
        return try outcomes.map { outcome throws(AuthFailure) in try outcome.get() }
    }

    private func signOut(
        _ name: SessionName, with service: any SessionService, in context: CommandContext
    ) async throws(AuthFailure) -> SignOutReceipt {
        var receipt = try await service.signOut(name, mode: mode)
        guard let url = receipt.browserURL else { return receipt }
        let isOpen = await open(url, shown: receipt.shownURL ?? url, of: name.provider, in: context)
        guard let wait = receipt.browserReturn else { return receipt }
        guard isOpen || wait.redirect != nil else {
            // A user who opens the shown page by hand goes directly to the provider, so nothing comes back here.
            await service.stopWaiting(for: wait.id)
            return receipt
        }
        explain(wait, in: context)
        do throws(AuthFailure) {
            receipt.record(.endBrowserSession, try await service.browserReturn(wait.id))
        } catch {
            // Even if waiting fails, the session is forgotten here, and the receipt reports that.
            receipt.record(.endBrowserSession, .failed(reason: error.message, isQueued: false))
        }
        return receipt
    }

    /// Prints what the command waits for; over SSH, also how to forward the port to the user's machine.
    private func explain(_ wait: BrowserReturn, in context: CommandContext) {
        let surroundings = Surroundings(environment: context.edges.environment)
        let limit = (wait.endsAt - context.now).formatted
        guard let redirect = wait.redirect else {
            return context.console.note("waiting up to \(limit) for your browser to ask for it; Ctrl-C stops waiting")
        }
        if let server = surroundings.sshServer {
            let command = server.forwarding(port: redirect.origin.port, to: redirect.origin.host)
            context.console.note("  for a browser on your local machine, run this there first:")
            context.console.command(command)
        }
        context.console.note("waiting up to \(limit) for your browser to come back; Ctrl-C stops waiting")
    }

    /// Prints warnings about incomplete steps, and throws the exit status.
    private func conclude(_ receipts: [SignOutReceipt], in context: CommandContext) throws {
        let failed = receipts.flatMap(\.entries).filter { if case .failed = $0.outcome { true } else { false } }
        let tokens = failed.filter { $0.step != .endBrowserSession && $0.step != .endBaseSession }
        if tokens.contains(where: \.isQueued) {
            context.console.warning("a token may stay valid at the provider until it expires; Yett will try again to revoke it")
        }
        if !tokens.allSatisfy(\.isQueued) {
            context.console.warning("a token may stay valid at the provider until it expires; it cannot be revoked from here")
        }
        if failed.contains(where: { $0.step == .endBrowserSession }) {
            context.console.warning("you may still be signed in at the provider in your browser; sign out there")
        }
        if failed.contains(where: { $0.step == .endBaseSession }) {
            context.console.warning("the publisher's session may still exist; see: yett status")
        }
        try Task.checkCancellation()
        guard failed.isEmpty else { throw ExitStatus(code: AuthFailure(.unavailable(retryAfter: nil), text: "").exitCode) }
    }

    private func targets(with service: any SessionService) async throws(AuthFailure) -> [SessionSummary] {
        let known = try await service.sessions()
        if all { return known }
        guard !sessions.isEmpty else { return [try known.only()] }
        var targets: [SessionSummary] = []
        for text in sessions {
            let target = try await service.only(SessionName(argument: text), among: known)
            if !targets.contains(target) { targets.append(target) }
        }
        return targets
    }

    /// Opens the URL and returns whether a browser was started.
    private func open(_ url: WebURL, shown: WebURL, of provider: ProviderName, in context: CommandContext) async -> Bool {
        context.console.note("ending the session in your browser:")
        context.console.note("  " + shown.text)
        let launch = await context.openBrowser(url, of: try? context.configurationFile().read().provider(provider))
        launch.explain(to: context.console)
        return launch.hasStarted
    }
}

/// The output of `yett logout`: the steps taken to end each session.
struct ReceiptList: Answer {
    let receipts: [SignOutReceipt]

    var lines: [String] {
        receipts.flatMap { receipt in
            ["\(receipt.session): \(receipt.outcome)"]
                + receipt.entries.map { "  \($0.step.title): \($0.outcome.words)" }
        }
    }

    /// One line for each session; its steps below it if one of them failed or is not confirmed.
    func rows(on display: Display) -> [StyledText] {
        receipts.flatMap { receipt in
            let label = StyledText(receipt.session.description, .title) + StyledText(": ")
            let heading = display.marked(receipt.isComplete ? display.good : display.warning, label: label, receipt.outcome)
            guard receipt.entries.contains(where: \.outcome.needsAttention) else { return heading }
            let width = receipt.entries.map(\.step.title.count).max() ?? 0
            return heading
                + receipt.entries.flatMap { entry in
                    let label = StyledText(entry.step.title.padded(to: width + 2), .muted)
                    return display.marked(StyledText("  ") + entry.outcome.mark(on: display), label: label, entry.outcome.words)
                }
        }
    }

    var json: JSONValue {
        .answer(list: "receipts", of: receipts) { receipt in
            .members(
                ("session", .string(receipt.session.description)),
                ("complete", .bool(receipt.isComplete)),
                ("steps", .array(receipt.entries.map(\.json))),
                ("browser_url", JSONValue(receipt.shownURL?.text)))
        }
    }
}

extension SignOutReceipt {
    fileprivate var outcome: String {
        guard isComplete else { return "forgotten here; not every step succeeded at the provider" }
        return isProviderNotified ? "signed out" : "forgotten here; the provider was not told"
    }
}

extension SignOutReceipt.Step {
    fileprivate var title: String {
        switch self {
        case .revokeRefreshToken: "revoke the refresh token"
        case .revokeAccessToken: "revoke the access token"
        case .endBrowserSession: "end the browser's session"
        case .forget: "forget here"
        case .endBaseSession: "end the publisher's session"
        }
    }
}

extension SignOutReceipt.Outcome {
    fileprivate var words: String {
        switch self {
        case .done: "done"
        case .skipped(let reason): "skipped, \(reason.english)"
        case .unconfirmed(let reason): "not confirmed, \(reason.english)"
        case .failed(let reason, let isQueued): "failed, \(reason.english)" + (isQueued ? "; Yett will try again" : "")
        }
    }

    fileprivate var needsAttention: Bool {
        switch self {
        case .done, .skipped: false
        case .unconfirmed, .failed: true
        }
    }

    fileprivate func mark(on display: Display) -> StyledText {
        switch self {
        case .done: display.good
        case .skipped: display.neutral
        case .unconfirmed: display.warning
        case .failed: display.bad
        }
    }
}

extension SignOutReceipt.Entry {
    fileprivate var json: JSONValue {
        let (outcome, reason, isQueued): (String, String?, Bool) =
            switch self.outcome {
            case .done: ("done", nil, false)
            case .skipped(let reason): ("skipped", reason.english, false)
            case .unconfirmed(let reason): ("unconfirmed", reason.english, false)
            case .failed(let reason, let isQueued): ("failed", reason.english, isQueued)
            }
        return .members(
            ("step", .string(step.rawValue)), ("outcome", .string(outcome)), ("reason", JSONValue(reason)), ("queued", .bool(isQueued)))
    }
}
