import AuthModel
import Glibc
import System

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
            case .success(let process) = ChildProcess.start(program, Array(command.dropFirst()), environment: environment)
        else { return nil }
        let deadline = time.bootTime + limit
        let alarm = Task {
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            // The child leads its own session and process group. It is reaped only after this task, so its number is still valid.
            kill(-process, SIGKILL)
        }
        await DetachedThread.run(stackSize: 256 << 10) {
            var information = siginfo_t()
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        }
        alarm.cancel()
        await alarm.value
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
