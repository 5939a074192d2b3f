import FoundationEssentials
import Glibc
import Synchronization

/// A throw-away home with a clean environment: nothing of the person who runs the tests is seen or touched.
///
/// It is removed when the last reference goes. Its path is short, so that Unix sockets fit below it.
public final class TemporaryHome: Sendable {
    /// The folder; `HOME` points to it.
    public let path: String
    /// What a program that runs in this home gets to see, and nothing else.
    public let environment: [String: String]
    /// A value that only the environment holds (`YETT_TEST_CANARY`). It may not turn up in any output or file.
    public let canary: String

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
            // A crash under test is expected; the toolchain's report of it only costs time.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        for (name, folder) in Self.folders {
            environment[name] = "\(path)/\(folder)"
        }
        // A program built for tests finds the Swift runtime where this one found it.
        environment["LD_LIBRARY_PATH"] = Product.environment("LD_LIBRARY_PATH")
        self.environment = environment
        for folder in ["tmp"] + Self.folders.map(\.1) {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(folder)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    deinit {
        // A background process may still be writing; what it leaves in /tmp is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    private static let folders = [
        ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_STATE_HOME", "state"),
        ("XDG_CACHE_HOME", "cache"), ("XDG_RUNTIME_DIR", "run"),
    ]

    /// Writes a file below the home, making its folders, readable for the owner alone.
    /// - Returns: its whole path.
    @discardableResult
    public func write(_ text: String, to name: String, permissions: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        if let slash = file.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: String(file[..<slash]), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        // Not while a program is being started: it would hold the file open for writing, and a script is not run then.
        let made = startLock.withLock { _ in
            FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: permissions])
        }
        guard made else { throw HarnessError("cannot write \(file)") }
        if permissions & 0o100 != 0 { try Self.waitForWriters(of: file) }
        return file
    }

    /// Waits until nobody has a program open for writing, without which it is not run: what is tested starts programs in this process too,
    /// and each holds all that is open here until it becomes another one.
    private static func waitForWriters(of file: String) throws {
        // F_SETLEASE of fcntl.h, which the Glibc module hides: a lease for reading is given where nobody writes.
        let setLease: Int32 = 1024
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("cannot read \(file)") }
        defer { close(descriptor) }
        for _ in 0..<10_000 {
            guard fcntl(descriptor, setLease, F_RDLCK) != 0, errno == EAGAIN else { return }
            poll(nil, 0, 1)
        }
        throw HarnessError("somebody writes to \(file)")
    }

    /// Copies a program to a place below the home.
    /// - Returns: its whole path.
    @discardableResult
    public func install(_ program: String, as name: String) throws -> String {
        let file = try write("", to: name)
        try FileManager.default.removeItem(atPath: file)
        try startLock.withLock { _ in
            try FileManager.default.copyItem(atPath: program, toPath: file)
        }
        return file
    }

    /// Writes yett's configuration.
    public func configure(_ toml: String) throws {
        try write(toml, to: "config/yett/config.toml")
    }

    /// The bytes of a file below the home; nil when there is none.
    public func read(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) }
    }

    /// Every file below the home, by its path from there.
    public var files: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        return names.filter { read($0) != nil }.sorted()
    }

    /// The files below the home in which a text stands as it is.
    public func files(containing text: String) -> [String] {
        let wanted = Array(text.utf8)
        return files.filter { name in (read(name) ?? []).contains(wanted) }
    }
}
