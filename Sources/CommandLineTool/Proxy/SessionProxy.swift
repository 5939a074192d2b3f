internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import ProviderKinds
internal import ResourceProxy
internal import UserConfiguration

/// A proxy with the credentials of one session, for `yett proxy` and `yett exec --proxy`.
struct SessionProxy: ProxyCredentials {
    private let authorizer: SessionAuthorizer
    private let watch: SessionWithdrawals
    private let transport: any UpgradingTransport
    let target: WebURL
    let fields: Set<String>

    /// Finds the session, and checks that its tokens may be sent to the target.
    ///
    /// - Parameter target: the URL that requests go to; `nil` for the provider's only resource or API host.
    init(_ name: SessionName, target: String?, in context: CommandContext) async throws {
        let configuration = try context.configurationFile().read()
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
        let tool = ToolSession(session: session, provider: provider, service: service, resource: self.target)
        authorizer = SessionAuthorizer(tool, caller: "yett proxy")
        watch = SessionWithdrawals(tool, in: context)
        fields = provider.resourceDialect.credentialFields
        transport = context.edges.transport
        // A refusal, a locked store or an ended session is reported now and not with the first request.
        _ = try await authorizer.authorized(WebRequest(method: .get, url: self.target), refused: nil)
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

    func authorized(_ request: WebRequest, refused: Secret?) async throws(AuthFailure) -> (request: WebRequest, token: Secret) {
        let authorized = try await authorizer.authorized(request, refused: refused)
        watch.noteUse()
        return authorized
    }

    func withdrawals() -> AsyncStream<Void> { watch.stream() }

    func hasNewNonce(in headers: [(name: String, value: String)], status: Int, to request: WebRequest) async -> Bool {
        await authorizer.hasNewNonce(after: WebResponse(status: status, headers: headers, body: []), to: request)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: gets the address for clients, which is a secret on TCP.
    func serve(at address: ProxyAddress, ready: @escaping @Sendable (Secret) async throws -> Void) async throws {
        let policy = TransportPolicy(resourcesOf: authorizer.tool.provider, deadline: .seconds(30))
        try await ProxyServer(target: target, address: address, transport: transport, policy: policy, credentials: self).run(ready: ready)
    }
}
