internal import AuthModel
internal import ArgumentParser

/// The program, from its arguments to its exit status.
public enum Program {
    /// The version, as `yett --version` says it.
    static let version = "0.1.0"

    /// Runs the command line of this process, and returns its exit status.
    public static func run() async -> Int32 {
        ProcessStart.prepare()
        return await run(Array(CommandLine.arguments.dropFirst()), edges: .system())
    }

    /// Runs one command line (without the program's name) and returns the exit status.
    public static func run(_ arguments: [String], edges: Edges) async -> Int32 {
        let console = Console(streams: edges.streams, environment: edges.environment)
        do {
            let (options, rest) = try GlobalOptions.extract(from: arguments)
            let command = try RootCommand.parseAsRoot(rest)
            guard let subcommand = command as? any Subcommand else {
                var command = command
                try command.run()
                return 0
            }
            let context = CommandContext(edges: edges, options: options, console: console)
            return await run(subcommand, in: context)
        } catch let failure as AuthFailure {
            console.failure(failure)
            return failure.exitCode
        } catch {
            return CommandLineTrouble(error, arguments: arguments).report(to: console)
        }
    }

    private static func run(_ command: any Subcommand, in context: CommandContext) async -> Int32 {
        let work = Task { await outcome(of: command, in: context) }
        guard type(of: command).handlesInterruptions else { return await work.value }
        let watch = Task {
            for await interruption in context.edges.interruptions() {
                // The first asks politely; whoever asks again does not want to wait for what is being put in order.
                if work.isCancelled { context.edges.exitNow(interruption.exitCode) }
                work.cancel()
            }
        }
        defer { watch.cancel() }
        return await work.value
    }

    /// Runs a command and says what went wrong; every failure of every command passes here.
    private static func outcome(of command: any Subcommand, in context: CommandContext) async -> Int32 {
        do {
            try await command.run(in: context)
            return 0
        } catch let failure as AuthFailure {
            context.console.failure(failure)
            return failure.exitCode
        } catch let status as ExitStatus {
            return status.code
        } catch let failure as OutputFailure {
            if !failure.isBrokenPipe { context.console.failure(failure.failure) }
            return failure.failure.exitCode
        } catch is CancellationError {
            let failure = AuthFailure(.cancelled, "cancelled")
            context.console.failure(failure)
            return failure.exitCode
        } catch {
            return CommandLineTrouble(error, arguments: []).report(to: context.console)
        }
    }
}
