internal import CProcess
public import Glibc

/// A program that this process started, from a vector of arguments and never through a shell.
///
/// The program gets default signals and an empty signal mask, and no open file but its three streams and the descriptor passed to it.
/// Every child has to be waited for once: ``wait()``, ``exitStatus()`` or ``reapInBackground()``.
public struct ChildProcess: Sendable {
    /// The process identifier. With ``Streams/startsSession``, also that of the process group.
    public let id: pid_t

    /// The connection of one of a child's three standard streams.
    public enum Stream: Sendable {
        /// `/dev/null`.
        case null
        /// The same stream of this process.
        case inherited
        /// A descriptor of this process.
        case descriptor(Int32)
    }

    /// The three standard streams of a child.
    public struct Streams: Sendable {
        /// Standard input.
        public var input: Stream
        /// Standard output.
        public var output: Stream
        /// Standard error.
        public var errors: Stream
        /// A descriptor that becomes number 3 of the child.
        public var passed: Int32?
        /// Whether the child leads a session of its own, so that neither a signal of the terminal nor its end reaches it.
        public var startsSession: Bool

        /// Connects the streams to `/dev/null` unless told otherwise.
        public init(
            input: Stream = .null, output: Stream = .null, errors: Stream = .null, passed: Int32? = nil, startsSession: Bool = true
        ) {
            self.input = input
            self.output = output
            self.errors = errors
            self.passed = passed
            self.startsSession = startsSession
        }
    }

    /// Starts `program`, which is searched in the environment's `PATH` if its name has no slash.
    ///
    /// - Parameter arguments: those after the program's name.
    /// - Throws: `ENOENT` if the program is not found or not executable, else the error of posix_spawn(3).
    public static func start(
        _ program: String, _ arguments: [String], environment: [String: String], streams: Streams = Streams()
    ) throws(SystemError) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        connect(0, to: streams.input, &actions)
        connect(1, to: streams.output, &actions)
        connect(2, to: streams.errors, &actions)
        // dup2(2) of a descriptor onto itself clears close-on-exec.
        if let passed = streams.passed { posix_spawn_file_actions_adddup2(&actions, passed, 3) }
        closeOthers(above: streams.passed == nil ? 2 : 3, &actions)
        // The masks and ignored signals of our threads must not reach another program.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let signalFlags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(signalFlags | (streams.startsSession ? sessionFlag : 0)))
        guard let path = find(program, in: environment["PATH"]) else { throw SystemError(number: ENOENT) }
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        let status = posix_spawn(&process, path, &actions, &attributes, &words, &variables)
        guard status == 0 else { throw SystemError(number: status) }
        return ChildProcess(id: process)
    }

    /// Returns the path of a program that this user may run; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - path: the value of `PATH`; the system's default if `nil`.
    ///   - allowsRelative: whether relative folders in `path` count, as in a shell. Otherwise the current directory could choose the
    ///     program.
    public static func find(_ name: String, in path: String?, allowsRelative: Bool = false) -> String? {
        guard !name.contains("/") else { return isRunnable(name) ? name : nil }
        return (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").filter { allowsRelative || $0.hasPrefix("/") }
            .map { "\($0)/\(name)" }.first(where: isRunnable)
    }

    private static func isRunnable(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Blocks until the child ends.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended it; `nil` if it is no child of this process.
    @discardableResult
    public func wait() -> Int32? {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Blocks until the child has ended and keeps it as a zombie, so that its identifier still stands for it.
    public func waitWithoutReaping() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    /// Waits on a thread for the end of the child, also after the task was cancelled.
    ///
    /// - Returns: the same as ``wait()``; `nil` if the task is cancelled before the child ends.
    public func exitStatus() async -> Int32? {
        let (statuses, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        DetachedThread.startOrRun(stackSize: 256 << 10) {
            if let status = wait() { continuation.yield(status) }
            continuation.finish()
        }
        for await status in statuses { return status }
        return nil
    }

    /// Waits on a thread for the end of a child that nothing else waits for, so that it leaves no zombie.
    public func reapInBackground() {
        DetachedThread.startOrRun(stackSize: 256 << 10) { wait() }
    }

    // POSIX_SPAWN_SETSID of spawn.h, which the Glibc module hides as a GNU extension.
    private static let sessionFlag: Int32 = 0x80

    private static func connect(_ number: Int32, to stream: Stream, _ actions: inout posix_spawn_file_actions_t) {
        switch stream {
        case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
        case .inherited: break
        case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
    }

    /// Closes what is open without close-on-exec, such as a lock of the shell that started us.
    private static func closeOthers(above last: Int32, _ actions: inout posix_spawn_file_actions_t) {
        _ = cprocess_close_from(&actions, last + 1)
    }
}
