import Glibc
import ProcessHarness

/// A program in a pseudo-terminal that this process reads directly.
final class PseudoTerminal {
    private let controller: Int32
    private var process = pid_t()
    private let clock = ContinuousClock()
    private let started: ContinuousClock.Instant

    init(_ program: String, environment: [String: String], columns: UInt16 = 120, rows: UInt16 = 40) throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN, which unlockpt and ptsname use; the Glibc module declares neither.
        var lock: Int32 = 0
        var number: UInt32 = 0
        guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0 else {
            throw HarnessError("no pseudo-terminal: error \(errno)")
        }
        let name = "/dev/pts/\(number)"
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which the Glibc module does not declare.
        posix_spawnattr_setflags(&attributes, 0x80)
        var arguments = [strdup(program), nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in arguments + variables { free(word) } }
        started = clock.now
        let code = posix_spawn(&process, program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw HarnessError("cannot start \(program): error \(code)") }
    }

    deinit {
        kill(process, SIGTERM)
        close(controller)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Returns the time from the start until a word was written. The word contains no spaces, because the app moves the cursor instead of
    /// writing them.
    func time(until word: String) throws -> Duration {
        var seen: [UInt8] = []
        let wanted = Array(word.utf8)
        while !seen.contains(wanted) {
            guard let bytes = read(milliseconds: 120_000) else {
                throw HarnessError("'\(word)' was never written; instead: \(String(decoding: seen.suffix(2_000), as: UTF8.self))")
            }
            seen += bytes
        }
        return started.duration(to: clock.now)
    }

    /// Returns the time from a key press to the next output.
    ///
    /// A countdown may also write something; this does not affect the median.
    func time(ofAnswerTo key: String) throws -> Duration {
        try settle()
        let pressed = clock.now
        _ = Array(key.utf8).withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
        guard read(milliseconds: 60_000) != nil else { throw HarnessError("no frame after a key") }
        return pressed.duration(to: clock.now)
    }

    /// Returns the size in bytes of the frame after a key press.
    func bytes(inAnswerTo key: String) throws -> Int {
        try settle()
        _ = Array(key.utf8).withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
        guard let first = read(milliseconds: 60_000) else { throw HarnessError("no frame after a key") }
        var count = first.count
        while let more = read(milliseconds: 30) { count += more.count }
        return count
    }

    /// Returns how often the program's threads resumed after waiting.
    func wakeups(in time: Duration) throws -> Int {
        let before = try ThreadWakes(of: process)
        let end = clock.now + time
        while clock.now < end { _ = read(milliseconds: Int32(1 + clock.now.duration(to: end).components.seconds * 1000)) }
        return try ThreadWakes(of: process).since(before)
    }

    /// Reads until the output pauses for 30 ms.
    func settle() throws {
        while read(milliseconds: 30) != nil {}
    }

    private func read(milliseconds: Int32) -> [UInt8]? {
        var entry = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return nil }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(controller, &chunk, chunk.count)
        return count > 0 ? Array(chunk[..<count]) : nil
    }
}
