internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// The options of `yett setup aws` for the profiles of many roles.
struct AWSProfilesOptions: ParsableArguments {
    @Flag(help: "Write a profile for each account and role of AWS IAM Identity Center.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Write profiles for these accounts and roles; * stands for any text; may be repeated.", valueName: "account/role"))
    var select: [String] = []

    @Flag(help: "Let profiles with an sso_session of the same start URL use Yett.")
    var move = false

    @Option(
        help: ArgumentHelp(
            "The names of the profiles, with {account_name}, {account} and {role}. Default: \(AWSProfilePattern.standard).",
            valueName: "pattern"))
    var pattern: String?

    @Option(help: ArgumentHelp("The region of new profiles. Default: none.", valueName: "region"))
    var region: String?

    /// Whether the command is for more than one profile.
    var isUsed: Bool { all || move || !select.isEmpty }

    func validate(with setup: SetupOptions) throws {
        guard isUsed || pattern == nil && region == nil else { throw ValidationError("--pattern and --region belong to --all or --select") }
        guard !all || select.isEmpty else { throw ValidationError("--all and --select cannot be combined") }
        guard region.map({ $0.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) } }) ?? true else {
            throw ValidationError("--region takes a region such as eu-central-1")
        }
        guard !setup.remove || select.isEmpty else {
            throw ValidationError("--all --remove removes all profiles of the session; to remove one, name it instead of --select")
        }
    }

    /// Returns the setup. Unless it is removed, asks AWS for the roles.
    func tool(for session: String?, _ setup: SetupOptions, in context: CommandContext) async throws(AuthFailure) -> AWSProfilesSetup {
        let name = try await setup.session(session, in: context)
        let environment = try SetupEnvironment(context)
        guard !setup.remove, let name else { return AWSProfilesSetup(session: name, environment: environment) }
        let pattern = try AWSProfilePattern(self.pattern ?? AWSProfilePattern.standard)
        let session = try await RoleSession.named(name.description, for: "yett setup aws", in: context)
        var roles = try await session.roles(isFresh: true)
        if !select.isEmpty {
            let listed = roles
            for wanted in select where !listed.contains(where: { $0.isNamed(wanted) }) {
                throw AuthFailure(
                    .usage, text: "\(name) has no role \(wanted)",
                    hint: "list the roles with: yett helper aws \(name.shellWord) --role")
            }
            roles = listed.filter { role in select.contains { role.isNamed($0) } }
        }
        guard !roles.isEmpty else {
            throw AuthFailure(.denied(code: nil), text: "\(name) has no role in any account", hint: "ask your administrator for access")
        }
        return AWSProfilesSetup(
            session: name, roles: roles, names: all || !select.isEmpty ? try pattern.names(of: roles) : [],
            moving: move ? session.tool.provider.kindSettings?.console?.signIn : nil, region: region, environment: environment)
    }
}

/// The profiles of many roles of AWS IAM Identity Center, each with a `credential_process`.
struct AWSProfilesSetup: ToolSetup {
    var tool: SetupTool { .aws }
    var target: String { "*" }
    var targetName: String { "the profiles of your roles" }
    var hint: String? { "use it with: aws --profile NAME, or set AWS_PROFILE" }

    let session: SessionName?
    /// The roles that were chosen.
    var roles: [AccountRole] = []
    /// The names of the profiles to write.
    var names: [(name: String, role: AccountRole)] = []
    /// The start URL of the profiles to move; `nil` to move none.
    var moving: WebURL?
    /// The region of new profiles.
    var region: String?
    let environment: SetupEnvironment

    /// The settings with which AWS tools sign in to IAM Identity Center themselves.
    private static let signIn = ["sso_session", "sso_start_url", "sso_region", "sso_account_id", "sso_role_name"]
    /// The settings of a profile that AWS tools use before those for IAM Identity Center, or before `credential_process`. What such a
    /// profile has stays in use.
    private static let stronger = ["role_arn", "web_identity_token_file", "login_session"]

    func change() throws(AuthFailure) -> SetupChange {
        let yett = try environment.requireYett(for: "aws")
        var configuration = try AWSSetup.configuration(in: environment)
        let known = configuration.settings
        let credentials = Set(try AWSSetup.credentials(in: environment).sections)
        var notes: [String] = []
        var done: Set<AccountRole> = []
        for profile in try moved(known) {
            let name = AWSSetup.profile(of: profile.section)
            // AWS tools use these keys before credential_process, but not before the settings that it would replace.
            guard !credentials.contains(name) else {
                notes.append(Self.note(onKeysOf: name))
                continue
            }
            let process = try Self.process(yett, requiredSession, profile.role)
            configuration.replace(Self.signIn, with: (AWSSetup.key, process), in: profile.section)
            done.insert(profile.role)
        }
        // A role that has a profile already gets no second one.
        if moving != nil {
            done.formUnion(known.values.compactMap { Self.entry($0[AWSSetup.key]) }.filter { $0.session == session }.map(\.role))
        }
        for (name, role) in names where !done.contains(role) {
            let section = AWSSetup.section(of: name)
            let process = try Self.process(yett, requiredSession, role)
            guard let settings = known[section] else {
                if credentials.contains(name) {
                    notes.append(Self.note(onKeysOf: name))
                } else {
                    configuration.add(section, (region.map { [("region", $0)] } ?? []) + [(AWSSetup.key, process)])
                }
                continue
            }
            guard let old = settings[AWSSetup.key], let entry = Self.entry(old), entry.session == session, entry.role == role else {
                notes.append("the profile \(name) exists already, and stays as it is")
                continue
            }
            // The program may have moved.
            if old != process { configuration.set(AWSSetup.key, to: process, in: section) }
        }
        _ = try profile(in: configuration)
        return SetupChange(steps: configuration.edit.map { [SetupStep($0)] } ?? [], notes: notes)
    }

    private static func note(onKeysOf profile: String) -> String { "the profile \(profile) has credentials already, and stays as it is" }

    /// Returns the profiles that sign in at the start URL themselves. Throws `.usage` if there are none and no others are written.
    private func moved(_ known: [String: [String: String]]) throws(AuthFailure) -> [(section: String, role: AccountRole)] {
        guard let moving else { return [] }
        let found = known.compactMap { section, settings -> (section: String, role: AccountRole)? in
            guard section == "default" || section.hasPrefix("profile "), settings[AWSSetup.key] == nil else { return nil }
            let start = settings["sso_session"].map { known["sso-session \($0)"]?["sso_start_url"] } ?? settings["sso_start_url"]
            guard let start, Self.isSame(start, moving), !Self.stronger.contains(where: { settings[$0] != nil }) else { return nil }
            return roles.first { $0.account == settings["sso_account_id"] && $0.role == settings["sso_role_name"] }.map { (section, $0) }
        }
        func isDone(_ settings: [String: String]) -> Bool {
            Self.entry(settings[AWSSetup.key]).map { $0.session == session && roles.contains($0.role) } ?? false
        }
        guard !found.isEmpty || !names.isEmpty || known.values.contains(where: isDone) else {
            throw AuthFailure(
                .usage, text: "no profile with one of your roles signs in at \(moving)", hint: "to write new profiles, use --all")
        }
        return found.sorted { $0.section < $1.section }
    }

    /// Whether two start URLs are the same. AWS tools also accept the one that the browser shows, which has a fragment such as `#/`.
    private static func isSame(_ text: String, _ start: WebURL) -> Bool {
        var text = text.prefix { $0 != "#" }
        while text.last == "/" { text = text.dropLast() }
        return WebURL(String(text))?.text == start.text
    }

    private static func process(_ yett: String, _ session: SessionName, _ role: AccountRole) throws(AuthFailure) -> String {
        // The number of an account needs no list.
        try ToolSyntax.aws([yett, "helper", "aws", session.description, "--account", role.account, "--role", role.role])
    }

    /// Returns the session and the role of a `credential_process`; `nil` if it is none of a role of IAM Identity Center.
    private static func entry(_ process: String?) -> (session: SessionName?, role: AccountRole)? {
        guard let process, let line = AWSSetup.line(of: process) else { return nil }
        let words = HelperLine.words(of: process)
        func value(_ option: String) -> String? {
            words.firstIndex(of: option).flatMap { $0 + 1 < words.count ? words[$0 + 1] : nil }
        }
        // The setup writes numbers; a line with the name of an account is the user's own.
        guard let account = value("--account"), AccountRole.isAccount(account), let role = value("--role") else { return nil }
        return (line.session, AccountRole(account: account, role: role))
    }

    func undo() throws(AuthFailure) -> SetupChange {
        var configuration = try AWSSetup.configuration(in: environment)
        configuration.remove(AWSSetup.key) { process in Self.entry(process).map { session == nil || $0.session == session } ?? false }
        return SetupChange(steps: configuration.edit.map { [SetupStep($0)] } ?? [])
    }

    /// Returns the first profile with one of the roles. Throws `.configuration` if there is none.
    private func profile(in configuration: AWSConfiguration) throws(AuthFailure) -> (name: String, role: AccountRole) {
        let (known, chosen) = (configuration.settings, Set(roles))
        for section in configuration.sections {
            guard let entry = Self.entry(known[section]?[AWSSetup.key]), entry.session == session, chosen.contains(entry.role) else {
                continue
            }
            return (AWSSetup.profile(of: section), entry.role)
        }
        guard !names.isEmpty else {
            let path = try AWSSetup.credentials(in: environment).path
            throw AuthFailure(
                .configuration, text: "the profiles that could be moved have credentials already, which aws would use first",
                hint: "remove their sections from \(path)")
        }
        throw AuthFailure(
            .configuration, text: "all profiles of these names exist already, and stay as they are",
            hint: "choose other names with --pattern")
    }

    func check() async throws(AuthFailure) -> SetupCheck {
        let (name, role) = try profile(in: AWSSetup.configuration(in: environment))
        return try await AWSSetup.check(name, role: "\(role.text) for the profile \(name)", in: environment)
    }
}
