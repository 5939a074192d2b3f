internal import AuthModel
internal import Glibc
internal import System

/// Runs a command and reads the first line that it prints. Uses an argument vector, never a shell, and has a deadline.
///
/// Used for `client_secret_command`. The command inherits standard error, so that a password manager can prompt the user.
struct CommandOutput: Sendable {
    let arguments: [String]
    let environment: [String: String]
    let deadline: Duration

    private static let limit = 65_536

    /// Returns the first line without its line end. Fails if the command prints 64 KiB or more.
    func firstLine() async throws(AuthFailure) -> Secret {
        let result: Result<Secret, AuthFailure> = await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start { continuation.resume(returning: run()) }
            if !isStarted { continuation.resume(returning: .failure(failure("no thread could be started"))) }
        }
        return try result.get()
    }

    private func failure(_ reason: String) -> AuthFailure {
        AuthFailure(
            .configuration, "the command \(arguments.first ?? "") for the client secret failed: \(reason)",
            hint: "run it by hand and see; its first line must be the secret")
    }

    private func run() -> Result<Secret, AuthFailure> {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .failure(failure("no pipe")) }
        // A child that another thread starts before this call would keep the pipe open until it exits. The only effect is a wait until the
        // deadline.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        ChildSignals.reset(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(ChildSignals.flags))
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var child: pid_t = 0
        var vector = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in vector + variables { free(text) } }
        let status = posix_spawnp(&child, arguments.first ?? "", &actions, &attributes, &vector, &variables)
        close(ends[1])
        guard status == 0 else { return .failure(failure(SystemError(number: status).text)) }
        let output = readAll(ends[0])
        let isTooMuch = (output?.count ?? 0) >= Self.limit
        if output == nil || isTooMuch { kill(child, SIGKILL) }
        var exit: Int32 = 0
        while waitpid(child, &exit, 0) < 0, errno == EINTR {}
        guard let output else { return .failure(failure("it did not end within \(deadline.wholeSeconds) seconds")) }
        guard !isTooMuch else { return .failure(failure("it printed too much")) }
        guard exit == 0 else { return .failure(failure("it ended with status \((exit >> 8) & 0xFF)")) }
        let line = output.prefix { $0 != 0x0A && $0 != 0x0D }
        return line.isEmpty ? .failure(failure("it printed nothing")) : .success(Secret(bytes: line))
    }

    /// Returns everything up to the end of the pipe, up to the size limit; `nil` if the deadline passes first.
    private func readAll(_ file: Int32) -> [UInt8]? {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        let end = ContinuousClock.now + deadline
        while output.count < Self.limit {
            let left = (end - ContinuousClock.now).wholeMilliseconds
            guard left > 0 else { return nil }
            var poller = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, Int32(min(left, 60_000))) > 0 else { continue }
            let count = read(file, &chunk, chunk.count)
            if count < 0 { if errno == EINTR { continue } else { return nil } }
            if count == 0 { return output }
            output += chunk[..<count]
        }
        return output
    }
}
