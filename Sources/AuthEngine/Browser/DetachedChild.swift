import Glibc
import System

/// A child process in a session of its own, with only /dev/null open.
///
/// A thread waits for its exit, however late, so that no zombie process remains.
struct DetachedChild: Sendable {
    private let ends: AsyncStream<Int32>

    /// Starts `program`; `nil` if the system refuses.
    init?(program: String, arguments: [String], environment: [String: String]) {
        guard let process = Self.spawn(program, arguments, environment) else { return nil }
        let (ends, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.ends = ends
        Self.reap(process, continuation)
    }

    /// Returns the exit status, or 128 plus the number of the signal that ended the process; `nil` if the task is cancelled first.
    func exitStatus() async -> Int32? {
        for await status in ends { return status }
        return nil
    }

    private static func spawn(_ program: String, _ arguments: [String], _ environment: [String: String]) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Our own files are close-on-exec; this closes what libraries may have left open.
        for descriptor in FolderListing.names(in: "/proc/self/fd").compactMap(CInt.init) where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        ChildSignals.reset(&attributes)
        let flags = sessionFlag | ChildSignals.flags
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var process = pid_t()
        let status = withVector(arguments) { arguments in
            withVector(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&process, program, &actions, &attributes, arguments, environment)
            }
        }
        return status == 0 ? process : nil
    }

    /// POSIX_SPAWN_SETSID from spawn.h, which the Glibc module hides as a GNU extension.
    private static let sessionFlag: Int32 = 0x80

    private static func withVector<Result>(_ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
        var pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        return body(pointers)
    }

    /// Waits for the process on a thread and sends its exit status to `continuation`.
    private static func reap(_ process: pid_t, _ continuation: AsyncStream<Int32>.Continuation) {
        let isStarted = DetachedThread.start(stackSize: 128 << 10) {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 {
                guard errno == EINTR else { return continuation.finish() }
            }
            let signal = status & 0x7F
            continuation.yield(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            continuation.finish()
        }
        if !isStarted { continuation.finish() }
    }
}
