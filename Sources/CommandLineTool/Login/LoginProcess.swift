internal import AuthModel
internal import CursesBackend
internal import Glibc
internal import OperatingSystem

/// `yett login` as a process of its own, because standard output of this one belongs to the program that started it.
struct LoginProcess: Sendable {
    /// The program to start.
    let program: String
    let environment: [String: String]

    /// The streams on which the user reads and types.
    enum UserStreams: Sendable {
        /// Standard error only; nothing can be typed.
        case standardError
        /// The controlling terminal: input comes from it, and output goes to it if standard error is not a terminal.
        case terminal
    }

    /// Runs a sign-in, and returns its exit status; `nil` if it could not be started, or if the task is cancelled, which ends it. The end
    /// of this process ends it too.
    ///
    /// - Parameter arguments: the arguments after `login`.
    func run(_ arguments: [String], on streams: UserStreams) async -> Int32? {
        let terminal: Int32? = streams == .terminal ? Self.openTerminal() : nil
        defer { if let terminal { close(terminal) } }
        // The program that runs this one may read keys, and the sign-in reads lines.
        let typing = terminal.flatMap { TerminalTyping(at: $0, .shownLine) }
        defer { typing?.end(discarding: false) }
        let output = isatty(2) == 1 ? 2 : terminal ?? 2
        guard let life = try? Pipe() else { return nil }
        defer { close(life.writeEnd) }
        let child = try? ChildProcess.start(
            program, ["login", "--until-parent-ends"] + arguments, environment: environment,
            streams: ChildProcess.Streams(
                input: terminal.map { .descriptor($0) } ?? .null, output: .descriptor(output), errors: .descriptor(output),
                passed: life.readEnd, startsSession: false))
        close(life.readEnd)
        guard let child else { return nil }
        let status = await withTaskCancellationHandler {
            await child.exitStatus()
        } onCancel: {
            kill(child.id, SIGTERM)
        }
        Self.takeSignals()
        return status
    }

    /// Takes the signals that have arrived for this process, on this thread: Ctrl-C ends the sign-in too, and on a busy machine its end may
    /// be seen before another thread has taken the signal that ends this process.
    private static func takeSignals() {
        var signals = sigset_t()
        var former = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        // Only a change of the mask makes the kernel look for signals that another thread was to take.
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        pthread_sigmask(SIG_SETMASK, &former, nil)
    }

    /// Whether the user is signed in after a sign-in with this exit status. Another process may have signed in a moment before.
    static func isSignedIn(after status: Int32) -> Bool { status == 0 || status == AuthFailure(.alreadySignedIn, text: "").exitCode }

    private static func openTerminal() -> Int32? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        return terminal >= 0 ? terminal : nil
    }
}

extension CommandContext {
    /// Runs `yett login` with this command's global options, and returns its exit status; `nil` if it could not be started, or if the task
    /// was cancelled.
    func login(_ arguments: [String], on streams: LoginProcess.UserStreams) async -> Int32? {
        let own = (options.configuration.map { ["--config", $0] } ?? []) + (options.disablesAgent ? ["--no-agent"] : [])
        return await edges.login(arguments + own, streams)
    }
}

extension AuthFailure.Kind {
    /// Returns the kind of failure that ended another process of this program; `nil` if its exit status tells nothing that the user could
    /// act on.
    init?(exitCode: Int32) {
        let kinds: [AuthFailure.Kind] = [
            .configuration, .cancelled, .timedOut, .denied(code: nil), .signInAgain, .unavailable(retryAfter: nil), .security, .notSignedIn,
        ]
        guard let kind = kinds.first(where: { AuthFailure($0, text: "").exitCode == exitCode }) else { return nil }
        self = kind
    }
}

/// Ends a sign-in together with the command that waits for it, however that command ends: a sign-in that stays behind would hold a port and
/// the terminal for an answer that has no use.
enum ParentWatch {
    /// The descriptor of the pipe whose other end only the waiting command has.
    private static let descriptor: Int32 = 3

    /// Sends this process `SIGTERM` once the command that started it has ended.
    static func start() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // If no thread can be started, the sign-in only ends at its own time limit.
        _ = DetachedThread.start(stackSize: 256 << 10, blocksSignals: true) {
            var byte: UInt8 = 0
            var count = read(descriptor, &byte, 1)
            while count > 0 || count < 0 && errno == EINTR { count = read(descriptor, &byte, 1) }
            if count == 0 { kill(getpid(), SIGTERM) }
        }
    }
}
