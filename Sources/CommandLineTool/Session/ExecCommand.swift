internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import OperatingSystem
internal import ProviderKinds
internal import ResourceProxy
internal import UserConfiguration

/// `yett exec`: runs a command with a fresh token in its environment only.
struct ExecCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command with a fresh token in its environment.",
        discussion: """
            The token is in ACCESS_TOKEN and YETT_ACCESS_TOKEN, or only in the variables that you name. The command replaces this process, \
            so it gets all signals, and its exit status is that of yett exec. Exit status 126: the command cannot be run; 127: the command \
            was not found. With --proxy, the command gets no token: it sends requests to the address in YETT_PROXY_URL, which works only \
            while the command runs.

            With --intercept, the command is a program that knows nothing of Yett. Its HTTPS requests pass through a proxy that runs as \
            long as the command. Requests to api_hosts of the sessions get a fresh token there, unless they have an Authorization of their \
            own; one of yett, which is also in YETT_PLACEHOLDER, is replaced. Requests that ask for tokens, or that a web page of another \
            site causes in a browser, get none. All other connections pass as they are, except those to addresses of this machine; with \
            --only, they are refused. The variables that programs read for proxies and certificates are set: HTTPS_PROXY, SSL_CERT_FILE \
            and others. The certificates are of an authority for this command and these hosts, whose key is only in memory. It is valid \
            for a day. What was refused is printed at the end, and the activity names the program that called each host. If a \
            provider's policy is "ask", the app asks for the first request to each host. Where none is open, yett asks at the terminal, \
            unless the command reads keys there.

            Alone, it does not protect from another program that runs as you: that can read the proxy's address in the environment of the \
            command, and ask Yett as you can. A program that does not use these variables reaches its hosts without the proxy, and without \
            a token.

            With --isolated, the command runs in namespaces of its own for the network, processes and mounts: the proxy is its only way \
            to the network, and also resolves the names of hosts. It sees no other processes, and no other terminals. Yett's store, \
            configuration, cache and sockets, your runtime folder with the message bus, the sockets of X11, tmux and screen, those that \
            a variable names, such as SSH_AUTH_SOCK, and all others that a program of yours has open when the command starts are empty \
            there, and the folders above them cannot be moved. It cannot change the program that the agent runs, nor the certificates in \
            ca_file. It has your user ID, but no privileges. All its processes end with it. It is no sandbox for files: the command \
            reads and changes your other files as before, such as a profile that your shell reads, and reaches programs that listen on \
            Unix sockets of other users, such as docker's daemon and the system's message bus. Root's files control the machine, so as \
            root, it takes --user too; --user root says that the proxy as the only way to the network is enough.

            With --user, the command runs as another user of this machine, so it can neither read your files and environment nor ask \
            Yett. It gets PATH, TERM, the language and the variables for the proxy. That needs root, or a rule of sudo without a \
            password. By sudo, what the command leaves running keeps your terminal, so add --isolated there.

            With either, the command cannot type at your terminal. It could write over a question there, so only the app asks for \
            consent. It has no kernel keyrings, and sudo and other programs with the privileges of another user do not work in it. Both \
            can be combined. If the command cannot get what an option says, it does not run.

            A variable is NAME=KIND:SESSION. KIND is token, id_token or header (the whole header line); without it, token. Without SESSION, \
            it is the one on the command line.

            With --aws, the command gets temporary credentials of an AWS role, in the variables that AWS tools and libraries read. With \
            --refreshing, it gets an address on this machine instead, where they get new credentials by themselves before the old ones end; \
            only the command knows the token for it, which works while the command runs. The command then does not read the files of AWS, \
            which may have other credentials. Either way, AWS_PROFILE is removed, and the region of your profile is in AWS_REGION.
            """)
    static let examples: KeyValuePairs = [
        "yett exec work -- ./deploy": "Runs ./deploy with the token in ACCESS_TOKEN.",
        "yett exec work --env API_TOKEN --env API_HEADER=header -- ./deploy": "Names the variables.",
        "yett exec --env WORK=token:work --env HUB=token:git/ada -- ./deploy": "Gives the command tokens of two sessions.",
        "yett exec --env-file tokens.env -- ./deploy": "Reads the variables from a file, one per line; it contains no secret.",
        "yett exec work --proxy --to https://api.example.org -- ./deploy":
            "Runs ./deploy with an address in YETT_PROXY_URL instead of a token.",
        "yett exec work github --intercept -- ./assistant":
            "Runs ./assistant, whose requests to both services get tokens that it never sees.",
        "yett exec work --intercept --isolated --only -- ./assistant": "The same, and it reaches no other hosts.",
        "yett exec aws --aws production/ReadOnlyAccess -- aws s3 ls": "Runs aws with credentials of a role of IAM Identity Center.",
        "yett exec aws --aws production/Admin --refreshing -- ./migrate": "Runs a long job whose credentials are renewed.",
    ]
    // Until the command replaces this process, a signal ends it; afterwards no handler of ours exists.
    static let handlesInterruptions = false

    @Argument(
        help: "PROVIDER or PROVIDER/ACCOUNT; not needed if each variable names its session. With --intercept, up to eight.",
        completion: .names(.sessions))
    var session: String?

    @OptionGroup var more: MoreSessions

    /// The names on the command line.
    private var sessions: [String] { [session].compactMap { $0 } + more.names }

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.", completion: .systemCommand)
    var command: [String] = []

    @Option(help: ArgumentHelp("A variable that gets a token; may be repeated.", valueName: "name=kind:session"))
    var env: [String] = []

    @Option(help: ArgumentHelp("A file with such variables, one per line.", valueName: "file"), completion: .file())
    var envFile: [String] = []

    @Flag(help: "Give the command the address of a proxy in YETT_PROXY_URL instead of a token.")
    var proxy = false

    @Flag(help: "Give the requests of the command to the hosts of the sessions a fresh token on their way.")
    var intercept = false

    @Flag(help: "With --intercept, refuse all other hosts.")
    var only = false

    @Flag(help: "With --intercept, give the command a network of its own, where the proxy is the only way out.")
    var isolated = false

    @Option(
        help: ArgumentHelp(
            "With --intercept, run the command as this user, who has no access to Yett. Needs root or a rule of sudo.", valueName: "name"))
    var user: String?

    @Option(
        help: ArgumentHelp("With --proxy, where requests go. Default: the provider's only resource or API host.", valueName: "url"))
    var to: String?

    @Option(
        help: ArgumentHelp("Give the command credentials of an AWS role instead of a token.", valueName: "account/role"))
    var aws: String?

    @Flag(help: "With --aws, let the command get new credentials while it runs.")
    var refreshing = false

    @OptionGroup var restrictions: TokenRestrictionOptions

    func validate() throws {
        guard let program = command.first, !program.isEmpty else { throw ValidationError("no command given; write it after --") }
        let belonging = [("--only", only), ("--isolated", isolated), ("--user", user != nil)].first(where: \.1)
        if !intercept, let (option, _) = belonging { throw ValidationError("\(option) belongs to --intercept") }
        guard intercept || more.names.isEmpty else { throw ValidationError("several sessions belong to --intercept") }
        guard !intercept || session != nil && !proxy && env.isEmpty && envFile.isEmpty && restrictions.isEmpty else {
            throw ValidationError(
                session == nil
                    ? "--intercept needs a session; write it first"
                    : "--intercept uses the sessions' own tokens and gives the command none, without --proxy, --env, --scope and --audience"
            )
        }
        guard proxy || to == nil else { throw ValidationError("--to belongs to --proxy") }
        guard session != nil || !proxy && !(env.isEmpty && envFile.isEmpty) else {
            throw ValidationError("no session given; write it first, or name one for each variable: --env NAME=token:SESSION")
        }
        guard aws != nil || !refreshing else { throw ValidationError("--refreshing belongs to --aws") }
        if aws != nil {
            guard session != nil, !proxy, !intercept, env.isEmpty, envFile.isEmpty, restrictions.isEmpty else {
                throw ValidationError("--aws needs a session, and gives the command nothing else than the credentials of the role")
            }
        }
        guard !proxy || env.isEmpty && envFile.isEmpty else { throw ValidationError("with --proxy, the command gets no token") }
        guard !proxy || restrictions.isEmpty else {
            throw ValidationError("--proxy uses the session's own tokens, without --scope and --audience")
        }
    }

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        if intercept {
            return try await InterceptedCommand(
                sessions: try sessions.map { text throws(AuthFailure) in try SessionName(argument: text) }, command: command,
                refusesOthers: only, confinement: CommandConfinement(isIsolated: isolated, user: user), context: context
            ).run()
        }
        if let aws, let session { return try await run(as: aws, of: session, in: context) }
        if proxy, let name {
            let proxy = try await SessionProxy(name, target: to, in: context)
            return try await ProxiedCommand(command: command, context: context).run {
                try await proxy.serve(at: .tcp(port: 0), ready: $0)
            } variables: {
                [ProxiedCommand.variable: $0.reveal()]
            }
        }
        let environment = context.edges.environment.merging(try await values(of: try variables(), in: name, context)) { $1 }
        throw Self.failure(command, context.edges.replaceProcess(command, environment), in: context)
    }

    /// Runs the command with credentials of an AWS role, and with no others.
    private func run(as role: String, of session: String, in context: CommandContext) async throws {
        let roles = try await RoleSession.named(session, for: command.first ?? "yett exec", in: context)
        let role = try await roles.role(role)
        let credentials = try await roles.credentials(of: role)
        guard refreshing else {
            let environment = credentials.environment(in: context.edges.environment)
            throw Self.failure(command, context.edges.replaceProcess(command, environment), in: context)
        }
        let console = context.console
        let watch = SessionWithdrawals(roles.tool, in: context)
        let refreshed = RefreshedCredentials(
            credentials, isHolding: roles.tool.provider.policy != .allow, time: context.edges.time
        ) {
            do throws(AuthFailure) {
                let fresh = try await roles.withNewSignIn().credentials(of: role)
                watch.noteUse()
                return .success(fresh)
            } catch {
                console.failure(error)
                return .failure(error)
            }
        }
        let withdrawing = Task { for await _ in watch.stream() { await refreshed.withdraw() } }
        defer { withdrawing.cancel() }
        let listener = try await CredentialsListener.open { await refreshed.current().map(\.containerDocument) }
        let environment = RoleCredentials.environment(asking: listener.address, with: listener.token, in: context.edges.environment)
        let result = await ProxiedCommand.run(command, environment, in: context)
        await listener.close()
        switch result {
        case .success(0): return
        case .success(let code): throw ExitStatus(code: code)
        case .failure(let error): throw Self.failure(command, error, in: context)
        }
    }

    private func variables() throws(AuthFailure) -> [TokenVariable] {
        var variables: [TokenVariable] = []
        for file in envFile { variables += try TokenVariable.read(file) }
        for text in env { variables.append(try TokenVariable(text)) }
        if envFile.isEmpty, variables.isEmpty {
            variables = [try TokenVariable("ACCESS_TOKEN"), try TokenVariable("YETT_ACCESS_TOKEN")]
        }
        guard Set(variables.map(\.name)).count == variables.count else {
            throw AuthFailure(.usage, text: "a variable is named twice", hint: "name each variable once")
        }
        return variables
    }

    /// Returns the values of the variables. A token that several variables have is requested once.
    ///
    /// - Parameter name: the session of the variables that name none.
    private func values(
        of variables: [TokenVariable], in name: SessionName?, _ context: CommandContext
    ) async throws(AuthFailure) -> [String: String] {
        let service = try await context.unlockedService()
        let signIn: OnDemandSignIn? = OnDemandSignIn(context)
        var prompt = ConsentPrompt(context: context)
        var tokens: [TokenRequest] = []
        var issued: [IssuedToken] = []
        var values: [String: String] = [:]
        for variable in variables {
            guard let session = variable.session ?? name else {
                throw AuthFailure(
                    .usage, text: "no session for \(variable.name)", hint: "write \(variable.name)=\(variable.kind.rawValue):SESSION")
            }
            let isID = variable.kind == .idToken
            let request = TokenRequest(
                session: session, wanted: isID ? .id : .access, restrictions: isID ? .session : restrictions.restrictions,
                caller: command.first.map(UserMessage.verbatim))
            let index = tokens.firstIndex(of: request) ?? tokens.endIndex
            if index == tokens.endIndex {
                tokens.append(request)
                let token = try await signIn.retrying(session) { () async throws(AuthFailure) in
                    try await prompt.token(request, from: service)
                }
                issued.append(token)
                if !isID { try issued[index].requireUnbound() }
            }
            values[variable.name] =
                variable.kind == .header ? try context.headerLine(of: issued[index]).reveal() : issued[index].token.reveal()
        }
        return values
    }

    /// Reports that the command cannot be run; returns the exit status that shells use for it.
    static func failure(_ command: [String], _ error: SystemError, in context: CommandContext) -> ExitStatus {
        let isMissing = error.isMissingFile
        context.console.failure(
            AuthFailure(
                .usage, text: "cannot run \(command.first ?? ""): \(error.text)",
                hint: isMissing ? "check that it is installed and in PATH" : "check that it is an executable program"))
        return ExitStatus(code: isMissing ? 127 : 126)
    }
}

/// The sessions after the first. The parser allows one argument that repeats, and that is the command.
struct MoreSessions: ParsableArguments {
    @Argument(help: .hidden, completion: .names(.sessions)) var second: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var third: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var fourth: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var fifth: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var sixth: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var seventh: String?
    @Argument(help: .hidden, completion: .names(.sessions)) var eighth: String?

    /// The names, in order.
    var names: [String] { [second, third, fourth, fifth, sixth, seventh, eighth].compactMap { $0 } }
}

/// A variable of a command's environment that gets a token: `NAME[=KIND[:SESSION]]`.
struct TokenVariable: Equatable {
    /// The content of the variable.
    enum Kind: String, CaseIterable {
        case token
        case idToken = "id_token"
        /// The header line that the provider's resources expect.
        case header
    }

    let name: String
    let kind: Kind
    /// The session; `nil` for the one on the command line.
    let session: SessionName?

    /// Parses a variable. Throws `.usage` for anything else.
    init(_ text: String) throws(AuthFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) : ["token"]
        guard let first = parts.first, Self.isName(first), let kind = Kind(rawValue: String(value[0])) else {
            throw AuthFailure(
                .usage, text: "'\(text)' is not a variable for a token",
                hint: "write NAME, or NAME=token, NAME=id_token or NAME=header, and :SESSION after it if there are several")
        }
        name = String(first)
        self.kind = kind
        session = value.count > 1 ? try SessionName(argument: String(value[1])) : nil
    }

    /// Reads a file with one variable per line; empty lines and those that begin with `#` do not count. Throws `.usage` for other lines,
    /// and for a file that does not exist.
    static func read(_ path: String) throws(AuthFailure) -> [TokenVariable] {
        guard let bytes = try PrivateFile.read(path) else { throw AuthFailure(.usage, text: "file \(path) not found") }
        let lines = String(decoding: bytes, as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }.map { $0.trimmed.description }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line throws(AuthFailure) in try TokenVariable(line) }
    }

    /// Whether the text is a name that every shell can use.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !first.isASCIIDigit else { return false }
        return text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIIAlphanumeric }
    }
}
