internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import UserConfiguration

/// `yett setup`: lets tools get the tokens of a session.
struct SetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Let git, kubectl, docker, AWS tools, mail programs and MCP clients get tokens.",
        discussion: """
            Writes the tool's own configuration and the provider's api_hosts. It shows the exact change first and asks once, and then \
            gets a token as the tool does. --remove undoes the change. If a step fails, all files have their earlier content.

            Without a tool, lists what is set up, from the tools' own configuration.
            """,
        subcommands: [
            GitSetupCommand.self, KubectlSetupCommand.self, DockerSetupCommand.self, AWSSetupCommand.self, MailSetupCommand.self,
            MCPSetupCommand.self,
        ])
    static let examples: KeyValuePairs = [
        "yett setup git git.example.org work": "Lets git get tokens of the session for this host.",
        "yett setup --list": "Lists what is set up.",
        "yett setup git git.example.org --remove": "Removes the setup.",
    ]

    @Flag(help: "List what is set up. Default without a tool.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let environment = try SetupEnvironment(context)
        let owner = SetupOwner(try context.configurationFile().read())
        var entries: [SetupEntry] = []
        var failure: AuthFailure?
        for tool in SetupTool.allCases {
            do throws(AuthFailure) {
                entries += try await tool.current(in: environment)
            } catch {
                context.console.warning("\(tool.rawValue) is left out: \(error.summary)")
                if let hint = error.hintText { context.console.hint(hint) }
                failure = failure ?? error
            }
        }
        try context.console.answer(
            SetupList(entries: entries.map { ($0, $0.session?.description ?? owner.provider(of: $0)?.name.text) }), asJSON: json)
        if entries.isEmpty, failure == nil { context.console.hint("set up a tool with: yett setup git HOST SESSION; see: yett help setup") }
        if let failure { throw ExitStatus(code: failure.exitCode) }
    }
}

/// The tools that get their credentials from Yett.
private struct SetupList: Answer {
    let entries: [(entry: SetupEntry, session: String?)]

    var lines: [String] {
        guard !entries.isEmpty else { return [] }
        var table = Table("TOOL", "FOR", "SESSION")
        for (entry, session) in entries { table.add([entry.tool.rawValue, entry.target, session ?? "-"]) }
        return table.lines
    }

    var json: JSONValue {
        .answer(
            (
                "setups",
                .array(
                    entries.map { entry, session in
                        .members(("tool", .string(entry.tool.rawValue)), ("target", .string(entry.target)), ("session", JSONValue(session)))
                    })
            ))
    }
}
