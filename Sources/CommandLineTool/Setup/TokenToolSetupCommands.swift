internal import ArgumentParser
internal import AuthModel

/// The commands that set up tools which run a command of Yett for a token; see ``TokenToolSetup``.
protocol TokenToolSetupCommand: ToolSetupCommand {
    static var tool: SetupTool { get }
    /// What gets the tokens.
    var target: String { get }
}

extension TokenToolSetupCommand {
    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup {
        TokenToolSetup(tool: Self.tool, target: try host(target), session: session, environment: environment)
    }

    /// Returns the target; a host as tools write it. Throws `.usage` if it is no host.
    private func host(_ target: String) throws(AuthFailure) -> String {
        guard [.pip, .uv, .bazel, .terraform].contains(Self.tool) else { return target }
        return try WebURL.server(target).origin.authority
    }
}

/// `yett setup claude`: let Claude Code get its model's token from a session.
struct ClaudeSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "claude", abstract: "Let Claude Code get its model's token from a session.",
        discussion: """
            Sets apiKeyHelper in Claude Code's settings.json, for a gateway that takes your session's tokens: the host of \
            ANTHROPIC_BASE_URL in its settings, otherwise api.anthropic.com.
            """)
    static let examples: KeyValuePairs = [
        "yett setup claude work": "Let Claude Code get its model's token from a session.",
        "yett setup claude --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.claude

    var target: String { TokenToolSetup.claude }

    @OptionGroup var source: TokenSource
}

/// `yett setup codex`: let Codex get a model provider's token from a session.
struct CodexSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "codex", abstract: "Let Codex get a model provider's token from a session.",
        discussion: """
            Adds [model_providers.NAME.auth] to Codex's config.toml. The provider must be there with its base_url.
            """)
    static let examples: KeyValuePairs = [
        "yett setup codex gateway work": "Let Codex get a model provider's token from a session.",
        "yett setup codex gateway --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.codex

    @Argument(help: ArgumentHelp("The name below model_providers in Codex's config.toml.", valueName: "provider"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup pip`: let pip get tokens for a package index.
struct PipSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "pip", abstract: "Let pip get tokens for a package index.",
        discussion: """
            Creates the program keyring in ~/.local/bin, and sets keyring-provider in pip.conf. The index's URL must have a user name, \
            such as https://oauth2@pypi.example.org/simple/. --remove leaves the host in api_hosts.
            """)
    static let examples: KeyValuePairs = [
        "yett setup pip pypi.example.org work": "Let pip get tokens for a package index.",
        "yett setup pip pypi.example.org --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.pip

    @Argument(help: ArgumentHelp("The index: HOST or HOST:PORT.", valueName: "host"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup uv`: let uv get tokens for a package index.
struct UVSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "uv", abstract: "Let uv get tokens for a package index.",
        discussion: """
            Creates the program keyring in ~/.local/bin, and sets keyring-provider in uv.toml. The index's URL must have a user name, such \
            as https://oauth2@pypi.example.org/simple/, or the index authenticate = "always" in its table. --remove leaves the host in \
            api_hosts.
            """)
    static let examples: KeyValuePairs = [
        "yett setup uv pypi.example.org work": "Let uv get tokens for a package index.",
        "yett setup uv pypi.example.org --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.uv

    @Argument(help: ArgumentHelp("The index: HOST or HOST:PORT.", valueName: "host"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup cargo`: let cargo get tokens for a registry.
struct CargoSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "cargo", abstract: "Let cargo get tokens for a registry.",
        discussion: """
            Creates the program cargo-credential-yett in ~/.local/bin, and sets it as credential-provider of the registry in cargo's \
            config.toml. The registry must be there with its index. cargo 1.74 and later use it.
            """)
    static let examples: KeyValuePairs = [
        "yett setup cargo internal work": "Let cargo get tokens for a registry.",
        "yett setup cargo internal --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.cargo

    @Argument(help: ArgumentHelp("The name below registries in cargo's config.toml.", valueName: "registry"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup bazel`: let Bazel get tokens for a cache or a download server.
struct BazelSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "bazel", abstract: "Let Bazel get tokens for a cache or a download server.",
        discussion: """
            Creates the program bazel-credential-yett in ~/.local/bin, and adds --credential_helper for the host to ~/.bazelrc. Bazel knows \
            hosts by full names, without ports. --remove leaves a host with a port in api_hosts.
            """)
    static let examples: KeyValuePairs = [
        "yett setup bazel cache.example.org work": "Let Bazel get tokens for a cache or a download server.",
        "yett setup bazel cache.example.org --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.bazel

    @Argument(help: ArgumentHelp("The server: HOST or HOST:PORT.", valueName: "host"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup terraform`: let Terraform get tokens for a host.
struct TerraformSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "terraform", abstract: "Let Terraform get tokens for a host.",
        discussion: """
            Creates the program terraform-credentials-yett in ~/.terraform.d/plugins, and adds it to ~/.terraformrc. --remove leaves the \
            host in api_hosts.
            """)
    static let examples: KeyValuePairs = [
        "yett setup terraform app.example.org work": "Let Terraform get tokens for a host.",
        "yett setup terraform app.example.org --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.terraform

    @Argument(help: ArgumentHelp("The host: HOST or HOST:PORT.", valueName: "host"))
    var target: String

    @OptionGroup var source: TokenSource
}

/// `yett setup rclone`: let rclone get tokens for a WebDAV remote.
struct RcloneSetupCommand: TokenToolSetupCommand {
    static let configuration = CommandConfiguration(
        commandName: "rclone", abstract: "Let rclone get tokens for a WebDAV remote.",
        discussion: """
            Sets bearer_token_command of the remote in rclone.conf. The remote must be there with its url.
            """)
    static let examples: KeyValuePairs = [
        "yett setup rclone files work": "Let rclone get tokens for a WebDAV remote.",
        "yett setup rclone files --remove": "Removes the setup.",
    ]
    static let tool = SetupTool.rclone

    @Argument(help: ArgumentHelp("The name of the remote.", valueName: "remote"))
    var target: String

    @OptionGroup var source: TokenSource
}
