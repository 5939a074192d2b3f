internal import Agent
internal import AuthEngine
internal import AuthModel
internal import Localization
internal import MCPBridge
internal import OAuth
internal import ProviderKinds
internal import ResourceClient
internal import UserConfiguration

/// The credentials of a bridge: tokens of the session for the server's address, from the agent for each request.
///
/// The session is looked up when it is needed, so that a sign-in in another terminal takes effect at once.
actor MCPCredentials: BridgeCredentials {
    let address: WebURL
    private let named: SessionName?
    /// The account at the provider of the server's tokens.
    private let account: String?
    private let permission: SignInPermission
    let context: CommandContext
    private var tool: (session: ToolSession, proofs: ProofSource)?
    /// The sign-in in progress, shared by all requests that wait.
    private(set) var signingIn: Task<Bool, Never>?
    /// The sign-in that needs the user's own step, with the page for it.
    var askedSignIn = AskedSignIn()
    /// The last session that was found, for the sign-in that replaces it.
    private var lastSession: SessionName?
    /// The time of the last sign-in of each session that the server caused.
    private var refusalSignIns: [SessionName?: Timestamp] = [:]
    /// The time between two sign-ins of a session that the server causes.
    private static let refusalPause = Duration.seconds(3600)
    /// Whether the last sign-in did not succeed. The user may not want one, so no other window opens until there is a token again.
    private var hasFailed = false
    /// Watches the session of the last token.
    private var watch: (session: SessionName, uses: SessionWithdrawals, task: Task<Void, Never>)?
    /// The resource that the metadata of the server name, if they were asked for.
    private var ownResource: String?
    private var knowsOwnResource = false
    private static let discoveryLimit = Duration.seconds(10)
    /// An element whenever the streams that use the session must end. For one reader.
    nonisolated let withdrawals: AsyncStream<Void>
    private let withdrawal: AsyncStream<Void>.Continuation

    /// The sign-ins that the command line lets the bridge start by itself.
    struct SignInPermission {
        /// Whether a browser may open for any provider, and not only for those with `sign_in = "on-demand"`.
        var opensBrowser = false
        /// Whether one may open for more scopes, too.
        var widensSessions = false
        /// The options of `yett login` for a server that no provider is configured for; none if the user has to add it first.
        var firstOptions: [String] = []
    }

    init(
        address: WebURL, named: SessionName?, account: String? = nil, permission: SignInPermission = SignInPermission(),
        context: CommandContext
    ) {
        self.address = address
        self.named = named
        self.account = account
        self.permission = permission
        self.context = context
        (withdrawals, withdrawal) = AsyncStream.makeStream(of: Void.self)
    }

    /// Returns how connections to the server are made: with the provider's own roots and certificate, if it is known.
    func transportPolicy() throws(AuthFailure) -> TransportPolicy {
        let limit = Duration.seconds(30)
        return try candidates().first.map { TransportPolicy(resourcesOf: $0, deadline: limit) } ?? TransportPolicy(deadline: limit)
    }

    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        guard let tool = try await session() else { return nil }
        do throws(AuthFailure) {
            let credential = try await credential(of: tool, refused: refused)
            hasFailed = false
            noteToken()
            noteUse(of: tool.session)
            return credential
        } catch {
            self.tool = nil
            throw error
        }
    }

    private func credential(
        of tool: (session: ToolSession, proofs: ProofSource), refused: Secret? = nil
    ) async throws(AuthFailure) -> SessionCredential {
        try await tool.session.credential(
            for: address, by: "yett mcp", refused: refused, environment: context.edges.environment, proofs: tool.proofs)
    }

    func refusal(_ answer: WebResponse) async -> AuthFailure {
        if let moved = await moved(after: answer) { return moved }
        let known = tool?.session.provider.resourceDialect.failure(answer, from: address.origin.authority)
        guard answer.status == 401 else {
            return known ?? AuthFailure(.denied(code: "\(answer.status)"), text: "\(address.origin.authority) refused the request")
        }
        return await notSignedIn(after: answer)
    }

    private func notSignedIn(after answer: WebResponse) async -> AuthFailure {
        let host = address.origin.authority
        let scopes = ScopeArguments(for: answer, (try? await session())?.session)
        guard let lastSession else {
            return AuthFailure(
                .notSignedIn, text: "not signed in at \(host)",
                hint: "sign in with: yett login \(ShellWord(address.text))\(accountOption.map { " " + $0 }.joined())\(scopes.shellText)")
        }
        return AuthFailure(
            .signInAgain, text: "\(host) rejected the token of \(lastSession)",
            hint: "sign in again with: yett login \(lastSession.shellWord) --force\(scopes.shellText)")
    }

    /// Reads the metadata of the server again after it refused a token, and returns a failure if it no longer accepts tokens of the
    /// provider's authorization server.
    private func moved(after answer: WebResponse) async -> AuthFailure? {
        guard let challenge = answer.unauthorizedChallenge, let provider = try? candidates().first else { return nil }
        return await AuthorizationServerChange.found(of: provider, at: address, after: challenge, in: context)?.failure
    }

    // MARK: The session

    /// Returns the providers whose tokens are for the server.
    private func candidates() throws(AuthFailure) -> [ProviderConfiguration] {
        let configuration = try context.configurationFile().read()
        if let named {
            let provider = try configuration.named(named.provider.text)
            try TokenDestinations(provider: provider).require(address, in: configuration)
            return [provider]
        }
        let closest = configuration.providers.closest(to: address)
        guard let ownResource, let own = ProviderConfiguration.closeness(of: ownResource, to: address) else { return closest }
        return closest.filter { $0.closeness(to: address).map { $0 >= own } ?? false }
    }

    /// Returns the session that the command line names, by itself or by an account at the server's provider; `nil` if it names none.
    private func namedSession(among candidates: [ProviderConfiguration]) -> SessionName? {
        guard named == nil, let account, let provider = candidates.first else { return named }
        return SessionName(provider: provider.name, account: account)
    }

    /// The option that names the account at a provider that is not configured yet.
    private var accountOption: [String] { account.map { ["--account", $0] } ?? [] }

    /// Returns the session for the server; `nil` if no provider is known for it, and it may need no token.
    private func session() async throws(AuthFailure) -> (session: ToolSession, proofs: ProofSource)? {
        if let tool { return tool }
        await findOwnResource()
        let candidates = try candidates()
        let named = namedSession(among: candidates)
        guard let found = try await ToolSession.chosen(named, among: candidates, for: address, in: context) else { return nil }
        let new = (session: found, proofs: ProofSource(found.service))
        (tool, lastSession) = (new, found.session.name)
        return new
    }

    /// Reads the metadata of a server that is below a provider's resource, or at it with another query: it may be a resource of its own, of
    /// another tenant. Once, unless it cannot be reached; a server that publishes nothing belongs to the resource above it.
    private func findOwnResource() async {
        guard !knowsOwnResource, named == nil, let provider = try? candidates().first, let known = provider.closeness(to: address),
            let whole = ProviderConfiguration.closeness(of: address.text, to: address), known < whole
        else { return }
        let time = context.edges.time
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: time, caFile: provider.caFile)
        let found = await time.outcome(until: time.bootTime + Self.discoveryLimit) { [address] () async -> Result<String, AuthFailure> in
            await Result<String, AuthFailure>.of { () async throws(AuthFailure) in
                try await discovery.find(address, challenge: nil).metadata.resource.text
            }
        }
        switch found.value {
        case .success(let resource): (ownResource, knowsOwnResource) = (resource, true)
        case .failure(let failure): knowsOwnResource = !found.isCutOff && failure.retryPolicy == .none
        }
    }

    /// Watches the session whose token is used from now on.
    private func noteUse(of tool: ToolSession) {
        if watch?.session != tool.session.name {
            watch?.task.cancel()
            let uses = SessionWithdrawals(tool, in: context)
            let task = Task { [withdrawal] in
                for await _ in uses.stream() { withdrawal.yield() }
            }
            watch = (tool.session.name, uses, task)
        }
        watch?.uses.noteUse()
    }

    // MARK: Signing in

    func signIn(because failure: AuthFailure, after answer: WebResponse? = nil, isRefusal: Bool) async throws(AuthFailure) {
        let isRefusal = isRefusal || failure.isTokenRejection
        // There is no terminal here to ask at whether to trust another server.
        if let answer, let moved = await moved(after: answer) { throw moved }
        if let signingIn, await signingIn.value { return }
        let known = (try? await session())?.session
        let scopes = answer.map { ScopeArguments(for: $0, known) }
        // If the session has ended, the server's scopes are not used for a new sign-in.
        if known == nil, lastSession != nil, scopes?.names.isEmpty == false { throw failure }
        // Another request may have signed in since this one failed.
        if !isRefusal, answer == nil, (try? await credential(for: address, refused: nil)) != nil { return }
        // The session that was refused is replaced; a sign-in at its provider could make another one.
        let candidates = try candidates()
        var wanted: WantedSignIn
        if let session = lastSession ?? namedSession(among: candidates) {
            wanted = WantedSignIn(target: session.description)
        } else {
            let options = candidates.isEmpty ? accountOption + permission.firstOptions : accountOption
            wanted = WantedSignIn(target: candidates.first?.name.text ?? address.text, options: options)
        }
        // A server that is new says to the sign-in itself what it wants.
        if !candidates.isEmpty { (wanted.isForced, wanted.scopes) = (isRefusal, scopes?.names ?? []) }
        // More scopes for the session need the user's own step, or permission.
        guard scopes?.widensSession != true || permission.widensSessions, try mayOpenBrowser(isRefusal: isRefusal) else {
            if let known, scopes?.widensSession == true { wanted.added = wanted.scopes.filter { !known.session.scopes.contains($0) } }
            // A server that no provider is configured for must be confirmed at a terminal, and a click changes nothing where no page opens.
            let needsClick = try scopes?.widensSession == true ? true : !needsNoBrowser()
            guard !candidates.isEmpty, needsClick else { throw failure }
            throw ask(for: wanted, because: failure, isRefusal: isRefusal)
        }
        try await login(wanted, because: failure, isRefusal: isRefusal)
    }

    /// Ends a sign-in in progress and closes the page: the bridge ends, and nothing waits for them.
    func end() async {
        signingIn?.cancel()
        watch?.task.cancel()
        await closePage()
    }

    /// Whether a browser may open: the command line or the provider's settings allow it, and the user is at this machine.
    ///
    /// - Parameter isRefusal: whether the server causes it. Then it may happen once an hour for each session.
    private func mayOpenBrowser(isRefusal: Bool) throws(AuthFailure) -> Bool {
        if signingIn != nil { return true }
        guard !hasFailed else { return false }
        if try needsNoBrowser() { return !isRefusal || mayRepeatSignIn }
        if isRefusal, !mayRepeatSignIn { return false }
        if permission.opensBrowser { return true }
        return try candidates().first?.signInMode == .onDemand && context.agentLocation.remoteSocket == nil
            && context.edges.userPresence().isPresent
    }

    /// Whether the last sign-in that the server caused was long enough ago.
    private var mayRepeatSignIn: Bool { refusalSignIns[lastSession].map { context.now - $0 >= Self.refusalPause } ?? true }

    /// Whether sessions at the server's provider are made without the user, so that there is nothing to click on.
    private func needsNoBrowser() throws(AuthFailure) -> Bool { try candidates().first?.exchange != nil }

    func requiredSignIn(in answer: WebResponse, from url: WebURL) async throws(AuthFailure) -> StepUp? {
        guard let tool = try await session()?.session else { return nil }
        return try await StepUp.required(by: answer, from: url, of: tool.session) {
            await context.scopes(of: address, after: $0, caFile: tool.provider.caFile)
        }
    }

    func stepUp(to wanted: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool {
        if let signingIn { _ = await signingIn.value }
        // The user may have signed in since the session was looked up, and the refusal may be of a token from before.
        tool = nil
        guard let found = try await session() else { return false }
        if try await credential(of: found).issued.token != token { return true }
        let tool = found.session
        let isWider = !wanted.scopes.isSubset(of: tool.session.scopes)
        let namesSignIn = !wanted.contextClasses.isEmpty || wanted.maxAge != nil || wanted.claims != nil
        guard isWider || wanted.scopes.isEmpty || namesSignIn else { return false }
        var command = WantedSignIn(target: tool.session.name.description)
        if isWider {
            command.scopes = ScopeArguments(adding: wanted.scopes, to: tool.session, of: tool.provider).names
            command.added = wanted.scopes.values.filter { !tool.session.scopes.contains($0) }
        }
        (command.contextClasses, command.maxAge, command.claims) = (wanted.contextClasses, wanted.maxAge, wanted.claims)
        command.repeatsLogin = command.arguments.count == 1
        let failure = AuthFailure(
            .denied(code: wanted.reason.code), text: "\(address.origin.authority) requires another sign-in: \(wanted.reason.line)",
            hint: "run: yett login " + command.arguments.map { "\(ShellWord($0))" }.joined(separator: " "))
        // There is no terminal here to ask at whether the session may have more scopes.
        guard !isWider || permission.widensSessions, try mayOpenBrowser(isRefusal: true) else {
            throw ask(for: command, because: failure, isRefusal: true)
        }
        try await login(command, because: failure, isRefusal: true)
        return true
    }

    /// Runs a sign-in in a process of its own, because standard output belongs to the client.
    func login(_ wanted: WantedSignIn, because failure: AuthFailure, isRefusal: Bool) async throws(AuthFailure) {
        let arguments = wanted.arguments
        let provider = try candidates().first
        let turn = if let provider { try context.signInTurn(at: provider) } else { try context.signInTurn(for: address) }
        let context = context
        if signingIn == nil, isRefusal { refusalSignIns[lastSession] = context.now }
        let task =
            signingIn
            ?? Task {
                let status = await turn.run { await context.login(arguments, on: .standardError) }
                let isSignedIn = status.map(LoginProcess.isSignedIn) == true
                (signingIn, tool) = (nil, nil)
                if !isSignedIn { hasFailed = true }
                return isSignedIn
            }
        signingIn = task
        guard await task.value else { throw failure }
    }
}
