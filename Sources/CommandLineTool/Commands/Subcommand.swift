internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import UserConfiguration

/// A command with examples on its help page.
protocol DocumentedCommand: ParsableCommand {
    /// Command lines that a user can copy, each with what it does.
    static var examples: KeyValuePairs<String, String> { get }
}

/// A command that runs in a given context.
protocol Subcommand: DocumentedCommand, Sendable {
    /// Whether a signal cancels the command's task, so that it can clean up, instead of ending the program at once.
    static var handlesInterruptions: Bool { get }

    /// Whether the agent runs the command for the launcher: it is frequent, and uses only sessions and the configuration.
    var runsInAgent: Bool { get }

    /// Runs the command. Throws ``AuthFailure``, or ``OutputError`` if its output cannot be written.
    func run(in context: CommandContext) async throws
}

extension Subcommand {
    static var handlesInterruptions: Bool { true }
    var runsInAgent: Bool { false }
}

/// Ends a command that has printed everything itself with an exit status.
struct ExitStatus: Error, Equatable {
    let code: Int32
}

/// The options that every command accepts, before or after its name; before it for `ssh` and the helpers, whose words are another
/// program's.
struct GlobalOptions: Equatable, Sendable {
    /// The configuration file to use instead of the default one.
    var configuration: String?
    /// Whether to use plain prompts instead of the full-screen app.
    var isPlain = false
    /// Whether to work in this process, without an agent.
    var disablesAgent = false
    /// Whether to write a log.
    var logs = false

    /// Removes the global options from a command line, up to `--`, `ssh` or the name of a helper. Throws `.usage` if a value is missing.
    ///
    /// The parser binds an option to one level of commands, but these belong to all levels; so they are parsed here. What a tool says to
    /// its helper, such as an address, must never choose the configuration.
    static func extract(from arguments: [String]) throws(AuthFailure) -> (options: GlobalOptions, rest: [String]) {
        var options = GlobalOptions()
        var rest: [String] = []
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            switch argument {
            case "--":
                return (options, rest + [argument] + remaining)
            case "--plain": options.isPlain = true
            case "--log": options.logs = true
            case "--no-agent": options.disablesAgent = true
            case "--config":
                guard let value = remaining.popFirst(), !value.isEmpty else {
                    throw AuthFailure(.usage, text: "--config needs a file", hint: "write it as: --config FILE")
                }
                options.configuration = value
            case _ where argument.hasPrefix("--config="):
                let value = argument.dropFirst("--config=".count)
                guard !value.isEmpty else { throw AuthFailure(.usage, text: "--config needs a file", hint: "write it as: --config FILE") }
                options.configuration = String(value)
            default:
                rest.append(argument)
                if isPassedOn(after: rest) { return (options, rest + remaining) }
            }
        }
        return (options, rest)
    }

    /// Returns whether the words after these belong to another program.
    private static func isPassedOn(after words: [String]) -> Bool {
        words.first == "ssh" || words.count == 2 && words[0] == "helper" && !words[1].hasPrefix("-")
    }
}

/// Declares the global options for the help pages; ``GlobalOptions/extract(from:)`` removes them before the parser runs.
///
/// Only ``RootCommand`` has them: the parser checks each declaration of each command, and that takes most of its time.
struct GlobalOptionsHelp: ParsableArguments {
    static let names = ["--config", "--plain", "--no-agent", "--log"]

    /// The line about them below the parser's page of another command.
    static let advice = "Every command also takes --config <file>, --plain, --no-agent and --log: see yett --help."

    @Option(name: .customLong("config"), help: ArgumentHelp("Read this configuration file instead of the default one.", valueName: "file"))
    var configuration: String?

    @Flag(help: "Use plain prompts instead of the full-screen app.")
    var plain = false

    @Flag(help: "Run without the background agent.")
    var noAgent = false

    @Flag(help: "Write a log to the state folder; it never contains secrets.")
    var log = false
}
