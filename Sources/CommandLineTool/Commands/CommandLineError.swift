internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// An error from the parser: a help request, or a mistake in the command line.
struct CommandLineError {
    private let error: any Error
    private let arguments: [String]

    init(_ error: any Error, arguments: [String]) {
        self.error = error
        self.arguments = arguments
    }

    /// Prints the help page or the failure, and returns the exit status.
    func report(to console: Console) -> Int32 {
        let message = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error) != .success else {
            do throws(OutputError) {
                try console.page(message)
                return 0
            } catch {
                if !error.isBrokenPipe { console.failure(error.failure) }
                return error.failure.exitCode
            }
        }
        let summary = unknownCommand.map { "unknown command '\($0)'" } ?? Self.sentence(RootCommand.message(for: error))
        let failure = AuthFailure(.usage, text: summary, hint: hint)
        console.failure(failure)
        return failure.exitCode
    }

    /// Returns the parser's message in our style: its first line, in lower case, without a full stop.
    private static func sentence(_ message: String) -> String {
        var text = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? "the command line has an error"
        if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
        while text.last == "." { text.removeLast() }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private var names: [String] { RootCommand.configuration.subcommands.compactMap { command in command.configuration.commandName } }

    /// The word at the position of the command, if there is no such command.
    private var unknownCommand: String? {
        guard let first = arguments.first(where: { !$0.hasPrefix("-") }), arguments.first == first || firstIsGlobal else { return nil }
        return names.contains(first) ? nil : first
    }

    /// Whether the first argument is a global option without a value.
    private var firstIsGlobal: Bool { arguments.first.map { ["--plain", "--no-agent", "--log"].contains($0) } ?? false }

    /// An argument that begins with one dash and is longer than an option of one letter: perhaps a value that the parser took for options.
    private var valueLikeOption: String? {
        guard !arguments.contains("--") else { return nil }
        return arguments.first { $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }
    }

    private var hint: String {
        guard let first = arguments.first(where: { !$0.hasPrefix("-") }) else { return "see: yett --help" }
        if names.contains(first) {
            return valueLikeOption.map { "if '\($0)' is a value, write -- before it" } ?? "see: yett \(first) --help"
        }
        return names.nearest(to: first).map { "did you mean: yett \($0)?" } ?? "see: yett --help"
    }
}
