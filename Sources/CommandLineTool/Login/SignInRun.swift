internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import TerminalUI
internal import UserConfiguration

/// Runs one sign-in from the command line, from the choice of a provider to the output.
struct SignInRun {
    var options: LoginOptions
    let purpose: SignInRequest.Purpose
    let context: CommandContext
    /// Whether the user may continue without signing in.
    var allowsSkippingSignIn = false
    /// Whether the address of a resource selected the provider.
    var isForResource = false
    /// Whether the user asks for another registration of the client, because the server no longer knows it.
    var registersAgain = false

    /// The input that continues without signing in.
    static let skipSignInKey = "w"
    /// The input that requests a device code.
    static let deviceCodeKey = "d"

    func run(_ argument: String?) async throws {
        do {
            try await attempt(argument)
        } catch let failure as AuthFailure {
            // Standard output carries results only.
            if options.json { context.console.object(.answer(("error", failure.object))) }
            throw failure
        }
    }

    private func attempt(_ argument: String?) async throws {
        let target = try argument.map { text throws(AuthFailure) in try SessionName(argument: text) }
        let configuration = try context.configurationFile().read()
        let provider = try await ProviderChoice(configuration: configuration, context: context).resolve(target?.provider)
        var request = options.request(provider.name, account: target?.account, purpose: purpose)
        if CredentialGate(provider).discoversServers {
            let places = request.resources.compactMap(WebURL.init)
            for place in places { try TokenDestinations(provider: provider).refuseOthers(place, in: configuration, isSignIn: true) }
        }
        let service = try await context.unlockedService(forNewSession: true)
        let sessions = try await service.sessions()
        try options.refuseSignedIn(request, among: sessions, at: context.now)
        // A server that does not identify the user has one account here, until the user names another. A session of a former server is
        // none.
        let here = sessions.filter { $0.name.provider == provider.name && (provider.issuer == nil || $0.issuer == provider.issuer?.text) }
        if isForResource, request.account == nil, here.count == 1, here[0].subject == nil { request.account = here[0].name.account }
        let known = registersAgain ? try await ClientRenewal(context: context, service: service).renew(provider) : provider
        let (outcome, browserWarnings) = try await followed(request, at: known, with: service)
        switch outcome {
        case .success(.signedIn(var session)):
            // On a terminal, the last line says whether the session can be renewed.
            for warning in session.warnings where options.json || context.display == nil || !SessionList.repeatsItsRow(warning) {
                context.console.warning(warning)
            }
            session.warnings += browserWarnings.map(UserMessage.verbatim)
            try context.answer(SignedIn(list: context.sessionList([session], asJSON: options.json)), asJSON: options.json)
        case .success(.withoutSession(let end)):
            context.console.note(end.message.english)
            if let hint = end.hint { context.console.hint(hint.english) }
            try context.console.answer(WithoutSession(reason: end.reason), asJSON: options.json)
        case .failure(let failure): throw failure
        }
    }

    /// The end of an attempt that did not fail.
    enum Ending {
        case signedIn(SessionSummary)
        case withoutSession(NoSession)
    }

    /// Runs a sign-in attempt to its end and returns the session; throws if it ends without one. If the task is cancelled, cancels the
    /// attempt and closes its port before it throws.
    func follow(
        _ request: SignInRequest, at provider: ProviderConfiguration, with service: any SessionService
    ) async throws(AuthFailure) -> SessionSummary {
        switch try await ending(of: request, at: provider, with: service) {
        case .signedIn(let session): return session
        case .withoutSession(let end): throw end.failure
        }
    }

    /// Like ``follow(_:at:with:)``, for a caller that can continue without a session.
    func ending(
        of request: SignInRequest, at provider: ProviderConfiguration, with service: any SessionService
    ) async throws(AuthFailure) -> Ending {
        try await followed(request, at: provider, with: service).outcome.get()
    }

    /// Returns the outcome, and the warnings about the browser. If the server deleted a client that Yett registered, registers it again
    /// once and retries. If the page may be another service's than the tokens, asks the user at a terminal, and retries.
    private func followed(
        _ request: SignInRequest, at provider: ProviderConfiguration, with service: any SessionService
    ) async throws(AuthFailure) -> (outcome: Result<Ending, AuthFailure>, browserWarnings: [String]) {
        // Another process whose sign-in there fails leaves the provider then.
        let use = provider.resources.first.flatMap(WebURL.init).map { ResourceUse(of: $0, in: context) }
        defer { withExtendedLifetime(use) {} }
        let first = try await tried(request, at: provider, with: service)
        guard case .failure(let failure) = first.outcome else { return first }
        if let hosts = failure.unconfirmedHosts, context.canAsk {
            let confirmed = try await SignInHostsQuestion(context: context, hosts: hosts).confirm(provider, for: service)
            return try await followed(request, at: confirmed, with: service)
        }
        guard failure.kind == .unknownClient, provider.registeredScopes != nil else { return first }
        context.console.note(failure.summary)
        let again = try await ClientRenewal(context: context, service: service).renew(provider)
        return try await tried(request, at: again, with: service)
    }

    private func tried(
        _ request: SignInRequest, at provider: ProviderConfiguration, with service: any SessionService
    ) async throws(AuthFailure) -> (outcome: Result<Ending, AuthFailure>, browserWarnings: [String]) {
        let attempt = try await service.signIn(request)
        let progressPrinter = SignInProgressPrinter(context: context, provider: provider, options: options)
        let outcome = await outcome(of: attempt, request, with: service, telling: progressPrinter)
        await progressPrinter.finish()
        return (outcome, await progressPrinter.browserWarnings)
    }

    private func outcome(
        of attempt: SignInAttempt, _ request: SignInRequest, with service: any SessionService,
        telling progressPrinter: SignInProgressPrinter
    ) async -> Result<Ending, AuthFailure> {
        for await event in attempt.events {
            if event.isLast, await progressPrinter.skipsSignIn {
                return .success(.withoutSession(NoSession(.notNeeded, .verbatim(Self.skippedSignInMessage))))
            }
            switch event {
            case .finished(let outcome): return outcome.map(Ending.signedIn)
            case .finishedWithoutSession(let end): return .success(.withoutSession(end))
            default: break
            }
            await progressPrinter.show(event)
            switch event {
            case .asked(let form):
                await progressPrinter.stopReading()
                let prompt = FormPrompt(form: form, context: context)
                if let failure = await prompt.complete(attempt.id, of: service, given: request.answers) {
                    await service.cancel(attempt.id)
                    return .failure(failure)
                }
            case .available:
                // Not earlier: until then, input lines are answers to questions.
                let isFirst = await progressPrinter.startReading { await passLines(to: attempt.id, of: service, telling: progressPrinter) }
                guard isFirst, allowsSkippingSignIn, context.canAsk else { break }
                await progressPrinter.aside {
                    $0.note("  enter \(Self.skipSignInKey) while this waits for your browser to continue without signing in")
                }
            default: break
            }
        }
        await service.cancel(attempt.id)
        return .failure(AuthFailure(.cancelled, text: "the sign-in was cancelled", hint: nil))
    }

    private static let skippedSignInMessage = "continuing without signing in"

    /// Passes pasted lines to the attempt, if input is available. An empty line continues the sign-up, and one letter requests a device
    /// code.
    private func passLines(to attempt: SignInAttempt.ID, of service: any SessionService, telling progressPrinter: SignInProgressPrinter)
        async
    {
        guard progressPrinter.readsLines else { return }
        while let line = await context.edges.streams.line() {
            let text = line.trimmed
            await progressPrinter.typed(text)
            guard !text.isEmpty else {
                await progressPrinter.proceed()
                continue
            }
            do throws(AuthFailure) {
                if allowsSkippingSignIn, text == Self.skipSignInKey {
                    await progressPrinter.skipSignIn()
                    await service.cancel(attempt)
                } else if text == Self.deviceCodeKey {
                    try await service.requestDeviceCode(for: attempt)
                } else {
                    try await service.paste(Secret(text), into: attempt)
                }
            } catch {
                await progressPrinter.aside {
                    $0.warning(error.summary, hint: error.hintText)
                }
            }
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without white space at its ends.
    var trimmed: Substring {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

/// The output of an attempt that succeeds without a session.
private struct WithoutSession: Answer {
    let reason: NoSession.Reason

    var lines: [String] { [] }
    var json: JSONValue {
        .answer(
            ("auth_required", reason == .notNeeded ? false : .null), ("account_requested", .bool(reason == .accountRequested)),
            ("sessions", .array([])))
    }
}

/// The output of a sign-in: its session.
private struct SignedIn: Answer {
    let list: SessionList

    var lines: [String] {
        list.sessions.map { session in
            let end = session.accessExpiresAt.map { ", for \(($0 - list.now).formatted)" } ?? ""
            return "signed in: \(session.name)\(end)\(session.isRenewable ? ", renewable" : "")"
        }
    }

    /// One line: who, where, and for how long.
    func rows(on display: Display) -> [StyledText] {
        list.sessions.map { session in
            let host = session.issuer.flatMap(WebURL.init).map { " (\($0.origin.host))" } ?? ""
            let name = StyledText(session.name.account ?? session.name.provider.text, .title)
            let place = session.name.account == nil ? host : " at \(session.name.provider)\(host)"
            let time = session.accessExpiresAt.map { " for \(($0 - list.now).formatted)" } ?? ""
            let renewal = session.isRenewable ? ", renewed automatically" : session.accessExpiresAt == nil ? "" : ", not renewable"
            return display.good + " Signed in as " + name + StyledText(place) + StyledText(time + renewal, .muted)
        }
    }

    var json: JSONValue { list.json }
}
