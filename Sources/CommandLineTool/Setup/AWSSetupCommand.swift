internal import ArgumentParser
internal import AuthModel

/// `yett setup aws`: lets AWS tools get credentials of a role.
struct AWSSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Let AWS tools get credentials of a role.",
        discussion: """
            Sets credential_process of the profile to yett helper aws. The host of another token service than that of AWS is added to \
            api_hosts of the session's provider.
            """)
    static let examples: KeyValuePairs = [
        "yett setup aws dev work --role arn:aws:iam::123456789012:role/NAME": "Lets the profile dev get credentials of a role.",
        "yett setup aws dev --remove": "Removes the setup.",
    ]

    @Argument(help: "The AWS profile. It is created if it does not exist.")
    var profile: String

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT.", completion: .names(.sessions))
    var session: String?

    @Option(help: ArgumentHelp("The role to assume.", valueName: "arn"))
    var role: String?

    @Option(help: ArgumentHelp("The URL of another token service than that of AWS.", valueName: "url"))
    var endpoint: String?

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func validate() throws {
        if !setup.remove, role == nil { throw ValidationError("--role is missing; add --role arn:aws:iam::123456789012:role/NAME") }
    }

    func run(in context: CommandContext) async throws {
        let tool = try AWSSetup(
            profile: profile, session: setup.session(session), role: role, endpoint: endpoint, environment: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }
}
