internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// `yett helper`: gives tokens to tools in the protocols that they use.
struct HelperCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Give tokens to git, kubectl, docker, cargo, pip and other tools.",
        discussion: """
            Each helper implements its tool's credential protocol; yett setup configures the tool, and yett help tools shows how to do that \
            by hand. If you are not signed in, a helper reports that and fails. With sign_in = "on-demand" in [providers.NAME], it starts \
            the sign-in, if you are at a terminal or a desktop.
            """,
        subcommands: [
            GitHelperCommand.self, KubectlHelperCommand.self, DockerHelperCommand.self, AWSHelperCommand.self, XOAuth2HelperCommand.self,
            OAuthBearerHelperCommand.self, KeyringHelperCommand.self, BazelHelperCommand.self, CargoHelperCommand.self,
            TerraformHelperCommand.self, CurlHelperCommand.self, HeadersHelperCommand.self,
            AnthropicHelperCommand.self,
        ])
    static let examples: KeyValuePairs = [
        "git config --global credential.https://git.example.org.helper '!yett helper git'":
            "Lets git get its tokens from Yett.",
        "yett helper xoauth2 work --user ada@example.org": "Prints the response for a mail server.",
    ]
}

/// `yett helper xoauth2`: prints the initial response of the SASL mechanism XOAUTH2.
struct XOAuth2HelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "xoauth2", abstract: "Print a mail program's XOAUTH2 response.",
        discussion: "Prints one line of base64. A mail program that creates the response itself needs only the token: yett token SESSION.")
    static let examples: KeyValuePairs = [
        "yett helper xoauth2 work --user ada@example.org": "Prints the response for the user's mailbox."
    ]

    @OptionGroup var mailbox: MailboxOptions

    var runsInAgent: Bool { true }

    func run(in context: CommandContext) async throws {
        try await mailbox.print("xoauth2", in: context) { user, token in "user=\(user)\u{1}auth=Bearer \(token)\u{1}\u{1}" }
    }
}

/// `yett helper oauthbearer`: prints the initial response of the SASL mechanism OAUTHBEARER (RFC 7628 section 3.1).
struct OAuthBearerHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "oauthbearer", abstract: "Print a mail program's OAUTHBEARER response (RFC 7628).",
        discussion: "Prints one line of base64. A mail program that creates the response itself needs only the token: yett token SESSION.")
    static let examples: KeyValuePairs = [
        "yett helper oauthbearer work --user ada@example.org --host imap.example.org --port 993":
            "Prints the response for an IMAP server."
    ]

    @OptionGroup var mailbox: MailboxOptions

    @Option(help: ArgumentHelp("The mail server.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Its port.", valueName: "number"))
    var port: Int?

    var runsInAgent: Bool { true }

    func validate() throws {
        if let host, !Self.isHost(host) { throw ValidationError("'\(host)' is not a server name") }
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port must be between 1 and 65535") }
    }

    private static func isHost(_ text: String) -> Bool {
        WebURL("https://\(text)/").map { $0.path == "/" && $0.origin.port == 443 } ?? false
    }

    func run(in context: CommandContext) async throws {
        try await mailbox.print("oauthbearer", at: host, in: context) { user, token in
            // RFC 5801 section 4 escapes these two characters of the user name in the GS2 header.
            let authorization = user.replacing("=", with: "=3D").replacing(",", with: "=2C")
            let place = [host.map { "host=\($0)" }, port.map { "port=\($0)" }].compactMap(\.self).map { $0 + "\u{1}" }.joined()
            return "n,a=\(authorization),\u{1}\(place)auth=Bearer \(token)\u{1}\u{1}"
        }
    }
}

/// The options that identify the mailbox.
struct MailboxOptions: ParsableArguments {
    @Argument(help: .session, completion: .names(.sessions))
    var session: String

    @Option(help: ArgumentHelp("The user at the mail server. Default: the account's e-mail address.", valueName: "name"))
    var user: String?

    func validate() throws {
        if let user, !SessionName.isLabel(user) { throw ValidationError("'\(user)' is not a user name") }
    }

    /// Prints the message for the user and a token, in base64.
    fileprivate func print(
        _ mechanism: String, at host: String? = nil, in context: CommandContext, message: (_ user: String, _ token: String) -> String
    ) async throws {
        try context.requireNoTerminal(for: "a mail program")
        var tool = try await ToolSession.named(session, signIn: OnDemandSignIn(context), in: context)
        tool.destination = host
        let user = if let user { user } else { try await Self.address(of: tool) }
        let issued = try await tool.token(for: mechanism, in: context)
        try context.console.secret(Secret(Base64.encode(Array(message(user, issued.token.reveal()).utf8))))
    }

    /// Returns the e-mail address from the provider's claims, otherwise an account label that is an e-mail address.
    static func address(of tool: ToolSession) async throws(AuthFailure) -> String {
        let claims = try await tool.service.session(tool.session.name).identity
        guard let address = [claims.text("email"), tool.session.name.account].compactMap(\.self).first(where: isAddress) else {
            throw AuthFailure(
                .configuration, text: "\(tool.session.name) has no e-mail address of letters, digits and . _ - + @",
                hint: "give the user at the mail server with --user")
        }
        return address
    }

    /// Returns whether a provider's text is an address without the characters that some program's configuration could take for its own.
    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return SessionName.isPlainLabel(text) && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }
}

/// `yett helper cargo`: a credential provider of cargo (The Cargo Book, "Credential Provider Protocol", version 1).
struct CargoHelperCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "cargo", abstract: "Act as a credential provider of cargo.",
        discussion: """
            cargo runs a program with --cargo-plugin alone, so yett setup cargo creates one that runs this command, and speaks over standard \
            input and output. It answers for registries whose index is at a host in api_hosts only. The token is sent as Bearer; \
            --plain-token after the program in credential-provider leaves that word out, for a registry that expects the token alone.
            """)
    static let examples: KeyValuePairs = [
        "yett helper cargo --cargo-plugin": "Answers cargo; the program cargo-credential-yett runs this."
    ]

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("--plain-token, and what cargo adds.", valueName: "words"))
    var words: [String] = []

    func validate() throws {
        if ["-h", "--help"].contains(words.first) { throw CleanExit.helpRequest(self) }
        guard Set(words).isSubset(of: ["--plain-token", "--cargo-plugin"]) else {
            throw ValidationError("cargo runs: yett helper cargo --cargo-plugin")
        }
    }

    func run(in context: CommandContext) async throws {
        try context.requireNoTerminal(for: "cargo")
        try context.console.lines([JSONValue.members(("v", .array([1]))).text])
        // cargo asks once, or more often with one provider; the end of input ends it.
        while let line = await context.edges.streams.exactLine(), !line.isEmpty {
            try context.console.secret(Secret(try await answer(to: line, in: context).text))
        }
    }

    private func answer(to line: String, in context: CommandContext) async throws -> JSONValue {
        guard let request = try? JSONValue(strict: line), request["v"] == 1, let kind = request["kind"]?.string,
            let index = request["registry"]?["index-url"]?.string
        else { return Self.error("other", "the request is not of version 1 of the protocol") }
        guard kind == "get" else { return Self.error("operation-not-supported") }
        let address = index.hasPrefix("sparse+") ? String(index.dropFirst("sparse+".count)) : index
        do throws(AuthFailure) {
            guard let answer = try await context.token(for: address, tool: "cargo") else {
                context.warnNoToken(for: address)
                return Self.error("url-not-supported")
            }
            // cargo passes on the words of the configuration in the request.
            let isPlain = (words + (request["args"]?.strings ?? [])).contains("--plain-token")
            var members: [JSONValue.Member] = [
                .init("kind", "get"),
                .init("token", .string((isPlain ? answer.issued.token : try context.headerField(of: answer.issued).value).reveal())),
            ]
            if let end = answer.issued.expiresAt {
                members += [.init("cache", "expires"), .init("expiration", .number(String(end.seconds)))]
            } else {
                members.append(.init("cache", "never"))
            }
            return .members(("Ok", .object(members + [.init("operation_independent", true)])))
        } catch {
            guard error.kind != .notSignedIn else { return Self.error("not-found") }
            return Self.error("other", [error.summary, error.hintText].compactMap(\.self).joined(separator: "; "))
        }
    }

    private static func error(_ kind: String, _ message: String? = nil) -> JSONValue {
        guard let message else { return .members(("Err", .members(("kind", .string(kind))))) }
        return .members(("Err", .members(("kind", .string(kind)), ("message", .string(message)), ("caused-by", .array([])))))
    }
}
