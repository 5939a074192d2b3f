internal import Agent
internal import AuthEngine
internal import AuthModel
internal import ProviderKinds
internal import ResourceClient
internal import Synchronization
internal import UserConfiguration

/// The session that provides a tool's tokens.
struct ToolSession {
    let session: SessionSummary
    let provider: ProviderConfiguration
    let service: any SessionService
    /// The address that the tool sends the token to; `nil` if it is unknown.
    var resource: WebURL?
    /// The tool's use of the token, for the activity; `nil` if only ``resource`` tells.
    var destination: String?
    /// The sign-in if the session turns out to have ended; `nil` if there may be none.
    var signIn: OnDemandSignIn?

    /// Returns the user name that a server expects beside a token that is sent as a password, if the user names none.
    static func defaultUsername(of host: String) -> String {
        switch host {
        case "bitbucket.org": "x-token-auth"
        // Google's registries of packages and images.
        case _ where host == "gcr.io" || host.hasSuffix(".gcr.io") || host.hasSuffix(".pkg.dev"): "oauth2accesstoken"
        default: "oauth2"
        }
    }

    /// Returns the session that the command line names.
    ///
    /// - Parameter signIn: the sign-in if there is no session; `nil` if there may be none.
    static func named(_ text: String, signIn: OnDemandSignIn? = nil, in context: CommandContext) async throws(AuthFailure) -> ToolSession {
        let name = try SessionName(argument: text)
        let provider = try context.configurationFile().read().named(name.provider.text)
        let service = try await context.unlockedService()
        let session = try await signIn.retrying(name) { () async throws(AuthFailure) in try await service.only(name) }
        return ToolSession(session: session, provider: provider, service: service, signIn: signIn)
    }

    /// Returns the session whose tokens may be sent to `url`: the named one, otherwise the only one, or the one of the account `user`.
    /// Returns `nil` if no provider's tokens may be sent there.
    ///
    /// Throws `.security` if the tokens of the named session must not be sent there, `.notSignedIn` if there is no session, `.usage` if
    /// several sessions match.
    ///
    /// - Parameter signIn: the sign-in if there is no session; `nil` if there may be none.
    static func reaching(
        _ url: WebURL, named text: String?, user: String? = nil, signIn: OnDemandSignIn? = nil, in context: CommandContext
    ) async throws(AuthFailure) -> ToolSession? {
        let configuration = try context.configurationFile().read()
        var name: SessionName?
        var providers = configuration.providers.closest(to: url, orAtHost: true)
        if let text {
            let wanted = try SessionName(argument: text)
            let provider = try configuration.named(wanted.provider.text)
            try TokenDestinations(provider: provider).require(url, in: configuration)
            (name, providers) = (wanted, [provider])
        }
        return try await chosen(name, user: user, among: providers, for: url, signIn: signIn, in: context)
    }

    /// Returns the session of one of these providers that is for `url`; `nil` if there is no provider.
    static func chosen(
        _ name: SessionName?, user: String? = nil, among providers: [ProviderConfiguration], for url: WebURL,
        signIn: OnDemandSignIn? = nil, in context: CommandContext
    ) async throws(AuthFailure) -> ToolSession? {
        guard let first = providers.first else { return nil }
        let service = try await context.unlockedService()
        let wanted = name ?? SessionName(provider: first.name, account: nil)
        let chosen = try await signIn.retrying(wanted) { () async throws(AuthFailure) in
            let sessions = try await service.sessions().filter { session in providers.contains { $0.name == session.name.provider } }
            return try await choice(name, user: user, among: sessions, first, service)
        }
        guard let provider = providers.first(where: { $0.name == chosen.name.provider }) else { return nil }
        return ToolSession(session: chosen, provider: provider, service: service, resource: url, signIn: signIn)
    }

    /// Returns the named session, otherwise the one of the account `user`, otherwise the only one or the default account of the only
    /// provider.
    private static func choice(
        _ name: SessionName?, user: String?, among sessions: [SessionSummary], _ first: ProviderConfiguration, _ service: any SessionService
    ) async throws(AuthFailure) -> SessionSummary {
        if let name { return try await service.only(name, among: sessions) }
        guard !sessions.isEmpty else {
            throw AuthFailure(.notSignedIn, text: "not signed in at \(first.name)", hint: "sign in with: yett login \(first.name)")
        }
        if sessions.count > 1, let user, let own = sessions.first(where: { $0.name.account == user }) { return own }
        let isOneProviders = Set(sessions.map(\.name.provider)).count == 1
        return try await service.only(isOneProviders ? SessionName(provider: first.name, account: nil) : nil, among: sessions)
    }

    /// Returns a fresh token for `tool`, which sends it unchanged. Throws for a token that is bound to a key, because the tool cannot make
    /// the proof.
    ///
    /// - Parameter repetitionMeansRefusal: whether the tool asks again only after a resource refused the token.
    func token(
        for tool: String, wanted: TokenRequest.Wanted = .access, repetitionMeansRefusal: Bool = false, in context: CommandContext
    ) async throws(AuthFailure) -> IssuedToken {
        var prompt = ConsentPrompt(context: context)
        var request = request(for: tool, wanted)
        request.repetitionMeansRefusal = repetitionMeansRefusal
        let issued = try await signIn.retrying(session.name) { () async throws(AuthFailure) in
            try await prompt.token(request, from: service)
        }
        guard !issued.isBound else {
            throw AuthFailure(
                .configuration, text: "tokens of \(session.name) are bound to a key, and \(tool) cannot prove possession of it",
                hint: "set dpop = \"off\" in [providers.\(provider.name)], and sign in again")
        }
        return issued
    }

    /// Returns a fresh credential for a request that another program makes.
    ///
    /// - Parameters:
    ///   - command: the command that sends the request, for providers that ask the user.
    ///   - client: the process that sends the request, if it is one that this process started.
    ///   - refused: the token that the server no longer accepts, to be replaced by a new one.
    ///   - consent: the user's answer to an earlier request of the same command.
    ///   - prompt: asks the user at the terminal if there is no answer yet and no app is open; `nil` if there is no user to ask there.
    ///   - environment: the environment of a command that prints the client's secret.
    func credential(
        for url: WebURL, by command: String, client: Int32? = nil, refused: Secret?, consent: TokenRequest.Consent? = nil,
        asking prompt: ConsentPrompt? = nil, environment: [String: String], proofs: ProofSource
    ) async throws(AuthFailure) -> SessionCredential {
        // No token is kept: a lock, a sign-out or a block takes effect with the next request. The agent answers from its memory.
        // An agent finds out by itself who asks.
        let program = service is Engine ? Caller.clientMessage(client) : nil
        var request = TokenRequest(
            session: session.name, caller: program ?? .verbatim(command), resource: resource ?? url, refused: refused)
        (request.client, request.consent) = (client, consent)
        let issued: IssuedToken
        if var prompt {
            request.destination = url.origin.authority
            issued = try await prompt.token(request, from: service)
        } else {
            issued = try await service.token(request)
        }
        return SessionCredential(issued, dialect: try await provider.resourceDialect(in: environment), proofs: proofs)
    }

    private func request(for tool: String, _ wanted: TokenRequest.Wanted) -> TokenRequest {
        var request = TokenRequest(
            session: session.name, wanted: wanted, caller: .verbatim("yett helper \(tool)"), resource: resource)
        request.destination = destination
        return request
    }

    /// Returns the credential that `tool` got for the session's token before; `nil` if none is kept, or if the agent is remote or
    /// older.
    func keptCredential(for tool: String, _ purpose: String, wanted: TokenRequest.Wanted) async -> Secret? {
        try? await service.derivedCredential(for: purpose, request(for: tool, wanted))?.secret
    }
}

extension CommandContext {
    /// Returns the lines of standard input, unchanged, up to an empty line or the end. Throws `.usage` if they exceed 256 KiB.
    func requestLines() async throws(AuthFailure) -> [String] {
        var lines: [String] = []
        var count = 0
        while let line = await edges.streams.exactLine(), !line.isEmpty {
            count += line.utf8.count + 1
            guard count <= 256 << 10 else {
                throw AuthFailure(.usage, text: "the request on standard input is too long", hint: "end it with an empty line")
            }
            lines.append(line)
        }
        return lines
    }

    /// Returns the only line of standard input, for a tool that sends one value. Throws `.usage` if there are several lines or control
    /// characters.
    func requestLine(of tool: String) async throws(AuthFailure) -> String {
        let lines = try await requestLines()
        guard lines.count <= 1, lines.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }) else {
            throw AuthFailure(
                .usage, text: "the request on standard input is not \(tool)'s: it must be one line without control characters",
                hint: "\(tool) calls this command by itself; see: yett help tools")
        }
        return lines.first?.trimmed.description ?? ""
    }

    /// Throws if standard output is a terminal, where a secret would stay in the scrollback.
    func requireNoTerminal(for tool: String) throws(AuthFailure) {
        guard edges.streams.isAnswerTerminal else { return }
        throw AuthFailure(
            .usage, text: "a token is not printed to a terminal", hint: "\(tool) calls this command by itself; see: yett help tools")
    }
}

/// Tells a program that uses a session's tokens for a long time when it must stop: after a lock, when the session has ended, or with the
/// agent.
final class SessionWithdrawals: Sendable {
    private let session: SessionName
    private let service: any SessionService
    private let time: any TimeSource
    /// Whether the agent is on another machine, which passes no events on.
    private let isRemote: Bool
    private let (uses, use) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The number of tokens so far.
    private let count = Mutex(0)

    /// The interval at which an agent on another machine is asked.
    private static let interval = Duration.seconds(5)

    init(_ tool: ToolSession, in context: CommandContext) {
        session = tool.session.name
        service = tool.service
        time = context.edges.time
        isRemote = context.agentLocation.remoteSocket != nil
    }

    /// Records that a token was issued. An agent must be running then, so its events can be waited for again.
    func noteUse() {
        count.withLock { $0 += 1 }
        use.yield()
    }

    /// Returns an element for each withdrawal. For one reader.
    func stream() -> AsyncStream<Void> {
        let (withdrawals, withdrawal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            if isRemote { await poll(withdrawal) } else { await watch(withdrawal) }
            withdrawal.finish()
        }
        withdrawal.onTermination = { _ in task.cancel() }
        return withdrawals
    }

    private func watch(_ withdrawal: AsyncStream<Void>.Continuation) async {
        var withdrawn = -1
        while !Task.isCancelled {
            for await event in await service.events(.changes) {
                switch event {
                case .storeStateChanged(.locked): withdrawal.yield()
                case .sessionsChanged(let sessions) where !isUsable(among: sessions): withdrawal.yield()
                case .storeStateChanged, .sessionsChanged, .activity, .asked, .settled: break
                }
            }
            // An agent that ended has forgotten its keys, as after a lock. This does not start another one; the next request does.
            // Tokens are withdrawn once: not again if none was issued since.
            let issued = count.withLock { $0 }
            if issued != withdrawn { withdrawal.yield() }
            withdrawn = issued
            var next = uses.makeAsyncIterator()
            _ = await next.next()
        }
    }

    private func poll(_ withdrawal: AsyncStream<Void>.Continuation) async {
        while (try? await time.sleep(until: time.bootTime + Self.interval)) != nil {
            do throws(AuthFailure) {
                guard try await service.storeState() == .unlocked, isUsable(among: try await service.sessions()) else {
                    withdrawal.yield()
                    continue
                }
            } catch {
                withdrawal.yield()
            }
        }
    }

    private func isUsable(among sessions: [SessionSummary]) -> Bool {
        sessions.contains { $0.name == session && ![.needsSignIn, .revoked].contains($0.recordedState) }
    }
}
