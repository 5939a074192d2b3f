internal import AuthModel
internal import Glibc
internal import OperatingSystem

/// `yett login` as a process of its own, which tells the user everything at standard error.
struct LoginProcess: Sendable {
    let context: CommandContext

    /// Runs a sign-in, and returns whether it succeeded. Cancelling the task ends it.
    func run(_ arguments: [String]) async -> Bool {
        guard let program = context.edges.agentProgram else { return false }
        let configuration = context.options.configuration.map { ["--config", $0] } ?? []
        let child = try? ChildProcess.start(
            program, ["login"] + arguments + configuration, environment: context.edges.environment,
            streams: ChildProcess.Streams(input: .null, output: .descriptor(2), errors: .inherited, startsSession: false))
        guard let child else { return false }
        return await withTaskCancellationHandler {
            await child.exitStatus() == 0
        } onCancel: {
            kill(child.id, SIGTERM)
        }
    }
}
