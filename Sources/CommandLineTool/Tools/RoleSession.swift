internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// A session whose user takes roles in AWS accounts, for the commands that name a role.
struct RoleSession {
    private(set) var tool: ToolSession
    /// The name of the command, for the records and for the question to the user.
    let caller: String
    private let context: CommandContext

    /// The age from which a list that does not have a name is asked for again.
    private static let listAge = Duration.seconds(60)

    /// Whether a provider has accounts with roles.
    static func isRoleProvider(_ provider: ProviderConfiguration) -> Bool { provider.kindSettings?.console != nil }

    /// Returns the name of the only provider with accounts and roles. Throws `.usage` if there is none, or if there are several.
    static func onlyProvider(in context: CommandContext) throws(AuthFailure) -> String {
        let names = try context.configurationFile().read().providers.filter(isRoleProvider).map(\.name.text)
        guard names.count < 2 else {
            throw AuthFailure(
                .usage, text: "several providers have AWS roles: \(names.joined(separator: ", "))", hint: "name one of them")
        }
        guard let name = names.first else {
            throw AuthFailure(.configuration, text: "no provider has AWS roles", hint: "add one with: yett providers add aws")
        }
        return name
    }

    /// Returns the session that the command line names. Throws `.configuration` if it has no accounts with roles.
    static func named(_ text: String, for caller: String, in context: CommandContext) async throws(AuthFailure) -> RoleSession {
        let session = RoleSession(
            tool: try await ToolSession.named(text, signIn: OnDemandSignIn(context), in: context), caller: caller, context: context)
        guard isRoleProvider(session.tool.provider) else {
            throw AuthFailure(
                .configuration, UserMessage("role.not_supported", ["provider": session.tool.provider.name]),
                hint: "hint.roles_need_identity_center")
        }
        return session
    }

    /// Returns this session with a sign-in of its own, for a command that outlives more than one session.
    func withNewSignIn() -> RoleSession {
        var session = self
        session.tool.signIn = OnDemandSignIn(context)
        return session
    }

    /// Returns the roles of the user in all accounts.
    ///
    /// - Parameter isFresh: whether to ask AWS even if a list is kept.
    func roles(isFresh: Bool = false) async throws(AuthFailure) -> [AccountRole] { try await list(isFresh: isFresh).roles }

    private func list(isFresh: Bool) async throws(AuthFailure) -> RoleList {
        try await perform { ListRoles($0, isFresh: isFresh) }
    }

    /// Returns the role that the user names. An account is named by its number, which needs no list, or by its name.
    ///
    /// Throws `.usage` with the nearest name for a role that the user does not have.
    func role(account: String, role: String) async throws(AuthFailure) -> AccountRole {
        guard AccountRole.isRole(role) else {
            throw AuthFailure(.usage, text: "'\(role)' is not the name of a role", hint: "write ACCOUNT/ROLE, such as production/ReadOnly")
        }
        if AccountRole.isAccount(account) {
            return AccountRole(account: account, role: role)
        }
        let kept = try await list(isFresh: false)
        var known = kept.roles
        func named() -> [AccountRole] { known.filter { $0.accountName.hasSameBytes(as: account) && $0.role.hasSameBytes(as: role) } }
        // The role may be newer than a list that is kept.
        if named().isEmpty, let at = kept.listedAt, context.now - at >= Self.listAge { known = try await roles(isFresh: true) }
        let found = named()
        if let match = found.first, found.count == 1 { return match }
        guard found.isEmpty else {
            throw AuthFailure(
                .usage, text: "several accounts have the name \(account)",
                hint: "use the number of the account: \(found.map(\.account).joined(separator: ", "))")
        }
        let near = known.map { "\($0.accountName)/\($0.role)" }.nearest(to: "\(account)/\(role)")
        throw AuthFailure(
            .usage, text: "\(tool.session.name) has no role \(account)/\(role)",
            hint: near.map { "did you mean \($0)?" } ?? "list the roles with: yett helper aws \(tool.session.name.shellWord) --role")
    }

    /// Returns the role of an argument `ACCOUNT/ROLE`.
    func role(_ text: String) async throws(AuthFailure) -> AccountRole {
        // The name of an account may have a slash, that of a role has none.
        guard let slash = text.lastIndex(of: "/"), slash != text.startIndex else {
            throw AuthFailure(.usage, text: "'\(text)' is not ACCOUNT/ROLE", hint: "write an account and a role: production/ReadOnly")
        }
        return try await role(account: String(text[..<slash]), role: String(text[text.index(after: slash)...]))
    }

    /// Returns temporary credentials of a role.
    func credentials(of role: AccountRole) async throws(AuthFailure) -> RoleCredentials {
        try RoleCredentials(try await perform { IssueRoleCredentials(of: role, $0) }.secret)
    }

    /// Performs an operation, after a sign-in or the user's consent if one is needed.
    private func perform<Operation: RoleOperation>(
        _ operation: @Sendable (TokenRequest) -> Operation
    ) async throws(AuthFailure) -> Operation.Reply {
        let tool = tool
        let request = operation(TokenRequest(session: tool.session.name, caller: .verbatim(caller))).namedRequest
        var prompt = ConsentPrompt(context: context)
        return try await tool.signIn.retrying(tool.session.name) { () async throws(AuthFailure) in
            try await prompt.asking(request) { (request) async throws(AuthFailure) in try await tool.service.perform(operation(request)) }
        }
    }
}

/// Temporary credentials of an AWS role.
struct RoleCredentials {
    /// The credentials as a JSON object in the format of a `credential_process`.
    let json: Secret
    let accessKeyID: String
    let secretAccessKey: Secret
    let sessionToken: Secret
    let expiration: String
    /// The number of the account; `nil` if it is not known.
    let account: String?

    /// Reads the object. Throws `.security` if a part is missing.
    init(_ json: Secret) throws(AuthFailure) {
        let document = try? JSONValue(strict: json.reveal())
        guard let key = document?["AccessKeyId"]?.string, let secret = document?["SecretAccessKey"]?.string,
            let token = document?["SessionToken"]?.string, let end = document?["Expiration"]?.string
        else { throw AuthFailure(.security, "aws.credentials_unusable", hint: "hint.aws_contact_administrator") }
        self.json = json
        accessKeyID = key
        secretAccessKey = Secret(secret)
        sessionToken = Secret(token)
        expiration = end
        account = document?["AccountId"]?.string
    }

    /// Returns the credentials in the format of the other commands' JSON output.
    func output(of session: SessionName, _ role: AccountRole) -> Secret {
        Secret(
            JSONValue.answer(
                ("session", .string(session.description)), ("account", .string(role.account)), ("role", .string(role.role)),
                ("access_key_id", .string(accessKeyID)), ("secret_access_key", .string(secretAccessKey.reveal())),
                ("session_token", .string(sessionToken.reveal())), ("expires_at", .string(expiration))
            ).text)
    }

    /// The credentials in the format of a container credentials endpoint.
    var containerDocument: Secret {
        var members: [JSONValue.Member] = [
            .init("AccessKeyId", .string(accessKeyID)), .init("SecretAccessKey", .string(secretAccessKey.reveal())),
            .init("Token", .string(sessionToken.reveal())), .init("Expiration", .string(expiration)),
        ]
        if let account { members.append(.init("AccountId", .string(account))) }
        return Secret(JSONValue.object(members).text)
    }

    /// The variables that AWS tools and libraries look for other credentials in, also those of older libraries. A command with a role has
    /// none of them.
    static let otherVariables = [
        "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
        "AWS_SECURITY_TOKEN", "AWS_CREDENTIAL_EXPIRATION", "AWS_CREDENTIAL_FILE", "BOTO_CONFIG", "AWS_ACCESS_KEY", "AWS_SECRET_KEY",
        "AWS_ACCOUNT_ID",
    ]

    /// Returns an environment in which AWS tools and libraries find no credentials, and still the region of the user's profile.
    private static func removed(from environment: [String: String]) -> [String: String] {
        var variables = environment.filter { !otherVariables.contains($0.key) }
        let names = ["AWS_REGION", "AWS_DEFAULT_REGION"]
        if let region = names.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) ?? configuredRegion(environment) {
            // Some tools read one of them only, others the other one.
            for name in names where variables[name]?.isEmpty != false { variables[name] = region }
        }
        return variables
    }

    /// Returns an environment in which AWS tools and libraries find these credentials and no others.
    func environment(in environment: [String: String]) -> [String: String] {
        Self.removed(from: environment).merging(variables) { $1 }
    }

    /// Returns an environment in which AWS tools and libraries find no credentials but those of an address on this machine.
    ///
    /// They look into their files before they ask the address, and would find the credentials of `default` there. So they get empty files,
    /// and the region of the user's profile in variables.
    static func environment(
        asking address: WebURL, with token: Secret, in environment: [String: String]
    ) -> [String: String] {
        var variables = removed(from: environment)
        for name in ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "BOTO_CONFIG"] { variables[name] = "/dev/null" }
        variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = address.text
        variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = token.reveal()
        return variables
    }

    /// Returns the region of the user's profile in the configuration file of AWS; `nil` if there is none.
    private static func configuredRegion(_ environment: [String: String]) -> String? {
        let setup = SetupEnvironment(variables: environment, home: environment["HOME"] ?? "")
        let profile = environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"] ?? "default"
        guard let configuration = try? AWSSetup.configuration(in: setup) else { return nil }
        let sections = ["profile \(profile)"] + (profile == "default" ? [profile] : [])
        return sections.compactMap { configuration.settings(of: $0)["region"] }.first { !$0.isEmpty }
    }

    /// The variables in which AWS tools and libraries find the credentials.
    private var variables: [String: String] {
        var variables = [
            "AWS_ACCESS_KEY_ID": accessKeyID, "AWS_SECRET_ACCESS_KEY": secretAccessKey.reveal(),
            "AWS_SESSION_TOKEN": sessionToken.reveal(), "AWS_CREDENTIAL_EXPIRATION": expiration,
        ]
        variables["AWS_ACCOUNT_ID"] = account
        return variables
    }
}

/// The credentials of a role for a command that runs, whose libraries ask for them again and again.
///
/// If each new request could need the user, the last ones are held until shortly before their end, or until they are withdrawn. Otherwise
/// the session service keeps them, and each request asks it, so that a lock, a sign-out or a block takes effect at once. One request for
/// new ones runs at a time.
actor RefreshedCredentials {
    /// The time before their end from which credentials are no longer given.
    static let margin = Duration.seconds(300)
    /// The time for which a failure is held that only the user can end, so that a library's repetitions ask the user nothing again.
    static let pause = Duration.seconds(60)

    private let time: any TimeSource
    private let fetch: @Sendable () async -> Result<RoleCredentials, AuthFailure>
    private let isHolding: Bool
    private var heldCredentials: RoleCredentials?
    /// Counts the withdrawals: credentials that were requested before one are not held.
    private var withdrawals = 0
    private var running: Task<Result<RoleCredentials, AuthFailure>, Never>?
    private var failed: (failure: AuthFailure, until: Duration)?

    /// Creates the credentials, beginning with those that were already issued.
    ///
    /// - Parameters:
    ///   - isHolding: whether credentials are held.
    ///   - fetch: issues new ones.
    init(
        _ first: RoleCredentials, isHolding: Bool = true, time: any TimeSource,
        fetch: @escaping @Sendable () async -> Result<RoleCredentials, AuthFailure>
    ) {
        (heldCredentials, self.isHolding, self.time, self.fetch) = (isHolding ? first : nil, isHolding, time, fetch)
    }

    /// Drops what is held, after a lock, or when the session has ended.
    func withdraw() {
        heldCredentials = nil
        withdrawals += 1
    }

    /// Returns credentials that do not end soon.
    func current() async -> Result<RoleCredentials, AuthFailure> {
        if let credentials = heldCredentials, let end = Timestamp(credentials.expiration), time.now < end - Self.margin {
            return .success(credentials)
        }
        if let running { return await running.value }
        if let failed, time.bootTime < failed.until { return .failure(failed.failure) }
        let task = Task { await fetched() }
        running = task
        return await task.value
    }

    private func fetched() async -> Result<RoleCredentials, AuthFailure> {
        let before = withdrawals
        let result = await fetch()
        running = nil
        switch result {
        case .success(let credentials): (heldCredentials, failed) = (isHolding && withdrawals == before ? credentials : nil, nil)
        case .failure(let failure): failed = failure.isTransient ? nil : (failure, time.bootTime + Self.pause)
        }
        return result
    }
}
