internal import ArgumentParser
internal import AuthModel

/// `yett setup docker`: lets docker get tokens for a registry.
struct DockerSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Let docker get tokens for a registry.",
        discussion: """
            Adds the registry to credHelpers in docker's config.json, the program docker-credential-yett to ~/.local/bin if it is not in \
            PATH, and the registry to api_hosts of the session's provider. A session of one account has a program of its own. podman, \
            skopeo and buildah read the same file.
            """)
    static let examples: KeyValuePairs = [
        "yett setup docker registry.example.org work": "Lets docker get tokens of the session for this registry.",
        "yett setup docker registry.example.org --remove": "Removes the setup.",
    ]

    @Argument(help: "The registry: HOST or HOST:PORT.")
    var registry: String

    @Argument(help: "PROVIDER or PROVIDER/ACCOUNT. Default: the only session.", completion: .names(.sessions))
    var session: String?

    @OptionGroup var setup: SetupOptions
    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let name = try await setup.session(session, in: context)
        let tool = try DockerSetup(registry: registry, session: name, environment: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }
}
