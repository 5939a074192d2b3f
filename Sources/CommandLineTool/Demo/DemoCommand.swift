internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett demo`: runs the app with sandbox providers, in a temporary home folder.
struct DemoCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Try everything: the app with test providers, in a temporary home.",
        discussion: "Reads and changes none of your files. Deletes the temporary home when you quit.")
    static let examples: KeyValuePairs = ["yett demo": "Opens the app with test providers."]
    // The app handles the signals itself and restores the terminal.
    static let handlesInterruptions = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws { try await Self.show(in: context) }

    /// Runs the demo until the user quits the app, then stops the servers and removes the home folder.
    static func show(in context: CommandContext) async throws {
        guard context.canRunApp || context.canRunPlain else {
            throw AuthFailure(
                .usage, text: "the demo needs a terminal", hint: "without a terminal, run yett sandbox, and sign in with yett login")
        }
        let program = try context.sandboxProgram()
        let folder = try TemporaryFolder(prefix: "yett-demo", environment: context.edges.environment)
        defer { folder.remove() }
        let sandbox = try await RunningSandbox.start(program, environment: context.edges.environment)
        do {
            let demo = try Self.prepare(folder, for: sandbox, in: context)
            let advice = "demo: the user \(sandbox.user.name) has the password \(sandbox.user.password)"
            try await AppStart.run(in: demo, demoAdvice: advice)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    /// Returns a context with the same system edges and a temporary home folder. The browser still starts with the user's environment.
    private static func prepare(
        _ folder: TemporaryFolder, for sandbox: RunningSandbox, in context: CommandContext
    ) throws(AuthFailure) -> CommandContext {
        var edges = context.edges
        edges.environment["HOME"] = folder.path
        for variable in [
            "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "YETT_CONFIG",
            "YETT_PASSPHRASE_FILE",
        ] {
            edges.environment[variable] = nil
        }
        edges.environment["XDG_CONFIG_DIRS"] = folder.path + "/.config/system"
        edges.agentProgram = nil
        edges.environment["YETT_NO_AGENT"] = "1"
        var options = GlobalOptions()
        options.isPlain = context.options.isPlain
        let demo = CommandContext(edges: edges, options: options, console: context.console)
        let directory = try demo.directories.configuration
        try PrivateFile.makeDirectory(directory)
        try PrivateFile.replace(directory + "/config.toml", with: Array(sandbox.configuration.utf8))
        return demo
    }
}
