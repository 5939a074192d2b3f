internal import Agent
internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceClient
internal import ResourceProxy
internal import UserConfiguration

/// `yett proxy`: a local address whose requests go to one origin with a session's token.
struct ProxyCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Pass local requests on to one URL, each with a fresh token.",
        discussion: """
            Prints its address and serves until it ends. Programs send requests there without a token, and see one only in a body, if the \
            server writes it there; the token goes to URL only. The default address is a Unix socket that only you can open. On 127.0.0.1, \
            connections of other users are refused, the address begins with a secret part, and requests from web pages are refused. Bodies \
            are streamed in both directions, and WebSockets are passed on. An upgrade to any other protocol is refused. Open requests end \
            when the store is locked, the session ends, or the agent stops.
            """)
    static let examples: KeyValuePairs = [
        "yett proxy work https://api.example.org": "Serves on a Unix socket, for example for: curl --unix-socket PATH http://api/me",
        "yett proxy work https://api.example.org --listen 127.0.0.1:0": "Serves on a free port, under a secret address.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Argument(help: "The URL that requests go to. Default: the provider's only resource or API host.")
    var url: String?

    @Option(help: ArgumentHelp("unix:PATH, or 127.0.0.1:PORT with 0 for a free port. Default: a new Unix socket.", valueName: "address"))
    var listen: String?

    func validate() throws {
        if let listen, ProxyAddress(listen) == nil {
            throw ValidationError("'\(listen)' is no address to listen at; write unix:/full/path or 127.0.0.1:PORT")
        }
    }

    func run(in context: CommandContext) async throws {
        let address = try listen.flatMap(ProxyAddress.init) ?? Self.newSocket(in: context)
        let proxy = try await SessionProxy(try SessionName(argument: session), target: url, in: context)
        let console = context.console
        do {
            try await proxy.serve(at: address) { place in
                try console.secret(place)
                console.note("requests go to \(proxy.target) as \(session); end with Ctrl-C")
            }
        } catch {
            // A signal is how it ends.
            guard Task.isCancelled else { throw error }
        }
    }

    /// Returns a new socket beside the agent's.
    private static func newSocket(in context: CommandContext) throws(AuthFailure) -> ProxyAddress {
        let folder = context.agentLocation.forwardedSocket.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        guard let address = ProxyAddress("unix:\(folder)/proxy-\(name).sock") else {
            throw AuthFailure(
                .configuration, text: "the path of the runtime folder is too long", hint: "choose one with --listen unix:PATH")
        }
        return address
    }
}

/// The credentials of one session for one URL: for `yett proxy`, `yett exec --proxy` and `yett exec --intercept`.
struct SessionProxy: ProxyCredentials {
    private let tool: ToolSession
    private let proofs: ProofSource
    private let watch: SessionWithdrawals
    private let caller: String
    /// The user's consent, if the provider's policy asks for it; `nil` if each request is decided by the policy alone.
    private let consent: ProxyConsent?
    private let prompt: ConsentPrompt
    private let presence: @Sendable () -> UserPresence
    private let isConfined: Bool
    /// Returns the process of the client that sends a request; `nil` if there is only one for all.
    private var client: (@Sendable () async -> Int32?)?
    private let transport: any UpgradingTransport
    private let environment: [String: String]
    private let configuration: Configuration
    let target: WebURL
    let fields: Set<String>
    /// The settings of its requests.
    var policy: TransportPolicy { TransportPolicy(resourcesOf: tool.provider, deadline: .seconds(30)) }

    /// Finds the session, and checks that its tokens may be sent to the target.
    ///
    /// - Parameters:
    ///   - target: the URL that requests go to; `nil` for the provider's only resource or API host.
    ///   - caller: the program that the tokens are for, in the activity.
    ///   - issues: whether a token is requested now, so that a refusal, a locked store or an ended session is reported now. Otherwise the
    ///     policy `ask` asks once, for the first request: in the app, otherwise at the terminal of the command.
    ///   - isConfined: whether the tokens are for a command that must not answer for the user.
    init(
        _ name: SessionName, target: String?, caller: String = "yett proxy", issues: Bool = true, isConfined: Bool = false,
        in context: CommandContext
    ) async throws {
        self.caller = caller
        self.isConfined = isConfined
        configuration = try context.configurationFile().read()
        let provider = try configuration.named(name.provider.text)
        guard !provider.resourceDialect.urlIdentifiesSession else {
            throw AuthFailure(
                .usage, text: "\(provider.name) chooses tokens by URL, which a proxy for one session cannot",
                hint: "use: yett request \(ShellWord(name.description)) URL")
        }
        let text = try target ?? Self.onlyTarget(of: provider)
        guard let url = WebURL(text), url.fragment == nil, url.query == nil else {
            throw AuthFailure(.usage, text: "not the URL of a resource", hint: "write the full URL: https://api.example.org")
        }
        self.target = try CredentialGate.normalized(url)
        try TokenDestinations(provider: provider).require(self.target, in: configuration, mayBeOfSession: true)
        let service = try await context.unlockedService()
        let session = try await service.only(name)
        tool = ToolSession(session: session, provider: provider, service: service, resource: self.target)
        proofs = ProofSource(service)
        watch = SessionWithdrawals(tool, in: context)
        consent = provider.policy == .ask && !issues ? ProxyConsent() : nil
        (prompt, presence) = (ConsentPrompt(context: context), context.edges.userPresence)
        fields = provider.resourceDialect.credentialFields
        (transport, environment) = (context.edges.transport, context.edges.environment)
        if issues { _ = try await issue(for: self.target) }
    }

    /// Returns the URL that the provider's tokens are for, if there is only one.
    private static func onlyTarget(of provider: ProviderConfiguration) throws(AuthFailure) -> String {
        let hosts = provider.apiHosts.map { host in
            // A service on this machine rarely has a certificate.
            let url = WebURL("https://\(host)")
            return url?.origin.isThisMachine == true ? "http://\(host)" : "https://\(host)"
        }
        let known = provider.resources.isEmpty ? hosts : provider.resources
        guard known.count == 1, let only = known.first else {
            throw AuthFailure(
                .usage,
                text: known.isEmpty ? "\(provider.name) has no resource and no api_hosts" : "\(provider.name) has several resources",
                hint: "name the URL, such as --to https://api.example.org")
        }
        return only
    }

    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential {
        let credential: SessionCredential
        if let consent {
            credential = try await consent.credential { answer throws(AuthFailure) in
                try await issue(for: url, refused: refused, consent: answer)
            }
        } else {
            credential = try await issue(for: url, refused: refused)
        }
        watch.noteUse()
        return credential
    }

    private func issue(
        for url: WebURL, refused: Secret? = nil, consent: TokenRequest.Consent? = nil
    ) async throws(AuthFailure) -> SessionCredential {
        // The target may be a whole origin, and the client chooses the path.
        try TokenDestinations(provider: tool.provider).requireClosest(to: url, in: configuration)
        // After an answer, none is asked for.
        let asks = self.consent != nil && consent == nil && mayAskAtTerminal
        return try await tool.credential(
            for: url, by: caller, client: await client?(), refused: refused, consent: consent, asking: asks ? prompt : nil,
            environment: environment, proofs: proofs)
    }

    /// Whether the user can answer at the terminal while the command runs: a command that reads keys there could take the answer, and what
    /// is typed for it could be taken for one. A confined command could write a question of its own over Yett's.
    private var mayAskAtTerminal: Bool {
        let presence = presence()
        return !isConfined && presence.canAnswerAtTerminal && !presence.isReadingKeys
    }

    func asked(by process: @escaping @Sendable () async -> Int32?) -> any ProxyCredentials {
        var own = self
        own.client = process
        return own
    }

    func withdrawals() -> AsyncStream<Void> { watch.stream() }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: gets the address for clients, which is a secret on TCP.
    func serve(at address: ProxyAddress, ready: @escaping @Sendable (Secret) async throws -> Void) async throws {
        try await ProxyServer(target: target, address: address, transport: transport, policy: policy, credentials: self).run(ready: ready)
    }
}

/// The user's consent to the requests of a command to one host, for a provider with the policy `ask`: asked for with the first request.
///
/// Requests that come meanwhile wait for the answer. After a consent, the agent is asked for each request without a question, because it
/// decides by the program that sends the request, and records it. After a refusal by the user, the command gets no token for the host.
actor ProxyConsent {
    private typealias Outcome = Result<SessionCredential, AuthFailure>

    private var isGiven = false
    private var refusal: AuthFailure?
    private var asking: Task<Outcome, Never>?

    /// Returns a new credential.
    ///
    /// - Parameter issue: gets it, with the user's consent if it was given before.
    func credential(
        _ issue: @escaping @Sendable (TokenRequest.Consent?) async throws(AuthFailure) -> SessionCredential
    ) async throws(AuthFailure) -> SessionCredential {
        if let refusal { throw refusal }
        if !isGiven {
            guard let earlier = asking else {
                let task = ask(issue)
                asking = task
                return try await task.value.get()
            }
            if case .failure(let failure) = await earlier.value { throw failure }
        }
        return try await issue(.given)
    }

    private func ask(
        _ issue: @escaping @Sendable (TokenRequest.Consent?) async throws(AuthFailure) -> SessionCredential
    ) -> Task<Outcome, Never> {
        Task {
            let outcome: Outcome
            do throws(AuthFailure) { outcome = .success(try await issue(nil)) } catch { outcome = .failure(error) }
            switch outcome {
            case .success: isGiven = true
            case .failure(let failure): if failure.isRefusalByUser { refusal = failure }
            }
            asking = nil
            return outcome
        }
    }
}
