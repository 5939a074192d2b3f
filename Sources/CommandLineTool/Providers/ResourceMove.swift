internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// A protected resource that accepts tokens of another authorization server than the configured one (RFC 9728).
struct ResourceMove {
    /// The authorization server that the provider is configured for.
    let issuer: Issuer
    /// What the resource says now.
    let finding: DiscoveredResource

    /// The keys of a provider that stay when its authorization server changes: those that the user set for this machine.
    static let keptKeys: Set = [
        "sign_in", "policy", "browser", "private", "login_timeout", "session_lifetime", "sign_in_label", "sign_up_label", "ca_file",
        "api_hosts", "dpop", "par",
    ]

    /// Reads the metadata of a provider's resource again. Returns `nil` if the resource still names the provider's authorization server, if
    /// it names none, or if it cannot be asked.
    ///
    /// - Parameter challenge: the challenge of a refused request; `nil` to send a request without a token first.
    static func found(
        of provider: ProviderConfiguration, at url: WebURL, after challenge: Challenge? = nil, in context: CommandContext
    ) async -> ResourceMove? {
        guard let issuer = provider.issuer, provider.resources.count == 1 else { return nil }
        let discovery = ResourceDiscovery(transport: context.edges.transport, time: context.edges.time, caFile: provider.caFile)
        let finding: DiscoveredResource? =
            if let challenge { try? await discovery.find(url, challenge: challenge) } else { try? await discovery.resource(at: url) }
        guard let finding, !finding.metadata.isAssumed, provider.resources.contains(finding.metadata.resource.text),
            !finding.metadata.authorizationServers.isEmpty, !finding.metadata.authorizationServers.contains(issuer)
        else { return nil }
        return ResourceMove(issuer: issuer, finding: finding)
    }
}

/// The arguments of `yett login` for the scopes that a resource wants.
struct ScopeArguments {
    private let scopes: ScopeSet
    /// Whether the session would have more scopes than now.
    let widensSession: Bool

    /// Creates the arguments for the challenge of a refused request; none if the challenge names no scope that the session lacks.
    init(for answer: WebResponse, _ tool: ToolSession?) {
        let wanted = answer.tokenChallenges.lazy.map(\.scopes).first { !$0.isEmpty } ?? []
        guard let tool else {
            (scopes, widensSession) = (wanted, false)
            return
        }
        widensSession = !wanted.isSubset(of: tool.session.scopes)
        scopes = widensSession ? ScopeArguments(adding: wanted, to: tool.session, of: tool.provider).scopes : []
    }

    /// Creates the arguments for more scopes of a session. A session of an OpenID provider keeps its identity: some providers do not say that
    /// they granted `openid`.
    init(adding more: ScopeSet, to session: SessionSummary, of provider: ProviderConfiguration) {
        let identity = provider.kind == .oidc ? provider.scopes.values.filter { $0 == "openid" } : []
        scopes = ScopeSet(identity + session.scopes.values + more.values)
        widensSession = true
    }

    /// The scopes that the arguments name.
    var names: [String] { scopes.values }
    /// The arguments, each one word with its value: a server chose it.
    var words: [String] { scopes.values.map { "--scope=\($0)" } }
    /// The arguments after a space each, quoted for a shell.
    var shellText: String { words.map { " \(ShellWord($0))" }.joined() }
}
