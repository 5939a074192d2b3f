internal import Agent
internal import AuthModel
internal import Synchronization
internal import OperatingSystem

/// Runs the commands that the launcher passes to the agent, in the agent's process and with the launcher's identity.
///
/// A command runs as it would in the full program, with its output collected. What needs the caller's terminal is left to the full program:
/// a question for consent, help, and the explanation of a wrong command line.
struct LauncherCommandRunner: Sendable {
    /// The agent's own context.
    let context: CommandContext

    /// Returns the result of a command. Throws ``LauncherCommand/needsProgram`` if only the full program can run it.
    func run(_ command: LauncherCommand, on service: any SessionService) async throws(AuthFailure) -> LauncherCommand.Output {
        let subcommand = try Self.parse(command.arguments)
        let output = Output()
        var edges = context.edges
        edges.environment = environment(of: command)
        edges.streams = Self.streams(reading: command.input, into: output)
        edges.sessionService = service
        let console = Console(streams: edges.streams, environment: edges.environment)
        let status = try await Self.status(of: subcommand, in: CommandContext(edges: edges, options: GlobalOptions(), console: console))
        return output.result(status: status)
    }

    private static func parse(_ arguments: [String]) throws(AuthFailure) -> any Subcommand {
        guard let (options, rest) = try? GlobalOptions.extract(from: arguments), options == GlobalOptions(),
            let command = RootCommand.subcommand(rest), command.runsInAgent
        else { throw LauncherCommand.needsProgram }
        return command
    }

    /// Runs a command and returns its exit status.
    private static func status(of command: any Subcommand, in context: CommandContext) async throws(AuthFailure) -> Int32 {
        do {
            try await command.run(in: context)
            return 0
        } catch let failure as AuthFailure {
            guard !failure.needsConsent, failure.kind != .usage else { throw LauncherCommand.needsProgram }
            context.console.failure(failure)
            return failure.exitCode
        } catch let status as ExitStatus {
            return status.code
        } catch {
            throw LauncherCommand.needsProgram
        }
    }

    /// The variables that the launcher passes. A caller must not move the folders or the configuration of a command in the agent's process.
    private static let passed: Set = ["LC_ALL", "LC_CTYPE", "LANG", "KUBERNETES_EXEC_INFO"]

    /// Returns the folders of the agent, which has checked that the caller's are the same, and the caller's own variables.
    private func environment(of command: LauncherCommand) -> [String: String] {
        context.edges.environment.filter { $0.key == "HOME" || $0.key.hasPrefix("XDG_") }
            .merging(command.environment.filter { Self.passed.contains($0.key) }) { _, caller in caller }
    }

    private static func streams(reading input: String, into output: Output) -> Streams {
        let lines = Lines(input)
        return Streams(
            isInputTerminal: false, isAnswerTerminal: false, isDiagnosticsTerminal: false,
            write: { (stream, bytes) throws(SystemError) in output.append(bytes, to: stream) }, line: { lines.next() },
            hiddenLine: { _ in nil })
    }

    /// The lines of the standard input, each once.
    private final class Lines: Sendable {
        private let rest: Mutex<[String]>

        init(_ text: String) {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if lines.last == "" { lines.removeLast() }
            rest = Mutex(lines.reversed())
        }

        func next() -> String? { rest.withLock { $0.popLast() } }
    }

    /// The collected output of a command.
    private final class Output: Sendable {
        private let bytes = Mutex<(answer: [UInt8], diagnostics: [UInt8])>(([], []))

        func append(_ added: [UInt8], to stream: Streams.Output) {
            bytes.withLock { bytes in
                switch stream {
                case .answer: bytes.answer += added
                case .diagnostics: bytes.diagnostics += added
                }
            }
        }

        func result(status: Int32) -> LauncherCommand.Output {
            bytes.withLock { LauncherCommand.Output(status: status, output: $0.answer, diagnostics: $0.diagnostics) }
        }
    }
}
