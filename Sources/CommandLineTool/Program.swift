internal import ArgumentParser
internal import AuthEngine
internal import AuthModel
internal import CursesBackend
internal import CVersion
internal import Dispatch
internal import Glibc
internal import Logging
internal import OperatingSystem
internal import SessionStore
internal import Synchronization
internal import UserConfiguration

/// Runs the program, from its arguments to its exit status.
public enum Program {
    /// The version that `yett --version` prints.
    static let version = String(cString: cversion_text())

    /// Runs the command line of this process and ends the process with the exit status.
    ///
    /// Call it first: it must prepare the process before the runtime starts a thread or opens a file descriptor.
    public static func main() -> Never {
        // Before it is closed to others: the process beside a confined command has no secret.
        ConfinedCommand.runIfAsked()
        ProcessStart.prepare()
        Task { exit(await run(Array(ProcessEnvironment.arguments.dropFirst()), edges: .system())) }
        dispatchMain()
    }

    /// Runs one command line (without the program's name) and returns the exit status.
    public static func run(_ arguments: [String], edges: Edges) async -> Int32 {
        let console = Console(streams: edges.streams, environment: edges.environment)
        // For what is printed before there is a command: an error or a help page.
        let known = (try? GlobalOptions.extract(from: arguments))?.options ?? GlobalOptions()
        let outer = CommandContext(edges: edges, options: known, console: console)
        do {
            let (options, rest) = try GlobalOptions.extract(from: arguments)
            // Without the parser: scripts ask for the version often.
            if rest == ["--version"] {
                try console.page(version)
                return 0
            }
            if rest.count == 2, Set(rest) == ["--version", "--verbose"] {
                try console.lines(VersionDetails.lines)
                return 0
            }
            let command = try RootCommand.parse(commandLine: rest)
            guard let subcommand = command as? any Subcommand else {
                var command = command
                try command.run()
                return 0
            }
            var context = CommandContext(edges: edges, options: options, console: console)
            let log = try context.beginLog()
            log?.info("begin \(type(of: subcommand).configuration.commandName ?? "")")
            let status = await run(subcommand, rest, in: context)
            log?.info("end with status \(status)")
            return status
        } catch let failure as AuthFailure {
            outer.console.failure(failure)
            return failure.exitCode
        } catch {
            return CommandLineError(error, arguments: arguments).report(in: outer)
        }
    }

    private static func run(_ command: any Subcommand, _ arguments: [String], in context: CommandContext) async -> Int32 {
        guard type(of: command).handlesInterruptions else { return await outcome(of: command, arguments, in: context) }
        // Before the command has anything to clean up.
        let interruptions = context.edges.interruptions()
        let work = Task { await outcome(of: command, arguments, in: context) }
        let first = Mutex<Interruption?>(nil)
        let watch = Task {
            for await interruption in interruptions {
                // The first signal cancels the command, which then cleans up; the second ends the process at once.
                if work.isCancelled { context.edges.exitNow(interruption.exitCode) }
                first.withLock { $0 = $0 ?? interruption }
                work.cancel()
            }
        }
        let status = await work.value
        watch.cancel()
        await watch.value
        // The exit status must show the signal. Ctrl-C keeps the status of a cancelled command.
        let cancelled = AuthFailure(.cancelled, text: "").exitCode
        return status == cancelled ? first.withLock { $0 }?.exitCode ?? status : status
    }

    /// Runs a command and prints its failure. Every failure of every command passes here.
    private static func outcome(of command: any Subcommand, _ arguments: [String], in context: CommandContext) async -> Int32 {
        do {
            try await command.run(in: context)
            return 0
        } catch let failure as AuthFailure {
            context.console.failure(failure)
            return failure.exitCode
        } catch let status as ExitStatus {
            return status.code
        } catch let failure as OutputError {
            if !failure.isBrokenPipe { context.console.failure(failure.failure) }
            return failure.failure.exitCode
        } catch is CancellationError {
            let failure = AuthFailure(.cancelled, text: "cancelled")
            context.console.failure(failure)
            return failure.exitCode
        } catch {
            return CommandLineError(error, arguments: arguments).report(in: context)
        }
    }
}

/// The output of `yett --version --verbose`: the program and the libraries that it uses on this machine.
enum VersionDetails {
    /// The commit that the program was built from; `nil` for a development build.
    static var commit: String? {
        let text = String(cString: cversion_commit())
        return text.isEmpty ? nil : text
    }

    static var lines: [String] {
        [
            "yett \(Program.version)",
            "commit: \(commit ?? "unknown (a development build)")",
            "curl: \(CurlTransport.libraryVersion ?? "missing")",
            "sqlite: \(SessionStore.libraryVersion)",
            "curses: \(CursesTerminal.libraryVersion)",
            "libc: \(SystemLibrary.version)",
        ]
    }
}
