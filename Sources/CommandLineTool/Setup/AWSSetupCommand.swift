internal import ArgumentParser
internal import AuthModel

/// `yett setup aws`: lets AWS tools get credentials of a role.
struct AWSSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Let AWS tools get credentials of a role.",
        discussion: """
            Sets credential_process of the profile to yett helper aws. The host of another token service than that of AWS is added to \
            api_hosts of the session's provider. If the session's claims name one role, that is the default of --role.
            """)
    static let examples: KeyValuePairs = [
        "yett setup aws dev work --role arn:aws:iam::123456789012:role/NAME": "Lets the profile dev get credentials of a role.",
        "yett setup aws dev --remove": "Removes the setup.",
    ]

    @Argument(help: "The AWS profile. It is created if it does not exist.")
    var profile: String

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT. Default: the only session.", completion: .names(.sessions))
    var session: String?

    @Option(help: ArgumentHelp("The role to assume. Default: the only one in the session's claims.", valueName: "arn"))
    var role: String?

    @Option(help: ArgumentHelp("The URL of another token service than that of AWS.", valueName: "url"))
    var endpoint: String?

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try await setup.session(session, in: context)
        var role = role
        if role == nil, !setup.remove, let name { role = try await Self.onlyRole(of: name, in: context) }
        let tool = try AWSSetup(
            profile: profile, session: name, role: role, endpoint: endpoint, environment: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }

    /// Returns the only role in a session's claims. Throws `.usage` if there is none, or if there are several.
    private static func onlyRole(of session: SessionName, in context: CommandContext) async throws(AuthFailure) -> String {
        let tool = try await ToolSession.named(session.description, in: context)
        let roles = RoleClaims(try await tool.service.session(tool.session.name).identity).roles
        guard roles.count <= 1 else {
            throw AuthFailure(
                .usage, text: "the claims of \(tool.session.name) name \(roles.count) roles",
                hint: "choose one with --role; list them with: yett helper aws \(tool.session.name.shellWord) --role")
        }
        guard let role = roles.first else {
            throw AuthFailure(.usage, text: "no role given", hint: "add: --role arn:aws:iam::123456789012:role/NAME")
        }
        return role
    }
}
