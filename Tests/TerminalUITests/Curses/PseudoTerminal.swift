import Glibc
import Testing

/// A program that leads the session of a pseudo-terminal, as in a terminal window.
final class PseudoTerminal {
    private(set) var master: Int32
    /// Kept open so that the settings outlive the program.
    let replica: Int32
    private(set) var process: pid_t = 0
    /// Everything that was written to the terminal.
    private(set) var output: [UInt8] = []
    private let name: [CChar]
    /// The settings before the program started.
    let before: termios

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(columns: UInt16 = 60, rows: UInt16 = 12) throws {
        var master: Int32 = -1
        var replica: Int32 = -1
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &replica, &name, nil, &size) == 0 else { throw Failure(description: "no pseudo-terminal") }
        self.name = name
        self.master = master
        self.replica = replica
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(replica, F_SETFD, FD_CLOEXEC)
        var settings = termios()
        tcgetattr(replica, &settings)
        before = settings
    }

    deinit {
        if process > 0 {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        if master >= 0 { close(master) }
        close(replica)
    }

    /// Closes the master side, as closing the terminal window does.
    func hangUp() {
        close(master)
        master = -1
    }

    /// `POSIX_SPAWN_SETSID`, which the header defines only with a GNU feature macro.
    private let sessionLeader: Int16 = 0x80

    /// Starts `curses-probe` from the folder of the test program.
    func start(term: String = "xterm-256color", environment: [String] = ["LANG=C.UTF-8"]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, sessionLeader)
        let path = try PseudoTerminal.probe()
        let variables = ["TERM=\(term)", "SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin"] + environment
        let status = withStrings([path]) { arguments in
            withStrings(variables) { environment in
                posix_spawn(&process, path, &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else { throw Failure(description: "spawn: \(status)") }
    }

    /// Returns a terminal in which `curses-probe` has drawn its screen.
    static func started(_ term: String = "xterm-256color", environment: [String] = ["LANG=C.UTF-8"]) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal()
        try terminal.start(term: term, environment: environment)
        try terminal.wait(for: "[ready")
        return terminal
    }

    /// Ends the program with its key, which is a normal end.
    func quit(sourceLocation: SourceLocation = #_sourceLocation) throws {
        send("q")
        #expect(try finish().exit == 0, sourceLocation: sourceLocation)
    }

    private static func probe() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { raw in
            raw.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, raw.count) } ?? 0
        }
        let folders = [String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)] + CommandLine.arguments
        for folder in folders {
            guard let slash = folder.lastIndex(of: "/") else { continue }
            let path = folder[..<slash] + "/curses-probe"
            if access(String(path), X_OK) == 0 { return String(path) }
        }
        throw Failure(description: "curses-probe is not beside \(folders)")
    }

    private func withStrings<Result>(_ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("an array with a last nil is never empty") }
            return body(base)
        }
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            done += count
        }
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    var settings: termios {
        var now = termios()
        tcgetattr(replica, &now)
        return now
    }

    /// Whether the settings are the same as before the program started.
    var isRestored: Bool {
        let now = settings
        return now.c_lflag == before.c_lflag && now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag
            && now.c_cflag == before.c_cflag
    }

    /// Everything written so far, as text.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// Reads until `wanted` was written, after the text that the previous call waited for. The limit only keeps a broken test from hanging.
    @discardableResult
    func wait(for wanted: String) throws -> String {
        let bytes = Array(wanted.utf8)
        while true {
            if let found = PseudoTerminal.find(bytes, in: output[mark...]) {
                mark = found
                return text
            }
            guard readMore() else { throw Failure(description: "never saw \(wanted.debugDescription) in \(text.debugDescription)") }
        }
    }

    private var mark = 0

    private static func find(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - wanted.count)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return start + wanted.count
        }
        return nil
    }

    private func readMore() -> Bool {
        var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&source, 1, 300_000) > 0 else { return false }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(master, &chunk, chunk.count)
        guard count > 0 else { return false }
        output += chunk.prefix(count)
        return true
    }

    /// Waits for the program to end, and reads its remaining output.
    func finish() throws -> (exit: Int32?, signal: Int32?) {
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process else { throw Failure(description: "no such child") }
        process = 0
        guard master >= 0 else { return PseudoTerminal.end(status) }
        var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while poll(&source, 1, 0) > 0, source.revents & Int16(POLLIN) != 0 {
            guard readMore() else { break }
        }
        return PseudoTerminal.end(status)
    }

    private static func end(_ status: Int32) -> (exit: Int32?, signal: Int32?) {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8 & 0xFF, nil) : (nil, signal)
    }
}
