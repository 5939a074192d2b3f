internal import ArgumentParser
internal import AuthEngine
internal import AuthModel

/// `yett helper aws`: a `credential_process` for AWS tools and libraries.
struct AWSHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Be a credential_process of AWS tools.",
        discussion: """
            It exchanges the ID token for credentials of a role that last a while (AssumeRoleWithWebIdentity). The token goes to AWS's own \
            token service; to another one, such as MinIO's, only where its host is in api_hosts.
            """)

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Option(help: ArgumentHelp("The role to take on; usually AWS_ROLE_ARN.", valueName: "arn"))
    var roleArn: String?

    @Option(
        help: ArgumentHelp(
            "What the role's session is called in AWS's records; usually AWS_ROLE_SESSION_NAME, or the account.", valueName: "name"))
    var roleSessionName: String?

    @Option(help: ArgumentHelp("Whose token service is asked; usually AWS_REGION.", valueName: "region"))
    var region: String?

    @Option(help: ArgumentHelp("How long the credentials are to last: from 900 to 43200, as the role allows.", valueName: "seconds"))
    var duration: Int?

    @Option(help: ArgumentHelp("Another token service's address; usually AWS_ENDPOINT_URL_STS.", valueName: "url"))
    var endpoint: String?

    @Flag(help: "Exchange the access token instead of the ID token.")
    var accessToken = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if let duration, !(900...43_200).contains(duration) { throw ValidationError("--duration goes from 900 to 43200, in seconds") }
    }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "aws")
        let environment = context.edges.environment
        guard let role = roleArn ?? environment["AWS_ROLE_ARN"], !role.isEmpty else {
            throw AuthFailure(.usage, "there is no role to take on", hint: "name it with --role-arn, or in AWS_ROLE_ARN")
        }
        let service = try RoleService(
            role: role, region: region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"],
            endpoint: endpoint ?? environment["AWS_ENDPOINT_URL_STS"])
        let tool = try await ToolSession.named(session, in: context)
        if !service.isAWS { try TokenDestinations(provider: tool.provider).require(service.url, in: context.configurationFile().read()) }
        let grant = try await tool.token(for: "aws", wanted: accessToken ? .access : .id, in: context)
        let name = roleSessionName ?? environment["AWS_ROLE_SESSION_NAME"] ?? tool.session.name.account ?? ""
        let request = service.request(grant.token, sessionName: name, duration: duration)
        // The provider's CA certificates do not apply to AWS.
        let answer = try await context.edges.transport.send(
            request, policy: TransportPolicy(caFile: service.isAWS ? nil : tool.provider.caFile))
        try context.console.secret(Secret(service.credentials(in: answer).text))
    }
}
