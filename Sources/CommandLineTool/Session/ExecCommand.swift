internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import OperatingSystem
internal import ProviderKinds
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

            A variable is NAME=KIND:SESSION. KIND is token, id_token or header (the whole header line); without it, token. Without SESSION, \
            it is the one on the command line.
            """)
    static let examples: KeyValuePairs = [
        "yett exec work -- ./deploy": "Runs ./deploy with the token in ACCESS_TOKEN.",
        "yett exec work --env API_TOKEN --env API_HEADER=header -- ./deploy": "Names the variables.",
        "yett exec --env WORK=token:work --env HUB=token:git/ada -- ./deploy": "Gives the command tokens of two sessions.",
        "yett exec --env-file tokens.env -- ./deploy": "Reads the variables from a file, one per line; it contains no secret.",
        "yett exec work --proxy --to https://api.example.org -- ./deploy":
            "Runs ./deploy with an address in YETT_PROXY_URL instead of a token.",
    ]
    // Until the command replaces this process, a signal ends it; afterwards no handler of ours exists.
    static let handlesInterruptions = false

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT; not needed if each variable names its session.", completion: .names(.sessions))
    var session: String?

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.", completion: .systemCommand)
    var command: [String] = []

    @Option(help: ArgumentHelp("A variable that gets a token; may be repeated.", valueName: "name=kind:session"))
    var env: [String] = []

    @Option(help: ArgumentHelp("A file with such variables, one per line.", valueName: "file"), completion: .file())
    var envFile: [String] = []

    @Flag(help: "Give the command the address of a proxy in YETT_PROXY_URL instead of a token.")
    var proxy = false

    @Option(
        help: ArgumentHelp("With --proxy, where requests go. Default: the provider's only resource or API host.", valueName: "url"))
    var to: String?

    @OptionGroup var restrictions: TokenRestrictionOptions

    func validate() throws {
        guard let program = command.first, !program.isEmpty else { throw ValidationError("no command given; write it after --") }
        guard proxy || to == nil else { throw ValidationError("--to belongs to --proxy") }
        guard session != nil || !proxy && !(env.isEmpty && envFile.isEmpty) else {
            throw ValidationError("no session given; write it first, or name one for each variable: --env NAME=token:SESSION")
        }
        guard !proxy || env.isEmpty && envFile.isEmpty else { throw ValidationError("with --proxy, the command gets no token") }
        guard !proxy || restrictions.isEmpty else {
            throw ValidationError("--proxy uses the session's own tokens, without --scope and --audience")
        }
    }

    func run(in context: CommandContext) async throws {
        let name = try session.map { text throws(AuthFailure) in try SessionName(argument: text) }
        if proxy, let name {
            return try await ProxiedCommand(command: command, context: context).run(try await SessionProxy(name, target: to, in: context))
        }
        let environment = context.edges.environment.merging(try await values(of: try variables(), in: name, context)) { $1 }
        throw Self.failure(command, context.edges.replaceProcess(command, environment), in: context)
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

    /// Reads a file with one variable per line; empty lines and those that begin with `#` do not count. Throws `.usage` for other lines, and
    /// for a file that does not exist.
    static func read(_ path: String) throws(AuthFailure) -> [TokenVariable] {
        guard let bytes = try PrivateFile.read(path) else { throw AuthFailure(.usage, text: "file \(path) not found") }
        let lines = String(decoding: bytes, as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }.map { $0.trimmed.description }
        return try lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map { line throws(AuthFailure) in try TokenVariable(line) }
    }

    /// Whether the text is a name that every shell can use.
    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        }
    }
}
