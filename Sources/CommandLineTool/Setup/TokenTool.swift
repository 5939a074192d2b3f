internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// A tool that runs a command of Yett for a token: one row of ``all``, which ``TokenToolSetup`` carries out.
struct TokenTool: Sendable {
    /// The kind of the tokens' receiver.
    enum Target: Sendable {
        /// One thing alone, under this name.
        case only(String)
        /// A table of the tool's configuration.
        case table
        /// A host that the setting does not name.
        case host
        /// A host in the setting, as a full domain name.
        case domain
    }

    /// The value of the setting.
    enum Value: Sendable {
        /// A command of Yett in one text, quoted as for a shell.
        case shellCommand
        /// A command of Yett in one text, which the tool splits at spaces.
        case splitCommand
        /// The path of yett; the setting `args` has the words after it.
        case pathAndArguments
        /// A list with the path of the program.
        case programList
        /// A text that is the same for everyone; empty if the key is the whole line.
        case fixed(String)
    }

    /// The address to which the tool sends tokens.
    enum Address: Sendable {
        /// That of the host.
        case target
        /// The value of a setting of the tool without a prefix, otherwise another one.
        case setting(table: [String], key: String, prefix: String = "", otherwise: String? = nil)
    }

    /// A program that the tool runs, and that passes its words on to a helper of Yett.
    struct Program: Sendable {
        /// The path below the home.
        let path: String
        let helper: String
        /// Whether the tool looks for the program's name in `PATH`.
        var isInPath = false
        /// Returns what the tool passes to the program for a token.
        let arguments: @Sendable (_ address: String, _ target: String) -> [String]
        /// Returns what the tool writes to the program's standard input.
        var input: @Sendable (_ address: String) -> String = { _ in "" }
    }

    let tool: SetupTool
    let abstract: String
    let discussion: String
    /// The tool and the target in the examples.
    let example: String
    let target: Target
    /// The name and the help of the argument for the target.
    var argument = (name: "", help: "")
    /// Returns the path of the file with the setting.
    let path: @Sendable (SetupEnvironment) -> String
    let syntax: ToolSetting.Syntax
    /// The path of the table with the setting, or its section; `*` stands for the target.
    var table: [String] = []
    /// The key, or the whole line; `HOST` and `PROGRAM` stand for the target and for the path of the program.
    let key: String
    let value: Value
    /// The command of Yett between its path and the session.
    var operation = ["token"]
    /// The variable that tells the command the address; `nil` if none does.
    var variable: String?
    var address = Address.target
    /// The program that the tool runs; `nil` if it runs yett itself.
    var program: Program?
}

extension TokenTool {
    /// The name of Claude Code's own API as a target.
    static let modelAPI = "the model's API"

    /// The program of Python's keyring.
    private static let keyring = Program(
        path: "/.local/bin/keyring", helper: "keyring", isInPath: true, arguments: { address, _ in ["get", address, "oauth2"] })

    /// code.claude.com/docs/en/settings; its settings in a project can change where it sends the token.
    static let claude = TokenTool(
        tool: .claude, abstract: "Let Claude Code get its model's token from a session.",
        discussion: """
            Sets apiKeyHelper in Claude Code's settings.json, for a gateway that takes your session's tokens: the host of \
            ANTHROPIC_BASE_URL in its settings, otherwise api.anthropic.com.
            """,
        example: "claude", target: .only(modelAPI), path: { $0.folder("CLAUDE_CONFIG_DIR", otherwise: "/.claude") + "/settings.json" },
        syntax: .json, key: "apiKeyHelper", value: .shellCommand, operation: ["helper", "anthropic"],
        variable: AnthropicHelperCommand.variable,
        address: .setting(table: ["env"], key: AnthropicHelperCommand.variable, otherwise: AnthropicHelperCommand.api))

    /// developers.openai.com/codex/config-reference.
    static let codex = TokenTool(
        tool: .codex, abstract: "Let Codex get a model provider's token from a session.",
        discussion: """
            Adds [model_providers.NAME.auth] to Codex's config.toml. The provider must be there with its base_url.
            """,
        example: "codex gateway", target: .table,
        argument: ("provider", "The name below model_providers in Codex's config.toml."),
        path: { $0.folder("CODEX_HOME", otherwise: "/.codex") + "/config.toml" },
        syntax: .toml, table: ["model_providers", "*", "auth"], key: "command", value: .pathAndArguments,
        address: .setting(table: ["model_providers", "*"], key: "base_url"))

    /// pip.pypa.io/en/stable/topics/configuration.
    static let pip = TokenTool(
        tool: .pip, abstract: "Let pip get tokens for a package index.",
        discussion: """
            Creates the program keyring in ~/.local/bin, and sets keyring-provider in pip.conf. The index's URL must have a user name, \
            such as https://oauth2@pypi.example.org/simple/. --remove leaves the host in api_hosts.
            """,
        example: "pip pypi.example.org", target: .host,
        argument: ("host", "The index: HOST or HOST:PORT."),
        path: { $0.value("PIP_CONFIG_FILE") ?? $0.configuration + "/pip/pip.conf" },
        syntax: .section, table: ["global"], key: "keyring-provider", value: .fixed("subprocess"), program: keyring)

    /// docs.astral.sh/uv/reference/settings.
    static let uv = TokenTool(
        tool: .uv, abstract: "Let uv get tokens for a package index.",
        discussion: """
            Creates the program keyring in ~/.local/bin, and sets keyring-provider in uv.toml. The index's URL must have a user name, such \
            as https://oauth2@pypi.example.org/simple/, or the index authenticate = "always" in its table. --remove leaves the host in \
            api_hosts.
            """,
        example: "uv pypi.example.org", target: .host,
        argument: ("host", "The index: HOST or HOST:PORT."),
        path: { $0.configuration + "/uv/uv.toml" },
        syntax: .line, key: "keyring-provider = \"subprocess\"", value: .fixed(""), program: keyring)

    /// doc.rust-lang.org/cargo/reference/registry-authentication.html. cargo passes the words after the first one in its request (The Cargo
    /// Book, "Credential Provider Protocol"), so there is a program.
    static let cargo = TokenTool(
        tool: .cargo, abstract: "Let cargo get tokens for a registry.",
        discussion: """
            Creates the program cargo-credential-yett in ~/.local/bin, and sets it as credential-provider of the registry in cargo's \
            config.toml. The registry must be there with its index. cargo 1.74 and later use it.
            """,
        example: "cargo internal", target: .table,
        argument: ("registry", "The name below registries in cargo's config.toml."),
        path: { $0.folder("CARGO_HOME", otherwise: "/.cargo") + "/config.toml" },
        syntax: .toml, table: ["registries", "*"], key: "credential-provider", value: .programList,
        address: .setting(table: ["registries", "*"], key: "index", prefix: "sparse+"),
        program: Program(
            path: "/.local/bin/cargo-credential-yett", helper: "cargo", arguments: { _, _ in ["--cargo-plugin"] },
            input: { address in
                let registry = JSONValue.members(("index-url", .string("sparse+" + address)))
                return JSONValue.members(
                    ("v", 1), ("registry", registry), ("kind", "get"), ("operation", "read"), ("args", .array([]))
                ).text + "\n"
            }))

    /// bazel.build/run/bazelrc.
    static let bazel = TokenTool(
        tool: .bazel, abstract: "Let Bazel get tokens for a cache or a download server.",
        discussion: """
            Creates the program bazel-credential-yett in ~/.local/bin, and adds --credential_helper for the host to ~/.bazelrc. Bazel knows \
            hosts by full names, without ports. --remove leaves a host with a port in api_hosts.
            """,
        example: "bazel cache.example.org", target: .domain,
        argument: ("host", "The server: HOST or HOST:PORT."),
        path: { $0.home + "/.bazelrc" },
        syntax: .line, key: "common --credential_helper=HOST=PROGRAM", value: .fixed(""),
        program: Program(
            path: "/.local/bin/bazel-credential-yett", helper: "bazel", arguments: { _, _ in ["get"] },
            input: { JSONValue.members(("uri", .string($0))).text + "\n" }))

    /// developer.hashicorp.com/terraform/cli/config/config-file.
    static let terraform = TokenTool(
        tool: .terraform, abstract: "Let Terraform get tokens for a host.",
        discussion: """
            Creates the program terraform-credentials-yett in ~/.terraform.d/plugins, and adds it to ~/.terraformrc. --remove leaves the \
            host in api_hosts.
            """,
        example: "terraform app.example.org", target: .host,
        argument: ("host", "The host: HOST or HOST:PORT."),
        path: { $0.folder("TF_CLI_CONFIG_FILE", otherwise: "/.terraformrc") },
        syntax: .line, key: "credentials_helper \"yett\" {}", value: .fixed(""),
        program: Program(
            path: "/.terraform.d/plugins/terraform-credentials-yett", helper: "terraform", arguments: { _, target in ["get", target] }))

    /// rclone.org/docs, and rclone.org/webdav ("bearer_token_command").
    static let rclone = TokenTool(
        tool: .rclone, abstract: "Let rclone get tokens for a WebDAV remote.",
        discussion: """
            Sets bearer_token_command of the remote in rclone.conf. The remote must be there with its url.
            """,
        example: "rclone files", target: .table,
        argument: ("remote", "The name of the remote."),
        path: { $0.value("RCLONE_CONFIG") ?? $0.configuration + "/rclone/rclone.conf" },
        syntax: .section, table: ["*"], key: "bearer_token_command", value: .splitCommand,
        address: .setting(table: ["*"], key: "url"))

    /// All tools, each with the document that it follows.
    static let all = [claude, codex, pip, uv, cargo, bazel, terraform, rclone]
}

/// The commands that set up the tools of ``TokenTool``.
protocol TokenToolSetupCommand: ToolSetupCommand {
    static var tool: TokenTool { get }
    /// The receiver of the tokens, from the command line.
    var target: String { get }
}

extension TokenToolSetupCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: tool.tool.rawValue, abstract: tool.abstract, discussion: tool.discussion)
    }

    static var examples: KeyValuePairs<String, String> {
        let line = "yett setup " + tool.example
        return ["\(line) work": tool.abstract, "\(line) --remove": "Removes the setup."]
    }

    /// Returns the setup of the target; a host as tools write it. Throws `.usage` if it is no host.
    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup {
        let name =
            switch Self.tool.target {
            case .only, .table: target
            case .host, .domain: try WebURL.server(target).origin.authority
            }
        return TokenToolSetup(row: Self.tool, target: name, session: session, environment: environment)
    }
}

struct ClaudeSetupCommand: TokenToolSetupCommand {
    static let tool = TokenTool.claude

    var target: String { TokenTool.modelAPI }

    @OptionGroup var source: TokenSource
}

/// The command of a tool with a target.
struct TargetSetupCommand<Row: TokenToolRow>: TokenToolSetupCommand {
    static var tool: TokenTool { Row.tool }

    @Argument(help: ArgumentHelp(Row.tool.argument.help, valueName: Row.tool.argument.name))
    var target: String

    @OptionGroup var source: TokenSource
}

/// A row as a type: the argument parser tells commands apart by theirs.
protocol TokenToolRow {
    static var tool: TokenTool { get }
}

enum CodexRow: TokenToolRow { static var tool: TokenTool { .codex } }
enum PipRow: TokenToolRow { static var tool: TokenTool { .pip } }
enum UVRow: TokenToolRow { static var tool: TokenTool { .uv } }
enum CargoRow: TokenToolRow { static var tool: TokenTool { .cargo } }
enum BazelRow: TokenToolRow { static var tool: TokenTool { .bazel } }
enum TerraformRow: TokenToolRow { static var tool: TokenTool { .terraform } }
enum RcloneRow: TokenToolRow { static var tool: TokenTool { .rclone } }
