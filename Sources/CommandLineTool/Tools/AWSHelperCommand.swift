internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import UserConfiguration

/// `yett helper aws`: a `credential_process` for AWS tools and libraries.
struct AWSHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Act as a credential_process of AWS tools.",
        discussion: """
            Exchanges the ID token for temporary credentials of a role (AssumeRoleWithWebIdentity). The token is sent to the AWS \
            token service; to another one, such as MinIO's, only if its host is in api_hosts.
            """)
    static let examples: KeyValuePairs = [
        "yett helper aws work --role-arn arn:aws:iam::123456789012:role/NAME": "Prints temporary credentials for a role."
    ]

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String

    @Option(help: ArgumentHelp("The role to assume. Default: AWS_ROLE_ARN.", valueName: "arn"))
    var roleArn: String?

    @Option(
        help: ArgumentHelp(
            "The name of the role session in AWS logs. Default: AWS_ROLE_SESSION_NAME, or the account.", valueName: "name"))
    var roleSessionName: String?

    @Option(help: ArgumentHelp("The region of the token service. Default: AWS_REGION.", valueName: "region"))
    var region: String?

    @Option(help: ArgumentHelp("The lifetime of the credentials, from 900 to 43200, within the role's limit.", valueName: "seconds"))
    var duration: Int?

    @Option(help: ArgumentHelp("The URL of another token service. Default: AWS_ENDPOINT_URL_STS.", valueName: "url"))
    var endpoint: String?

    @Flag(help: "Exchange the access token instead of the ID token.")
    var accessToken = false

    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if let duration, !(900...43_200).contains(duration) { throw ValidationError("--duration must be between 900 and 43200 seconds") }
    }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "aws")
        let environment = context.edges.environment
        guard let role = roleArn ?? environment["AWS_ROLE_ARN"], !role.isEmpty else {
            throw AuthFailure(.usage, text: "no role given", hint: "set --role-arn or AWS_ROLE_ARN")
        }
        let service = try RoleService(
            role: role, region: region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"],
            endpoint: endpoint ?? environment["AWS_ENDPOINT_URL_STS"])
        var tool = try await ToolSession.named(session, in: context)
        tool.destination = role
        if !service.isAWS { try TokenDestinations(provider: tool.provider).require(service.url, in: context.configurationFile().read()) }
        let issued = try await tool.token(for: "aws", wanted: accessToken ? .access : .id, in: context)
        let name = roleSessionName ?? environment["AWS_ROLE_SESSION_NAME"] ?? tool.session.name.account ?? ""
        let request = service.request(issued.token, sessionName: name, duration: duration)
        // The provider's CA certificates do not apply to AWS.
        let answer = try await context.edges.transport.send(
            request, policy: TransportPolicy(caFile: service.isAWS ? nil : tool.provider.caFile))
        try context.console.secret(Secret(service.credentials(in: answer).text))
    }
}
