internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup aws`: lets AWS tools get credentials of a role.
struct AWSSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Let AWS tools get credentials of a role.",
        discussion: """
            Sets credential_process of the profile to yett helper aws. The host of another token service than that of AWS is added to \
            api_hosts of the session's provider. If the session's claims name one role, that is the default of --role.

            With a session of AWS IAM Identity Center, --all writes a profile for each of your accounts and roles, and --select for some of \
            them. A profile that exists stays as it is. --move lets the profiles that have an sso_session of the same start URL use Yett: \
            their other settings stay, and so do the replaced lines, as comments. --remove undoes all of that.
            """)
    static let examples: KeyValuePairs = [
        "yett setup aws dev work --role arn:aws:iam::123456789012:role/NAME": "Lets the profile dev get credentials of a role.",
        "yett setup aws dev --remove": "Removes the setup.",
        "yett setup aws --all aws --region eu-central-1": "Writes a profile for each account and role of IAM Identity Center.",
        "yett setup aws --select 'production/*' aws --pattern '{role}@{account_name}'": "Writes those of one account.",
        "yett setup aws --all --move --remove": "Removes all these profiles, and restores the moved ones.",
    ]

    @Argument(help: "The AWS profile. It is created if it does not exist. With --all, --select or --move: the session.")
    var profile: String?

    @Argument(help: .onlySession, completion: .names(.sessions))
    var session: String?

    @Option(help: ArgumentHelp("The role to assume. Default: the only one in the session's claims.", valueName: "arn"))
    var role: String?

    @Option(help: ArgumentHelp("The URL of another token service than that of AWS.", valueName: "url"))
    var endpoint: String?

    @OptionGroup var profiles: AWSProfilesOptions

    @OptionGroup var setup: SetupOptions

    func validate() throws {
        try profiles.validate(with: setup)
        if profiles.isUsed {
            guard session == nil, role == nil, endpoint == nil else {
                throw ValidationError("--all, --select and --move take a session, and no profile, --role and --endpoint")
            }
        } else if profile == nil {
            throw ValidationError("no profile given; write it first, or use --all")
        }
    }

    func run(in context: CommandContext) async throws {
        guard let profile, !profiles.isUsed else {
            try context.requireDefaultConfiguration()
            let tool = try await profiles.tool(for: profile, setup, in: context)
            return try await SetupRun(setup: tool, options: setup, context: context)()
        }
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

/// The `credential_process` of one AWS profile.
struct AWSSetup: ToolSetup {
    var tool: SetupTool { .aws }

    let profile: String
    let session: SessionName?
    /// The role to assume; `nil` if it does not matter, to remove the setup.
    let role: String?
    /// The token service; `nil` for that of AWS.
    let service: RoleService?
    let environment: SetupEnvironment

    var target: String { profile }
    var hint: String? { "use it with: aws --profile \(ShellWord(profile)), or set AWS_PROFILE" }

    static let key = "credential_process"

    /// Throws `.usage` if the profile, the role or the URL is invalid.
    init(profile: String, session: SessionName?, role: String?, endpoint: String?, environment: SetupEnvironment) throws(AuthFailure) {
        guard Self.isProfile(profile) else {
            throw AuthFailure(.usage, text: "'\(profile)' is not the name of a profile", hint: "use letters, digits and . _ - @ +")
        }
        self.profile = profile
        self.session = session
        self.role = role
        service = try role.map { role throws(AuthFailure) in try RoleService(role: role, region: nil, endpoint: endpoint) }
        self.environment = environment
    }

    func destination() -> WebURL? { service.flatMap { $0.isAWS ? nil : $0.url } }

    // MARK: Reading

    static func configuration(in environment: SetupEnvironment) throws(AuthFailure) -> AWSConfiguration {
        try AWSConfiguration(path: path("AWS_CONFIG_FILE", "config", in: environment))
    }

    static func credentials(in environment: SetupEnvironment) throws(AuthFailure) -> AWSConfiguration {
        try AWSConfiguration(path: path("AWS_SHARED_CREDENTIALS_FILE", "credentials", in: environment))
    }

    /// Returns the path of a file that a variable names. AWS tools expand the sign of the home folder themselves.
    private static func path(_ variable: String, _ file: String, in environment: SetupEnvironment) -> String {
        let path = environment.value(variable) ?? "~/.aws/\(file)"
        return path.hasPrefix("~/") ? environment.home + path.dropFirst() : path
    }

    static func section(of profile: String) -> String { profile == "default" ? profile : "profile \(profile)" }

    /// Returns the profile that a section of the configuration is about.
    static func profile(of section: String) -> String { section == "default" ? section : String(section.dropFirst("profile ".count)) }

    /// Returns whether a text can be the name of a profile.
    static func isProfile(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-") && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"[]\"'#;=\\".utf8.contains($0) }
    }

    static func line(of process: String?) -> HelperLine? { process.flatMap { HelperLine(line: $0, helper: "aws") } }

    static func current(in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        let configuration = try configuration(in: environment)
        var entries: [SetupEntry] = []
        let known = configuration.settings
        for section in configuration.sections where section == "default" || section.hasPrefix("profile ") {
            let process = known[section]?[key]
            guard let line = line(of: process) else { continue }
            let words = process.map(HelperLine.words) ?? []
            let endpoint = words.firstIndex(of: "--endpoint").flatMap { $0 + 1 < words.count ? WebURL(words[$0 + 1]) : nil }
            entries.append(SetupEntry(tool: .aws, target: profile(of: section), session: line.session, destination: endpoint))
        }
        return entries
    }

    // MARK: Changing

    /// The keys of a profile that AWS tools use before `credential_process`, and what has them.
    private static let stronger = [
        "role_arn", "web_identity_token_file", "sso_session", "sso_start_url", "login_session", "aws_access_key_id",
    ]

    /// Returns the value of `credential_process`.
    private func process() throws(AuthFailure) -> String {
        let yett = try environment.requireYett(for: "aws")
        guard let role else {
            throw AuthFailure(.usage, text: "no role given", hint: "add: --role arn:aws:iam::123456789012:role/NAME")
        }
        let helper = [yett, "helper", "aws", try requiredSession.description, "--role-arn", role]
        return try ToolSyntax.aws(helper + (service.flatMap { $0.isAWS ? nil : ["--endpoint", $0.url.text] } ?? []))
    }

    func change() throws(AuthFailure) -> SetupChange {
        try environment.require("aws")
        let process = try process()
        let configuration = try Self.configuration(in: environment)
        let section = Self.section(of: profile)
        let settings = configuration.settings(of: section)
        guard settings[Self.key] != process else { return SetupChange() }
        if let other = settings[Self.key], Self.line(of: other) == nil {
            throw AuthFailure(
                .configuration, text: "the profile \(profile) already gets its credentials from '\([String].firstWord(of: other))'",
                hint: "choose another profile, or remove credential_process from it in \(configuration.path)")
        }
        let credentials = try Self.credentials(in: environment)
        for (path, present) in [(configuration.path, settings), (credentials.path, credentials.settings(of: profile))] {
            guard let key = Self.stronger.first(where: { present[$0] != nil }) else { continue }
            throw AuthFailure(
                .configuration, text: "the profile \(profile) already has credentials: \(key) in \(path), which aws uses first",
                hint: "choose another profile, or remove \(key) from it")
        }
        let isNew = !configuration.sections.contains(section)
        return SetupChange(steps: [
            SetupStep(
                shownFile: configuration.path, files: [configuration.path],
                actions: (configuration.preparation.map { [.write($0)] } ?? [])
                    + [.run(["aws", "configure", "set", Self.key, process, "--profile", profile])],
                before: settings[Self.key].map { ["\(Self.key) = \($0)"] } ?? [],
                after: (isNew ? ["[\(section)]"] : []) + ["\(Self.key) = \(process)"])
        ])
    }

    func undo() throws(AuthFailure) -> SetupChange {
        var configuration = try Self.configuration(in: environment)
        let section = Self.section(of: profile)
        guard Self.line(of: configuration.settings(of: section)[Self.key]) != nil else { return SetupChange() }
        configuration.remove(Self.key, from: section)
        return SetupChange(steps: configuration.edit.map { [SetupStep($0)] } ?? [])
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        try await Self.check(profile, role: role ?? "the role", in: environment)
    }

    /// Runs the helper of a profile as AWS tools do.
    static func check(_ profile: String, role: String, in environment: SetupEnvironment) async throws(AuthFailure) -> SetupCheck {
        let subject = "aws got no credentials for the profile \(profile)"
        let process = try configuration(in: environment).settings(of: section(of: profile))[key] ?? ""
        let exchange = try await environment.run(HelperLine.words(of: process))
        let answer = try? JSONValue(strict: exchange.output)
        guard exchange.status == 0, answer?["Version"] == 1, answer?["SecretAccessKey"]?.string?.isEmpty == false else {
            throw exchange.refusal(subject)
        }
        return SetupCheck(
            command: key, found: "temporary credentials of \(role)",
            expiresAt: answer?["Expiration"]?.string.flatMap { Timestamp($0) })
    }
}
