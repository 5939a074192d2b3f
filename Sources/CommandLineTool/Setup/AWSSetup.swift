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

/// A configuration file of AWS tools: sections of `key = value` lines.
struct AWSConfiguration: Sendable {
    let path: String
    private let bytes: [UInt8]?
    private let text: String
    private let lines: [Substring]

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read.
    init(path: String) throws(AuthFailure) {
        self.path = path
        bytes = try PrivateFile.read(path)
        text = try bytes.map { bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? ""
        // By scalars: a line may end with a carriage return, which is one character together with the line feed.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Returns the name of the section that a line starts, without quotes; `nil` if it starts none.
    private static func section(_ line: Substring) -> String? {
        let text = line.trimmed
        guard text.first == "[", let end = text.lastIndex(of: "]") else { return nil }
        let words = text[text.index(after: text.startIndex)..<end].split(separator: " ", maxSplits: 1)
        return words.map { $0.trimmed.filter { $0 != "\"" && $0 != "'" } }.joined(separator: " ")
    }

    /// Returns the key and the value of a line; `nil` for a comment, a section, and the lines of a nested value.
    private static func setting(_ line: Substring) -> (key: String, value: String)? {
        guard let first = line.first, !first.isWhitespace, !"#;[".contains(first), let equals = line.firstIndex(of: "=") else { return nil }
        return (line[..<equals].trimmed.asciiLowercased(), String(line[line.index(after: equals)...].trimmed))
    }

    /// The names of the sections, in order.
    var sections: [String] { lines.compactMap(Self.section) }

    /// Returns the lines of a section, without the line that starts it.
    private func range(of section: String) -> Range<Int>? {
        guard let start = lines.firstIndex(where: { Self.section($0) == section }) else { return nil }
        let end = lines[(start + 1)...].firstIndex { Self.section($0) != nil } ?? lines.count
        return start + 1..<end
    }

    /// Returns the settings of a section; empty if there is none.
    func settings(of section: String) -> [String: String] {
        guard let range = range(of: section) else { return [:] }
        return Dictionary(lines[range].compactMap(Self.setting)) { $1 }
    }

    /// Returns the edit that removes a key of a section, and the section if nothing else is in it. `aws configure` cannot remove a key.
    func removing(_ key: String, from section: String) -> FileEdit? {
        guard let range = range(of: section), let line = lines[range].firstIndex(where: { Self.setting($0)?.key == key }) else {
            return nil
        }
        let hasMore = range.contains { $0 != line && !lines[$0].trimmed.isEmpty }
        var rest = lines
        // An empty line after a section separates it from the next one.
        rest.removeSubrange(hasMore ? line..<line + 1 : range.lowerBound - 1..<line + 1)
        let text = rest.joined(separator: "\n")
        return FileEdit(path: path, before: bytes, after: text, isRemoval: text.isEmpty)
    }
}
