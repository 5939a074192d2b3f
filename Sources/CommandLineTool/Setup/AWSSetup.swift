internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// The `credential_process` of one AWS profile.
struct AWSSetup: ToolSetup {
    static let tool = SetupTool.aws

    let profile: String
    let session: SessionName?
    /// The role to assume; `nil` if it does not matter, to remove the setup.
    let role: String?
    /// The token service; `nil` for that of AWS.
    let service: RoleService?
    let environment: SetupEnvironment

    var target: String { profile }

    private static let key = "credential_process"

    /// Throws `.usage` if the profile, the role or the URL is invalid.
    init(profile: String, session: SessionName?, role: String?, endpoint: String?, environment: SetupEnvironment) throws(AuthFailure) {
        let isName = !profile.hasPrefix("-") && profile.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"[]\"'#;=\\".utf8.contains($0) }
        guard !profile.isEmpty, isName else {
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

    private static func configuration(in environment: SetupEnvironment) throws(AuthFailure) -> AWSConfiguration {
        try AWSConfiguration(path: environment.value("AWS_CONFIG_FILE") ?? environment.home + "/.aws/config")
    }

    private static func section(of profile: String) -> String { profile == "default" ? profile : "profile \(profile)" }

    private static func line(of process: String?) -> HelperLine? { process.flatMap { HelperLine(line: $0, helper: "aws") } }

    static func current(in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        let configuration = try configuration(in: environment)
        var entries: [SetupEntry] = []
        for section in configuration.sections where section == "default" || section.hasPrefix("profile ") {
            let process = configuration.settings(of: section)[key]
            guard let line = line(of: process) else { continue }
            let words = process.map(HelperLine.words) ?? []
            let endpoint = words.firstIndex(of: "--endpoint").flatMap { $0 + 1 < words.count ? WebURL(words[$0 + 1]) : nil }
            let profile = section == "default" ? section : String(section.dropFirst("profile ".count))
            entries.append(SetupEntry(tool: .aws, target: profile, session: line.session, destination: endpoint))
        }
        return entries
    }

    // MARK: Changing

    /// The keys of a profile that AWS tools use before `credential_process`, and what has them.
    private static let stronger = ["role_arn", "web_identity_token_file", "sso_session", "sso_start_url", "aws_access_key_id"]

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
        let credentials = try AWSConfiguration(
            path: environment.value("AWS_SHARED_CREDENTIALS_FILE") ?? environment.home + "/.aws/credentials")
        for (path, present) in [(configuration.path, settings), (credentials.path, credentials.settings(of: profile))] {
            guard let key = Self.stronger.first(where: { present[$0] != nil }) else { continue }
            throw AuthFailure(
                .configuration, text: "the profile \(profile) already has credentials: \(key) in \(path), which aws uses first",
                hint: "choose another profile, or remove \(key) from it")
        }
        let isNew = !configuration.sections.contains(section)
        return SetupChange(steps: [
            SetupStep(
                place: configuration.path, files: [configuration.path],
                actions: [.run(["aws", "configure", "set", Self.key, process, "--profile", profile])],
                before: settings[Self.key].map { ["\(Self.key) = \($0)"] } ?? [],
                after: (isNew ? ["[\(section)]"] : []) + ["\(Self.key) = \(process)"])
        ])
    }

    func undo() throws(AuthFailure) -> SetupChange {
        let configuration = try Self.configuration(in: environment)
        let section = Self.section(of: profile)
        guard Self.line(of: configuration.settings(of: section)[Self.key]) != nil,
            let edit = configuration.removing(Self.key, from: section)
        else { return SetupChange() }
        return SetupChange(steps: [SetupStep(edit)])
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let subject = "aws got no credentials for the profile \(profile)"
        let process = try Self.configuration(in: environment).settings(of: Self.section(of: profile))[Self.key] ?? ""
        let exchange = try await environment.run(HelperLine.words(of: process))
        let answer = try? JSONValue(strict: exchange.output)
        guard exchange.status == 0, answer?["Version"] == 1, answer?["SecretAccessKey"]?.string?.isEmpty == false else {
            throw exchange.refusal(subject)
        }
        return SetupCheck(
            command: Self.key, found: "temporary credentials of \(role ?? "the role")",
            expiresAt: answer?["Expiration"]?.string.flatMap { Timestamp($0) })
    }
}
