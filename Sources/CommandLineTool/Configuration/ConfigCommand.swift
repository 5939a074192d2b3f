internal import ArgumentParser

/// `yett config`: checks configuration files.
struct ConfigCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check configuration files.", subcommands: [ConfigCheckCommand.self])
    static let examples: KeyValuePairs = ["yett config check": "Checks the configuration in force."]
}
