internal import AuthModel
internal import Glibc
internal import OperatingSystem
internal import ResourceProxy

/// Runs a command with a proxy of its own, which ends with it.
struct ProxiedCommand: Sendable {
    let command: [String]
    let context: CommandContext

    /// The variable with the proxy's address.
    static let variable = "YETT_PROXY_URL"

    /// Runs the command to its end, and ends with its status.
    func run(_ proxy: SessionProxy) async throws {
        let (statuses, status) = AsyncStream.makeStream(of: Result<Int32, SystemError>.self)
        let server = Task {
            try await proxy.serve(at: .tcp(port: 0)) { address in
                // The command runs beside the server, which answers it.
                Task { status.yield(await runCommand(address)) }
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

    private func runCommand(_ address: Secret) async -> Result<Int32, SystemError> {
        var environment = context.edges.environment
        environment[Self.variable] = address.reveal()
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
        let signals = Task {
            for await signal in interruptions {
                switch signal {
                // At a terminal, Ctrl-C reaches the command by itself, and the command decides what it means.
                case .interrupt where context.edges.userPresence().terminal == .foreground: break
                case .interrupt: kill(child.id, SIGINT)
                case .hangUp: kill(child.id, SIGHUP)
                case .terminate: kill(child.id, SIGTERM)
                }
            }
        }
        let status = await child.exitStatus()
        signals.cancel()
        // A command that a signal ended has no status of its own.
        return .success(status ?? 1)
    }
}
