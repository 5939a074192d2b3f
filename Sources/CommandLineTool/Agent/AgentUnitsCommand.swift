internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett agent units`: prints or installs the unit files for systemd.
struct AgentUnitsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "units", abstract: "Print the unit files that let systemd run the agent, or install them.",
        discussion: "After installing them: systemctl --user daemon-reload && systemctl --user enable --now yett-agent.socket")
    static let examples: KeyValuePairs = [
        "yett agent units": "Prints the units.",
        "yett agent units --install": "Writes the units to your configuration folder.",
        "systemctl --user enable --now yett-agent.socket": "Lets systemd start the agent when a command needs it.",
    ]

    @Flag(help: "Write them to your systemd user units instead of printing them.")
    var install = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        guard let program = context.edges.agentProgram else {
            throw AuthFailure(.configuration, text: "cannot find where yett is installed", hint: "mount /proc")
        }
        let units = [("yett-agent.socket", UnitFiles.socket), ("yett-agent.service", UnitFiles.service(program: program))]
        guard install else {
            return try context.console.page(units.map { "# \($0.0)\n\($0.1)" }.joined(separator: "\n"))
        }
        let base = try context.directories.configuration
        let folder = base[..<(base.lastIndex(of: "/") ?? base.endIndex)] + "/systemd/user"
        try PrivateFile.makeDirectory(String(folder))
        for (name, text) in units {
            try PrivateFile.replace("\(folder)/\(name)", with: Array(text.utf8))
            context.console.note("wrote \(folder)/\(name)")
        }
        context.console.hint("next, run: systemctl --user daemon-reload && systemctl --user enable --now yett-agent.socket")
    }
}
