internal import AuthModel
internal import Glibc
internal import OperatingSystem

/// Runs a command with a proxy of its own, which ends with it.
struct ProxiedCommand: Sendable {
    let command: [String]
    let context: CommandContext
    /// The command, if it is confined: it waits for its environment.
    var confined: ConfinedCommand?
    /// The variables of the command besides those for the proxy; those of this process if `nil`.
    var environment: [String: String]?

    /// The variable with the address of a proxy for one session.
    static let variable = "YETT_PROXY_URL"

    /// Serves until the task is cancelled. The parameter gets the address for clients.
    typealias Serving = @Sendable (_ ready: @escaping @Sendable (Secret) async throws -> Void) async throws -> Void

    /// Runs the command to its end, and ends with its status.
    ///
    /// - Parameters:
    ///   - serve: runs the proxy.
    ///   - variables: returns the variables of the command for the proxy's address.
    func run(_ serve: @escaping Serving, variables: @escaping @Sendable (Secret) -> [String: String]) async throws {
        let (statuses, status) = AsyncStream.makeStream(of: Result<Int32, SystemError>.self)
        let server = Task {
            try await serve { address in
                // The command runs beside the server, which answers it.
                Task { status.yield(await runCommand(variables(address))) }
            }
        }
        let watch = Task {
            do { try await server.value } catch { status.finish() }
        }
        defer {
            server.cancel()
            watch.cancel()
        }
        for await result in statuses {
            switch result {
            case .success(0): return
            case .success(let code): throw ExitStatus(code: code)
            case .failure(let error): throw ExecCommand.failure(command, error, in: context)
            }
        }
        // The server could not start, and says why.
        try await server.value
    }

    private func runCommand(_ variables: [String: String]) async -> Result<Int32, SystemError> {
        let environment = (environment ?? context.edges.environment).merging(variables) { $1 }
        guard let confined else { return await Self.run(command, environment, in: context) }
        let interruptions = context.edges.interruptions()
        confined.begin(environment)
        return await Self.passing(interruptions, by: confined.send, in: context) { await confined.exitStatus() }
    }

    /// Runs a command beside this process, and passes signals on to it. Returns its exit status.
    static func run(_ command: [String], _ environment: [String: String], in context: CommandContext) async -> Result<Int32, SystemError> {
        // Before there is a command to pass them on to.
        let interruptions = context.edges.interruptions()
        let child: ChildProcess
        do throws(SystemError) {
            child = try ChildProcess.start(
                command[0], Array(command.dropFirst()), environment: environment,
                streams: ChildProcess.Streams(input: .inherited, output: .inherited, errors: .inherited, startsSession: false))
        } catch {
            return .failure(error)
        }
        return await passing(interruptions, by: { kill(child.id, $0) }, in: context) {
            // A command that a signal ended has no status of its own.
            .success(await child.exitStatus() ?? 1)
        }
    }

    /// Passes signals on to a command while `body` waits for its end.
    private static func passing<Value>(
        _ interruptions: AsyncStream<Interruption>, by send: @escaping @Sendable (Int32) -> Void, in context: CommandContext,
        _ body: () async -> Value
    ) async -> Value {
        let signals = Task {
            for await signal in interruptions {
                switch signal {
                // At a terminal, Ctrl-C reaches the command by itself, and the command decides what it means.
                case .interrupt where context.edges.userPresence().terminal == .foreground: break
                case .interrupt: send(SIGINT)
                case .hangUp: send(SIGHUP)
                case .terminate: send(SIGTERM)
                }
            }
        }
        defer { signals.cancel() }
        return await body()
    }
}
