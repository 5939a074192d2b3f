import AuthModel
import OperatingSystem
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool

/// Values that a provider or an older version of Yett could have named, in the files of every tool. The genuine tools read the files, and a
/// stand-in for yett records the arguments that they call it with.
struct SetupHostileValueTests {
    /// Account labels. A command in one of them that runs leaves the file `X` in the home.
    static let labels = [
        "a`>~/X`b", "a$(>~/X)b", "${HOME}$USER", "it's \"quoted\\\"", "\\'; >~/X; '\\", "a,b,\"c\"", "a # b: [c] {d}", "a|>~/X&>~/X;>~/X",
        "--help", " a ", "%U%s%%~", "!id ~ * ? -", "é`>~/X`\"`>~/X`\"", "\"", "'", "\\", "$@", "{\"a\":1}", "a\u{A0}b",
        // An accent after each special character.
        "`\u{301};>~/X;`\u{301}", "a,\u{301}\"\u{301}\\\u{301}", "'\u{301};>~/X;'\u{301}", "a/\u{301}b",
    ]

    private let world: CommandWorld
    private let environment: SetupEnvironment

    init() throws {
        world = try CommandWorld()
        environment = SetupEnvironment(variables: world.environment.merging(world.toolEnvironment) { $1 }, home: world.home)
    }

    /// Writes the stand-in, which prints `answer`.
    private func recordCalls(answering answer: String) throws {
        try world.write(answer, to: "answer")
        try world.writeProgram("yett", "printf '%s\\0' \"$@\" >~/calls\ncat ~/answer\n")
    }

    /// The arguments of the last call, which are forgotten.
    private func takeCall() throws -> [String] {
        let call = try world.content("calls")?.split(separator: "\0").map(String.init) ?? []
        try world.write("", to: "calls")
        return call
    }

    private func session(_ label: String) throws -> SessionName {
        let provider = try #require(ProviderName("lab"))
        return try #require(SessionName(provider: provider, account: label))
    }

    /// Nothing in the values was run as a command.
    private func expectNothingRan() { #expect(!world.has("X")) }

    @Test(.enabled(if: Product.installed("git") != nil, "git is not installed"))
    func gitReadsEveryLabel() async throws {
        try recordCalls(answering: "username=u\npassword=p\n")
        for label in Self.labels {
            let setup = try GitSetup(host: "git.example.org", session: session(label), environment: environment)
            try await setup.apply(try await setup.change())
            #expect(try await setup.check().found == "a token, sent for the user u")
            #expect(try takeCall() == ["helper", "git", "lab/\(label)", "get"])
            #expect(try await GitSetup.current(in: environment).map(\.session) == [session(label)])
            try await setup.apply(try await setup.undo())
            #expect(!world.has(".gitconfig"))
        }
        expectNothingRan()
    }

    /// The names of the cluster and of the context are hostile too.
    @Test(.enabled(if: Product.installed("kubectl") != nil, "kubectl is not installed"))
    func kubectlReadsEveryLabel() async throws {
        try recordCalls(answering: #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}"#)
        for label in Self.labels {
            let cluster = "c" + label
            try world.tool("kubectl", "config", "set-cluster", cluster, "--server=https://127.0.0.1:1")
            let before = try world.content(".kube/config")
            let setup = try KubectlSetup(cluster: cluster, session: session(label), environment: environment)
            try await setup.apply(try await setup.change())
            _ = try world.exchange("kubectl", "--context", "lab/\(label)@\(cluster)", "get", "--raw", "/")
            #expect(try takeCall() == ["helper", "kubectl", "lab/\(label)"])
            let entries = try await KubectlSetup.current(in: environment)
            #expect(try entries.map(\.session) == [session(label)])
            #expect(entries.map(\.target) == [cluster])
            #expect(try await setup.change().steps.isEmpty)
            try await setup.apply(try await setup.undo())
            #expect(try world.content(".kube/config") == before)
        }
        expectNothingRan()
    }

    /// docker itself, if it is installed, calls the program that a setup made.
    @Test func dockerReadsEveryLabel() async throws {
        try recordCalls(answering: #"{"Username":"u","Secret":"s"}"#)
        let isInstalled = Product.installed("docker") != nil
        if !isInstalled { try world.writeProgram("docker", "exit 0\n") }
        for label in Self.labels {
            let setup = try DockerSetup(registry: "registry.example.org", session: session(label), environment: environment)
            try await setup.apply(try setup.change())
            #expect(try await setup.check().found == "a token, sent for the user u")
            #expect(try takeCall() == ["helper", "docker", "lab/\(label)", "get"])
            if isInstalled {
                try world.tool("docker", "logout", "registry.example.org")
                #expect(try takeCall() == ["helper", "docker", "lab/\(label)", "erase"])
            }
            #expect(try DockerSetup.current(in: environment).map(\.session) == [session(label)])
            try await setup.apply(try setup.undo())
            #expect(!world.has(".docker/config.json"))
        }
        expectNothingRan()
    }

    /// A value that a shell or the format of the file could take for its own is refused; with others, aws calls the helper.
    @Test(.enabled(if: Product.installed("aws") != nil, "aws is not installed"))
    func awsReadsAPlainLabelAndRefusesOthers() async throws {
        try recordCalls(answering: #"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"s","SessionToken":"t"}"#)
        let role = "arn:aws:iam::123456789012:role/dev"
        let hostile =
            Self.labels.filter { ![" a ", "a/\u{301}b"].contains($0) }.map { ($0, role) } + [
                ("ada", "\(role)$(>~/X)"), ("ada", "\(role)`>~/X`"), ("ada", "\(role);#"),
            ]
        for (label, role) in hostile where label != "--help" {
            let setup = try AWSSetup(profile: "dev", session: session(label), role: role, endpoint: nil, environment: environment)
            #expect(throws: AuthFailure.self, "\(label)") { try setup.change() }
        }
        let address = try AWSSetup(
            profile: "dev", session: session("ada"), role: role, endpoint: "https://sts.example.org/$(id)", environment: environment)
        #expect(throws: AuthFailure.self) { try address.change() }
        for label in ["ada", "jürgen+1@example.org", " a b=c,d", "--help"] {
            let setup = try AWSSetup(profile: "dev", session: session(label), role: role, endpoint: nil, environment: environment)
            try await setup.apply(try setup.change())
            try world.tool("aws", "configure", "list", "--profile", "dev")
            #expect(try takeCall() == ["helper", "aws", "lab/\(label)", "--role-arn", role])
            #expect(try AWSSetup.current(in: environment).map(\.session) == [session(label)])
            try await setup.apply(try setup.undo())
        }
        expectNothingRan()
    }

    /// Every client reads JSON or TOML.
    @Test func clientsReadEveryURL() async throws {
        try recordCalls(answering: "")
        for url in ["https://mcp.example.org/a$(id)'b;c", "https://mcp.example.org/%22%5C%60id%60", "https://mcp.example.org/?a=$HOME&b=*"]
        {
            for client in MCPClient.all where client.format != .yaml {
                let setup = MCPSetup(
                    name: "a\\'`$(id)`{}", client: client, url: WebURL(url), session: try session("ada"),
                    environment: environment)
                try await setup.apply(try setup.change())
                let file = try MCPClientFile(client, path: client.paths(in: environment)[0])
                #expect(file.servers.map(\.name) == [setup.name])
                #expect(file.servers.first.map { client.command(of: $0.entry).suffix(2) } == ["mcp", url])
                try await setup.apply(try setup.undo())
            }
        }
    }

    // MARK: Mail

    private func settings(_ label: String, for program: String) throws -> [String] {
        let setup = MailSetup(
            session: try session(label), user: label + "@example.org", imap: try MailServer("imap.example.org"),
            smtp: try MailServer("smtp.example.org"), mbsync: .old, environment: environment)
        return try #require(setup.settings.first { $0.file == "~/.\(program)rc" }?.lines)
    }

    @Test(.enabled(if: Product.installed("msmtp") != nil, "msmtp is not installed"))
    func msmtpReadsEveryLabel() throws {
        try recordCalls(answering: "token\n")
        for label in Self.labels {
            let lines = try settings(label, for: "msmtp") + [""]
            try world.write(lines.joined(separator: "\n"), to: ".msmtprc")
            let output = try world.tool("msmtp", "--pretend", "-a", "lab", "ada@example.org")
            #expect(try takeCall() == ["token", "lab/\(label)"])
            #expect(output.contains("\nuser = \(label)@example.org\n"), "\(output)")
        }
        expectNothingRan()
    }

    @Test(.enabled(if: Product.installed("mutt") != nil, "mutt is not installed"))
    func muttReadsEveryLabel() throws {
        try recordCalls(answering: "token\n")
        for label in Self.labels {
            try world.write(try settings(label, for: "mutt").joined(separator: "\n") + "\n", to: ".muttrc")
            for name in ["imap_oauth_refresh_command", "smtp_oauth_refresh_command"] {
                // mutt gives the command to a shell.
                try world.tool("sh", "-c", try muttValue(name))
                #expect(try takeCall() == ["token", "lab/\(label)"])
            }
            #expect(try muttValue("imap_user") == label + "@example.org")
            #expect(try muttValue("smtp_url").hasSuffix("@example.org@smtp.example.org:587"))
        }
        expectNothingRan()
    }

    /// Returns a variable as mutt has read it, which prints it with a backslash before quotes and backslashes.
    private func muttValue(_ name: String) throws -> String {
        let line = try world.tool("mutt", "-F", world.home + "/.muttrc", "-Q", name)
        var value = ""
        var isEscaped = false
        for scalar in line.dropFirst(name.count + 2).dropLast(2).unicodeScalars {
            isEscaped = scalar == "\\" && !isEscaped
            if !isEscaped { value.unicodeScalars.append(scalar) }
        }
        return value
    }

    @Test(.enabled(if: Product.installed("mbsync") != nil, "mbsync is not installed"))
    func mbsyncReadsEveryLabel() throws {
        try recordCalls(answering: "token\n")
        // A server that sees the user's name, and refuses every login.
        try world.write(
            """
            printf '* OK [CAPABILITY IMAP4rev1 AUTH=LOGIN] ready\\r\\n'
            while read -r line; do
                printf '%s\\n' "$line" >>~/commands
                printf '%s NO refused\\r\\n' "${line%% *}"
            done
            """, to: "server")
        for label in Self.labels {
            try world.write("", to: "commands")
            let account = try settings(label, for: "mbsync").map { line in
                ["SSLType IMAPS": "SSLType None", "AuthMechs XOAUTH2": "AuthMechs LOGIN"][line] ?? line
            }
            try world.write(
                """
                \(account.joined(separator: "\n"))
                Tunnel "sh \(world.home)/server"

                IMAPStore far
                Account lab

                MaildirStore near
                Inbox \(world.home)/copy

                Channel mail
                Far :far:
                Near :near:

                """, to: ".mbsyncrc")
            _ = try world.exchange("mbsync", "mail")
            #expect(try takeCall() == ["token", "lab/\(label)"])
            let user = (label + "@example.org").escaped { $0 == "\\" || $0 == "\"" }
            #expect(try world.content("commands")?.contains(" LOGIN \"\(user)\" \"token\"") == true)
        }
        expectNothingRan()
    }

    /// A provider's claim is no address if it has more than the characters of plain addresses.
    @Test(arguments: [
        "a`>~/X`@example.org", "a\"@example.org", "a$(id)@example.org", "a b@example.org", "a@b@example.org", "@example.org", "a@",
        "a%U@example.org", "a\nset shell = x@example.org", "a'@example.org",
    ])
    func hostileAddressInAClaimIsRefused(address: String) async throws {
        let sandbox = SignInTests.honest.with { $0.users[0].email = address }
        try await withSetupWorld(sandbox) { _, world in
            let result = await world.setUp("mail", "sandbox", "--imap", "imap.example.org", "--smtp", "smtp.example.org")
            #expect(result.status == 2 && result.output.isEmpty, "\(result)")
            #expect(result.errors.contains("yett: hint: give the user at the mail server with --user"))
            let helper = await world.run("helper", "xoauth2", "sandbox")
            #expect(helper.status == 2 && helper.output.isEmpty, "\(helper)")
        }
    }
}
