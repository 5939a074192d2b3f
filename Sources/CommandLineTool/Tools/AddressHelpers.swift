internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// The helpers of tools that name the address they need a token for.
///
/// The address comes from a project's files or a server, so it is not trusted: a token goes only to hosts in a provider's `api_hosts`, and
/// to its resource and what is below it. For every other one, the tool gets the answer that its protocol has for "none", or an error.
extension CommandContext {
    /// Returns a fresh token for an address that a tool names, and the session's account; `nil` if no session's tokens may be sent there.
    ///
    /// Throws `.usage` for a text that is no address.
    func token(
        for address: String, user: String? = nil, tool name: String
    ) async throws(AuthFailure) -> (issued: IssuedToken, account: String?, url: WebURL)? {
        guard let url = WebURL(address.contains("://") ? address : "https://" + address) else {
            throw AuthFailure(
                .usage, text: "\(name) asks for a token without a URL", hint: "\(name) calls this command by itself; see: yett help tools")
        }
        // The tool connects by itself, and localhost may lead elsewhere.
        guard url.isProtected else { return nil }
        let providers = try configurationFile().read().providers.closest(to: url, orAtHost: true)
        guard var tool = try await ToolSession.chosen(nil, user: user, among: providers, for: url, signIn: OnDemandSignIn(self), in: self)
        else { return nil }
        tool.destination = url.origin.authority
        return (try await tool.token(for: name, in: self), tool.session.name.account, url)
    }

    /// Warns that a tool gets no token. The tool itself may continue without a word.
    func warnNoToken(for address: String) {
        let host = WebURL(address.contains("://") ? address : "https://" + address)?.origin.authority ?? address
        console.warning("no session's tokens may be sent to \(host)")
        console.hint("if it may get them, add it to api_hosts of the provider; see: yett help tools")
    }
}

/// `yett helper keyring`: the command of Python's keyring that pip and uv run (`keyring-provider = "subprocess"`).
struct KeyringHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "keyring", abstract: "Act as the keyring command that pip and uv run.",
        discussion: """
            pip and uv run a program named keyring with get, the URL of the index, and a user name; or with --mode creds for the user name \
            and the token. It answers for hosts in api_hosts only, and never for a host without its scheme. yett setup pip and yett setup \
            uv create that program.
            """)
    static let examples: KeyValuePairs = [
        "yett helper keyring get https://pypi.example.org/simple/ oauth2": "Prints the password that pip gets for an index."
    ]

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("What pip or uv says to keyring.", valueName: "words"))
    var words: [String] = []

    var runsInAgent: Bool { true }

    func validate() throws {
        if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(self) }
    }

    func run(in context: CommandContext) async throws {
        var left = words[...]
        var rest: [String] = []
        var options: [String: String] = [:]
        // pip writes its options first, uv last.
        while let word = left.popFirst() {
            guard word.hasPrefix("--") else {
                rest.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            options[parts[0]] = parts.count > 1 ? parts[1] : left.popFirst()
        }
        // keyring ends with 1 and prints nothing if it has no password. It stores and removes none here.
        guard (2...3).contains(rest.count), rest[0] == "get", case let address = rest[1],
            // pip and uv ask with the bare host after their URL got nothing, and do not say whether they use https.
            address.contains("://"),
            Set(options.keys).isSubset(of: ["--mode", "--output"])
        else { throw ExitStatus(code: 1) }
        try context.requireNoTerminal(for: "pip")
        let wanted = rest.count > 2 && !rest[2].isEmpty ? rest[2] : nil
        guard let answer = try await context.token(for: address, user: wanted, tool: "keyring") else {
            context.warnNoToken(for: address)
            throw ExitStatus(code: 1)
        }
        let user = wanted ?? ToolSession.defaultUsername(of: WebURL(address)?.origin.host ?? "")
        let token = answer.issued.token.reveal()
        guard options["--mode"] == "creds" else { return try context.console.secret(Secret(token)) }
        let json = JSONValue.members(("username", .string(user)), ("password", .string(token)))
        try context.console.secret(Secret(options["--output"] == "json" ? json.text : "\(user)\n\(token)"))
    }
}

/// `yett helper bazel`: a credential helper of Bazel (EngFlow's credential-helper-spec, "get").
struct BazelHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "bazel", abstract: "Act as a credential helper of Bazel.",
        discussion: """
            Bazel runs it with get, and sends the URI on standard input. It answers for hosts in api_hosts only, and with no header for \
            others. yett setup bazel configures Bazel.
            """)
    static let examples: KeyValuePairs = [
        "echo '{\"uri\":\"https://cache.example.org/\"}' | yett helper bazel get": "Prints the headers that Bazel gets."
    ]

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Bazel's operation: get.", valueName: "words"))
    var words: [String] = []

    func validate() throws {
        if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(self) }
    }

    func run(in context: CommandContext) async throws {
        guard words == ["get"] else {
            throw AuthFailure(.usage, text: "unknown Bazel operation", hint: "Bazel runs: yett helper bazel get")
        }
        try context.requireNoTerminal(for: "Bazel")
        let text = try await context.requestLines().joined(separator: "\n")
        let request = try? JSONValue(strict: text)
        guard let uri = request?["uri"]?.string, !uri.isEmpty else {
            throw AuthFailure(.usage, text: "the request on standard input has no uri", hint: "Bazel calls this command by itself")
        }
        guard let answer = try await context.token(for: uri, tool: "bazel") else {
            context.warnNoToken(for: uri)
            return try context.console.lines([JSONValue.members(("headers", .object([]))).text])
        }
        let field = try context.headerField(of: answer.issued)
        var members = [JSONValue.Member("headers", .members((field.name, .array([.string(field.value.reveal())]))))]
        if let end = answer.issued.expiresAt { members.append(.init("expires", .string(end.description))) }
        try context.console.secret(Secret(JSONValue.object(members).text))
    }
}

/// `yett helper terraform`: a credentials helper of Terraform and OpenTofu (developer.hashicorp.com, "Credentials Helpers").
struct TerraformHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "terraform", abstract: "Act as a credentials helper of Terraform and OpenTofu.",
        discussion: """
            Terraform runs it as terraform-credentials-yett, with get and the host. It answers for hosts in api_hosts only, and with no \
            credentials for others. yett setup terraform configures Terraform.
            """)
    static let examples: KeyValuePairs = [
        "yett helper terraform get app.example.org": "Prints the credentials that Terraform gets for a host."
    ]

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Terraform's operation and the host.", valueName: "words"))
    var words: [String] = []

    var runsInAgent: Bool { words.first == "get" }

    func validate() throws {
        if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(self) }
    }

    func run(in context: CommandContext) async throws {
        guard words.count == 2, words[0] == "get" else {
            throw AuthFailure(.usage, text: "yett stores sessions, not Terraform's tokens", hint: "sign in with: yett login")
        }
        try context.requireNoTerminal(for: "Terraform")
        guard let answer = try await context.token(for: words[1], tool: "terraform") else {
            context.warnNoToken(for: words[1])
            return try context.console.lines(["{}"])
        }
        try context.console.secret(Secret(JSONValue.members(("token", .string(answer.issued.token.reveal()))).text))
    }
}

/// `yett helper curl`: lines for `curl --config -`, the address among them, so that the token goes nowhere else.
struct CurlHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "curl", abstract: "Print the configuration lines of one request for curl.",
        discussion: """
            Prints the address and the Authorization header for curl --config -: the token is in no argument that other users see. The \
            address must be of a host in api_hosts. For most requests, yett request is simpler, and follows what the server asks for.
            """)
    static let examples: KeyValuePairs = [
        "yett helper curl https://api.example.org/me | curl --config -": "Sends the request with curl."
    ]

    @Argument(help: "The URL of the request.")
    var url: String

    var runsInAgent: Bool { true }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "curl")
        guard let answer = try await context.token(for: url, tool: "curl") else {
            throw AuthFailure(
                .security, text: "no session's tokens may be sent to this address",
                hint: "if it may get them, add its host to api_hosts of the provider; see: yett help tools")
        }
        // curl drops the header when a redirect leads to another host, but not for one to plain HTTP at the same.
        let lines = [
            "url = \(Self.quoted(answer.url.text))", "header = \(Self.quoted("Authorization: Bearer \(answer.issued.token.reveal())"))",
            "proto-redir = \"=https\"",
        ]
        try context.console.secret(Secret(lines.joined(separator: "\n")))
    }

    /// A value in curl's configuration: between quotes, a backslash is before quotes and backslashes (curl(1), "--config").
    private static func quoted(_ text: String) -> String {
        "\"" + text.escaped { $0 == "\\" || $0 == "\"" } + "\""
    }
}

/// `yett helper headers`: the HTTP headers of a request as JSON, for Claude Code's `headersHelper` and tools like it.
struct HeadersHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "headers", abstract: "Print a request's headers as JSON, such as for Claude Code's headersHelper.",
        discussion: """
            Prints {"Authorization": "Bearer …"} for the URL, or for the one in CLAUDE_CODE_MCP_SERVER_URL, which Claude Code sets. The \
            host must be in api_hosts, or the URL a session's resource. The client sees the token; with yett mcp it does not.
            """)
    static let examples: KeyValuePairs = ["yett helper headers https://mcp.example.org/mcp": "Prints the headers for this server."]

    @Argument(help: "The URL of the server. Default: CLAUDE_CODE_MCP_SERVER_URL.")
    var url: String?

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "Claude Code")
        guard let address = url ?? context.edges.environment["CLAUDE_CODE_MCP_SERVER_URL"], !address.isEmpty else {
            throw AuthFailure(.usage, text: "no URL given", hint: "write: yett helper headers URL")
        }
        guard let answer = try await context.token(for: address, tool: "headers") else {
            throw AuthFailure(
                .security, text: "no session's tokens may be sent to this address",
                hint: "if it may get them, add its host to api_hosts of the provider; see: yett help tools")
        }
        let field = try context.headerField(of: answer.issued)
        let headers = JSONValue.members((field.name, .string(field.value.reveal())))
        try context.console.secret(Secret(headers.text))
    }
}

/// `yett helper anthropic`: a token for the Anthropic API or a gateway to it, for Claude Code's `apiKeyHelper`.
///
/// Claude Code sends what it prints to the URL in `ANTHROPIC_BASE_URL`, which a project's settings can set.
struct AnthropicHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "anthropic", abstract: "Print a token for the Anthropic API, such as for Claude Code's apiKeyHelper.",
        discussion: """
            Prints the session's token if it may be sent to the URL in ANTHROPIC_BASE_URL, which a project's settings can change. Default: \
            \(Self.api). The host must be in api_hosts, or the URL the session's resource. yett setup claude configures Claude Code.
            """)
    static let examples: KeyValuePairs = ["yett helper anthropic work": "Prints the token that Claude Code sends to the API."]

    /// The API that Claude Code uses without the variable (code.claude.com/docs/en/settings).
    static let api = "https://api.anthropic.com"
    /// The variable with the URL of a gateway.
    static let variable = "ANTHROPIC_BASE_URL"

    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "Claude Code")
        let address = context.edges.environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 } ?? Self.api
        guard let url = WebURL(address) else {
            throw AuthFailure(
                .usage, text: "\(Self.variable) is not a URL", hint: "write the full URL, such as \(Self.api)")
        }
        let configuration = try context.configurationFile().read()
        let provider = try configuration.named(SessionName(argument: session).provider.text)
        try TokenDestinations(provider: provider).requireAddress(url, in: configuration)
        var tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
        (tool.resource, tool.destination) = (url, url.origin.authority)
        try context.console.secret(try await tool.token(for: "anthropic", in: context).token)
    }
}
