import AuthModel
import Glibc
import OperatingSystem

/// A command with a time limit. At the limit, it is killed with every process of its process group.
struct BoundedCommand: Sendable {
    private let command: [String]
    private let environment: [String: String]

    init(_ command: [String], environment: [String: String]) {
        self.command = command
        self.environment = environment
    }

    /// Runs the command and returns its exit status, or 128 plus the number of the signal that ended it; `nil` if it could not be started.
    @discardableResult
    func run(limit: Duration, time: any TimeSource) async -> Int32? {
        guard let program = command.first,
            let child = try? ChildProcess.start(program, Array(command.dropFirst()), environment: environment)
        else { return nil }
        let deadline = time.bootTime + limit
        let alarm = Task {
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            // It leads a session and a group of its own. Not reaped before this task is over, so the number is still its own.
            kill(-child.id, SIGKILL)
        }
        await DetachedThread.run(stackSize: 256 << 10) { child.waitWithoutReaping() }
        alarm.cancel()
        await alarm.value
        return child.wait()
    }
}
