internal import ArgumentParser
internal import AuthModel

/// `yett helper kubectl`: a credential plugin for kubectl (client.authentication.k8s.io).
struct KubectlHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Be a credential plugin of kubectl.",
        discussion: """
            It hands out the ID token, which is what an API server usually wants; --access-token the other. Where kubectl tells of its \
            cluster (provideClusterInfo) and the provider has api_hosts, the cluster must be among them.
            """)

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Flag(help: "Hand out the access token instead of the ID token.")
    var accessToken = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "kubectl")
        let request = try ExecCredentialRequest(context.edges.environment["KUBERNETES_EXEC_INFO"])
        let tool = try await ToolSession.named(session, in: context)
        if let server = request.server, !tool.provider.apiHosts.isEmpty {
            try TokenDestinations(provider: tool.provider).require(server, in: context.configurationFile().read())
        }
        let grant = try await tool.token(for: "kubectl", wanted: accessToken ? .access : .id, in: context)
        try context.console.secret(Secret(request.answer(grant).text))
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
                .configuration, "KUBERNETES_EXEC_INFO holds no ExecCredential", hint: "let kubectl call this command; see: yett help tools")
        }
        guard Self.versions.contains(where: { version == Self.group + $0 }) else {
            throw AuthFailure(
                .configuration, "kubectl asks for an ExecCredential of another version: \(version)",
                hint: "write apiVersion: \(Self.group)v1 into the kubeconfig")
        }
        self.version = version
        let address = info["spec"]?["cluster"]?["server"]
        server = address?.string.flatMap { WebURL($0) }
        guard address == nil || server != nil else {
            throw AuthFailure(
                .configuration, "the cluster's server in KUBERNETES_EXEC_INFO is no address", hint: "see clusters in the kubeconfig")
        }
    }

    func answer(_ grant: IssuedToken) -> JSONValue {
        var status = [JSONValue.Member("token", .string(grant.token.reveal()))]
        if let end = grant.expiresAt { status.append(.init("expirationTimestamp", .string(end.description))) }
        return .members(("apiVersion", .string(version)), ("kind", "ExecCredential"), ("status", .object(status)))
    }
}
