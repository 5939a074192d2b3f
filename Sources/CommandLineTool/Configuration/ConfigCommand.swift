internal import ArgumentParser

/// `yett config`: checks configuration files.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check configuration files.", subcommands: [ConfigCheckCommand.self])
}
