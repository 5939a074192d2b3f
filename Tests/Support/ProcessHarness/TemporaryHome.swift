import FoundationEssentials
import Glibc
import Synchronization

/// A temporary home with a clean environment, so that tests neither read nor change the files of the user who runs them.
///
/// It is removed with the last reference. Its path is short, so that the paths of Unix sockets below it are not too long.
public final class TemporaryHome: Sendable {
    /// The folder; `HOME` points to it.
    public let path: String
    /// The complete environment of programs that run in this home.
    public let environment: [String: String]
    /// A value that only the environment contains (`YETT_TEST_CANARY`). It must not appear in any output or file.
    public let canary: String

    /// Creates the home and its folders.
    public init() throws {
        var template = Array("/tmp/yett-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessError.system("mkdtemp", errno) }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let canary = "canary-" + String(UInt64.random(in: .min ... .max), radix: 36)
        self.path = path
        self.canary = canary
        var environment = [
            "HOME": path, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC",
            "TMPDIR": "\(path)/tmp", "YETT_TEST_CANARY": canary,
            // Tests cause crashes on purpose; the toolchain's backtrace only costs time.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        for (name, folder) in Self.folders {
            environment[name] = "\(path)/\(folder)"
        }
        // A program built for tests finds the Swift runtime where this program found it.
        environment["LD_LIBRARY_PATH"] = Product.environment("LD_LIBRARY_PATH")
        self.environment = environment
        for folder in ["tmp"] + Self.folders.map(\.1) {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(folder)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    deinit {
        // A command leaves an agent behind, by design; one that is still starting would outlive its home. What is killed may just have started
        // another one.
        for _ in 0..<100 {
            let found = processes
            guard !found.isEmpty else { break }
            for process in found { kill(process, SIGKILL) }
        }
        // Another process may still be writing; a file left in /tmp is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The processes that run in this home, told by the canary in their environment.
    private var processes: [pid_t] {
        let wanted = Array(canary.utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(pid_t.init).filter { process in
            FileManager.default.contents(atPath: "/proc/\(process)/environ").map { [UInt8]($0).contains(wanted) } ?? false
        }
    }

    private static let folders = [
        ("XDG_CONFIG_HOME", "config"), ("XDG_CONFIG_DIRS", "system-config"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state"),
        ("XDG_CACHE_HOME", "cache"), ("XDG_RUNTIME_DIR", "run"),
    ]

    /// Writes a file below the home, readable only by its owner, and creates its folders.
    /// - Returns: its full path.
    @discardableResult
    public func write(_ text: String, to name: String, permissions: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        if let slash = file.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: String(file[..<slash]), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Not while a program starts: it would inherit the open file, and a script that is open for writing cannot be run.
        let made = startLock.withLock { _ in
            FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: permissions])
        }
        guard made else { throw HarnessError("cannot write \(file)") }
        if permissions & 0o100 != 0 { try Self.waitForWriters(of: file) }
        return file
    }

    /// Waits until no process has the file open for writing, because such a program cannot be run. The code under test starts programs in
    /// this process too, and each of them inherits all open descriptors until its exec.
    private static func waitForWriters(of file: String) throws {
        // F_SETLEASE of fcntl.h, which the Glibc module hides: a read lease is granted only if no process has the file open for writing.
        let setLease: Int32 = 1024
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("cannot read \(file)") }
        defer { close(descriptor) }
        for _ in 0..<200_000 {
            guard fcntl(descriptor, setLease, F_RDLCK) != 0, errno == EAGAIN else { return }
            poll(nil, 0, 1)
        }
        throw HarnessError("another process writes to \(file)")
    }

    /// Copies a program to a path below the home.
    /// - Returns: its full path.
    @discardableResult
    public func install(_ program: String, as name: String) throws -> String {
        let file = try write("", to: name)
        try FileManager.default.removeItem(atPath: file)
        try startLock.withLock { _ in
            try FileManager.default.copyItem(atPath: program, toPath: file)
        }
        try Self.waitForWriters(of: file)
        return file
    }

    /// Writes Yett's configuration.
    public func configure(_ toml: String) throws {
        try write(toml, to: "config/yett/config.toml")
    }

    /// Returns the bytes of a file below the home; nil if it does not exist.
    public func read(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) }
    }

    /// All files below the home, as relative paths.
    public var files: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { read($0) != nil }.sorted()
    }

    /// Returns the files below the home that contain the text.
    public func files(containing text: String) -> [String] {
        let wanted = Array(text.utf8)
        return files.filter { name in (read(name) ?? []).contains(wanted) }
    }
}
