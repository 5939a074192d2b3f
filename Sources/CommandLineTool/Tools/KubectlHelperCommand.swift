internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett helper kubectl`: a credential plugin for kubectl (client.authentication.k8s.io).
struct KubectlHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Act as a credential plugin of kubectl.",
        discussion: """
            Returns the ID token, which most API servers expect, or with --access-token the access token. If kubectl names its cluster \
            (provideClusterInfo) and the provider has api_hosts, the cluster must be one of them. If a cluster refuses a token that has not \
            expired, kubectl asks again, and the agent renews the token, at most once a minute. Without an agent, use --force-refresh.
            """)
    static let examples: KeyValuePairs = [
        "yett helper kubectl work": "Prints the credential that kubectl gets.",
        "kubectl config set-credentials work --exec-api-version=client.authentication.k8s.io/v1 --exec-command=yett --exec-arg=helper --exec-arg=kubectl --exec-arg=work":
            "Lets kubectl get its tokens from Yett.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Flag(help: "Return the access token instead of the ID token.")
    var accessToken = false

    @Flag(help: "Renew the session first, after the cluster refused a token that has not expired.")
    var forceRefresh = false

    var runsInAgent: Bool { true }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "kubectl")
        let request = try ExecCredentialRequest(context.edges.environment["KUBERNETES_EXEC_INFO"])
        var tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
        tool.destination = request.server?.origin.authority
        if let server = request.server, !tool.provider.apiHosts.isEmpty {
            try TokenDestinations(provider: tool.provider).require(server, in: context.configurationFile().read())
        }
        if forceRefresh { _ = try await tool.service.renew(tool.session.name) }
        let issued = try await tool.token(for: "kubectl", wanted: accessToken ? .access : .id, repetitionMeansRefusal: true, in: context)
        try context.console.secret(Secret(request.credential(with: issued).text))
    }
}

/// The request in `KUBERNETES_EXEC_INFO`, and the `ExecCredential` that answers it.
struct ExecCredentialRequest {
    private let version: String
    /// The cluster's API server, if kubectl provides it.
    let server: WebURL?

    private static let group = "client.authentication.k8s.io/"
    private static let versions = ["v1", "v1beta1"]

    /// Parses the request; without one, the answer uses the newest version. Throws `.configuration` if the text is invalid or has an
    /// unknown version.
    init(_ text: String?) throws(AuthFailure) {
        guard let text, !text.isEmpty else {
            version = Self.group + "v1"
            server = nil
            return
        }
        guard let info = try? JSONValue(strict: text), let version = info["apiVersion"]?.string, info["kind"]?.string == "ExecCredential"
        else {
            throw AuthFailure(
                .configuration, text: "KUBERNETES_EXEC_INFO contains no ExecCredential",
                hint: "let kubectl call this command; see: yett help tools")
        }
        guard Self.versions.contains(where: { version == Self.group + $0 }) else {
            throw AuthFailure(
                .configuration, text: "kubectl requests an unsupported ExecCredential version: \(version)",
                hint: "set apiVersion: \(Self.group)v1 in the kubeconfig")
        }
        self.version = version
        let address = info["spec"]?["cluster"]?["server"]
        server = address?.string.flatMap { WebURL($0) }
        guard address == nil || server != nil else {
            throw AuthFailure(
                .configuration, text: "the cluster's server in KUBERNETES_EXEC_INFO is not a URL", hint: "check clusters in the kubeconfig")
        }
    }

    /// Returns the ExecCredential with a token.
    func credential(with issued: IssuedToken) -> JSONValue {
        var status = [JSONValue.Member("token", .string(issued.token.reveal()))]
        if let end = issued.expiresAt { status.append(.init("expirationTimestamp", .string(end.description))) }
        return .members(("apiVersion", .string(version)), ("kind", "ExecCredential"), ("status", .object(status)))
    }
}
