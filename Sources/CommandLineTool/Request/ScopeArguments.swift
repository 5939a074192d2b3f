internal import AuthModel
internal import OAuth

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
    /// The arguments.
    var words: [String] { scopes.values.flatMap { ["--scope", $0] } }
    /// The arguments after a space each, quoted for a shell.
    var shellText: String { words.map { " \(ShellWord($0))" }.joined() }
}
