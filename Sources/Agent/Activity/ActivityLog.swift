public import AuthModel
import Glibc

/// What happened, kept in a file of the person's own: one JSON object a line, no secret in any of them.
///
/// Bounded: when the file is over ``sizeLimit`` its older half goes. Several processes may write at once; one that was stopped with the
/// lock in its hands holds nobody up. It is a record and not a duty: where it cannot be written, the work goes on.
public struct ActivityLog: ActivityRecorder {
    /// The file; `nil` where nothing is kept.
    let path: String?

    /// The most lines that are read at once.
    public static let limit = 1000
    /// Bytes after which the file is cut.
    static let sizeLimit = 1 << 20

    /// A log in a folder, `nil` for none.
    public init(folder: String?) {
        path = folder.map { $0 + "/activity.jsonl" }
    }

    /// Adds a line.
    public func append(_ record: ActivityRecord) {
        guard let path, let file = Self.open(path) else { return }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        if size > Self.sizeLimit, Self.lock(file, LOCK_EX) { Self.cut(file, size: Int(size)) }
        // Keeps others from cutting meanwhile; lines are kept apart by the kernel, which adds each as a whole.
        _ = Self.lock(file, LOCK_SH)
        let line = Array((record.wire.text + "\n").utf8)
        // A line that was cut short by a full disk is not read again, and is kept apart from the next one.
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) != line.count else { return }
        _ = write(file, "\n", 1)
    }

    /// The newest lines, the newest first. Lines that cannot be read are left out.
    public func recent(_ count: Int = limit) throws(AuthFailure) -> [ActivityRecord] {
        guard let path else { return [] }
        var status = stat()
        guard lstat(path, &status) == 0 else { return [] }
        guard let file = Self.open(path) else {
            throw AuthFailure(.configuration, "cannot read \(path)", hint: "it must be a file of yours that nobody else can read")
        }
        defer { close(file) }
        _ = Self.lock(file, LOCK_SH)
        let lines = Self.read(file).split(separator: UInt8(ascii: "\n")).suffix(count).reversed()
        return lines.compactMap { line in
            guard let value = try? JSONValue(strict: line) else { return nil }
            return try? ActivityRecord(wire: value)
        }
    }

    /// The newest lines, without the processes.
    public func recorded(_ limit: Int) throws(AuthFailure) -> [Activity] { try recent(min(limit, Self.limit)).map(\.activity) }

    /// Adds a line for what happened in this process.
    public func record(_ activity: Activity) {
        append(ActivityRecord(activity, process: getpid(), user: getuid(), program: Caller(process: getpid(), user: getuid()).program))
    }

    /// Opens the file, making it where there is none; `nil` where it is not ours alone.
    private static func open(_ path: String) -> Int32? {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else { return nil }
        var found = stat()
        guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(), found.st_mode & 0o077 == 0 else {
            close(file)
            return nil
        }
        return file
    }

    /// Takes the lock, where that can be had within a twentieth of a second; a cut takes less.
    private static func lock(_ file: Int32, _ kind: Int32) -> Bool {
        for _ in 0..<50 {
            if flock(file, kind | LOCK_NB) == 0 { return true }
            poll(nil, 0, 1)
        }
        return false
    }

    /// Drops the older half, at a line's end. Under the lock.
    private static func cut(_ file: Int32, size: Int) {
        let bytes = read(file)
        guard let middle = bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "\n")) else { return }
        let rest = bytes[(middle + 1)...]
        guard ftruncate(file, 0) == 0 else { return }
        _ = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }

    private static func read(_ file: Int32) -> [UInt8] {
        let size = max(0, Int(lseek(file, 0, SEEK_END)))
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = 0
            while count < size {
                let got = pread(file, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                guard got > 0 else { return }
                count += got
            }
        }
    }
}
