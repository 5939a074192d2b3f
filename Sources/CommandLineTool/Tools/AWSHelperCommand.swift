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
            token service; to another one, such as MinIO's, only if its host is in api_hosts. The credentials are sealed with the session \
            until shortly before they end, unless the provider's policy is to ask; you get new ones after each sign-in.

            With a session of AWS IAM Identity Center, name an account and a role: any number of tools that ask at the same time get \
            the answer of one request.
            """)
    static let examples: KeyValuePairs = [
        "yett helper aws work --role-arn arn:aws:iam::123456789012:role/NAME": "Prints temporary credentials for a role.",
        "yett helper aws work --role": "Lists the roles that the provider names for you.",
        "yett helper aws aws --account production --role ReadOnlyAccess": "Prints credentials of a role of IAM Identity Center.",
        "yett helper aws aws --role --json": "Lists your accounts and roles for a script.",
    ]

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Option(help: ArgumentHelp("The role to assume. Default: AWS_ROLE_ARN.", valueName: "arn"))
    var roleArn: String?

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "With --account, the role in that account. Without a value, print your roles instead, one per line.", valueName: "name"))
    var role: String?

    @Option(help: ArgumentHelp("The AWS account of --role: its number, or its name.", valueName: "account"))
    var account: String?

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

    @Flag(help: "With --account or --role, print the answer in the form of yett's other commands.")
    var json = false

    func validate() throws {
        if role == "", roleArn != nil { throw ValidationError("--role lists roles; it cannot be combined with --role-arn") }
        guard (account == nil) == (role ?? "").isEmpty else { throw ValidationError("--account and --role NAME belong together") }
        if account != nil, roleArn != nil || roleSessionName != nil || duration != nil || endpoint != nil || accessToken {
            throw ValidationError("--account and --role name a role of IAM Identity Center, which decides about its credentials")
        }
        guard !json || account != nil || role == "" else {
            throw ValidationError("--json belongs to --account, or to --role without a value")
        }
        if let duration, !(900...43_200).contains(duration) { throw ValidationError("--duration must be between 900 and 43200 seconds") }
    }

    func run(in context: CommandContext) async throws {
        if let account, let role {
            try context.requireNoTerminal(for: "aws")
            let session = try await RoleSession.named(session, for: "yett helper aws", in: context)
            let role = try await session.role(account: account, role: role)
            let credentials = try await session.credentials(of: role)
            return try context.console.secret(json ? credentials.output(of: session.tool.session.name, role) : credentials.json)
        }
        if role != nil {
            let provider = try context.configurationFile().read().named(try SessionName(argument: session).provider.text)
            if RoleSession.isRoleProvider(provider) {
                let session = try await RoleSession.named(session, for: "yett helper aws", in: context)
                let roles = try await session.roles(isFresh: true)
                if json {
                    let list = roles.map { role in
                        JSONValue.members(
                            ("account", .string(role.account)),
                            ("account_name", JSONValue(role.accountName.isEmpty ? nil : role.accountName)),
                            ("role", .string(role.role)))
                    }
                    return try context.console.lines([
                        JSONValue.answer(("session", .string(session.tool.session.name.description)), ("roles", .array(list))).text
                    ])
                }
                return try context.console.lines(roles.map { "\($0.text)\($0.accountName.isEmpty ? "" : "  \($0.accountName)")" })
            }
            let tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
            let roles = try await tool.roles()
            guard json else { return try context.console.lines(roles) }
            return try context.console.lines([
                JSONValue.answer(("session", .string(tool.session.name.description)), ("role_arns", JSONValue(roles))).text
            ])
        }
        try context.requireNoTerminal(for: "aws")
        let environment = context.edges.environment
        guard let arn = roleArn ?? environment["AWS_ROLE_ARN"], !arn.isEmpty else {
            throw AuthFailure(.usage, text: "no role given", hint: "set --role-arn or AWS_ROLE_ARN; --role lists the roles in your claims")
        }
        let service = try RoleService(
            role: arn, region: region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"],
            endpoint: endpoint ?? environment["AWS_ENDPOINT_URL_STS"])
        var tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
        tool.destination = arn
        if !service.isAWS { try TokenDestinations(provider: tool.provider).require(service.url, in: context.configurationFile().read()) }
        let wanted: TokenRequest.Wanted = accessToken ? .access : .id
        let name = roleSessionName ?? environment["AWS_ROLE_SESSION_NAME"] ?? tool.session.name.account ?? ""
        let purpose = service.purpose(sessionName: name, duration: duration, wanted: wanted)
        if let kept = await tool.keptCredential(for: "aws", purpose, wanted: wanted) { return try context.console.secret(kept) }
        let issued = try await tool.token(for: "aws", wanted: wanted, in: context)
        let request = service.request(issued.token, sessionName: name, duration: duration)
        // The provider's CA certificates do not apply to AWS.
        let answer = try await context.edges.transport.send(
            request, policy: TransportPolicy(caFile: service.isAWS ? nil : tool.provider.caFile))
        let credentials = try service.credentials(in: answer)
        let text = Secret(credentials.text)
        if let limit = RoleService.usableUntil(credentials, now: context.now) {
            // These credentials are good even if they cannot be kept.
            try? await tool.service.keep(DerivedCredential(purpose: purpose, secret: text, usableUntil: limit), of: issued.session)
        }
        try context.console.secret(text)
    }
}
