public import AuthModel
import Glibc

/// The activity log: a file of the user's with one JSON object per line. No line contains a secret.
///
/// The file is bounded: above ``sizeLimit``, its older half is dropped. Several processes may write at the same time; a process that is
/// stopped while it holds the lock does not block others. If the file cannot be written, the work continues without a record.
public struct ActivityLog: ActivityRecorder {
    /// The file's path; `nil` if nothing is recorded.
    let path: String?

    /// Maximum number of lines that are read at once.
    public static let limit = 1000
    /// The size in bytes above which the older half of the file is dropped.
    static let sizeLimit = 1 << 20

    /// Creates a log in a folder; `nil` records nothing.
    public init(folder: String?) {
        path = folder.map { $0 + "/activity.jsonl" }
    }

    /// Appends a line.
    public func append(_ record: ActivityRecord) { append(line: record.line) }

    /// Appends an encoded line, which ends with a line feed.
    func append(line: [UInt8]) {
        guard let path, let (file, size) = Self.open(path) else { return }
        defer { close(file) }
        if size > Self.sizeLimit, Self.lock(file, LOCK_EX) { Self.cut(file) }
        // Keep other processes from cutting the file meanwhile. The kernel appends each line as a whole, so lines do not mix.
        _ = Self.lock(file, LOCK_SH)
        // End a line that a full disk cut short, so that only this line is unreadable.
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) != line.count else { return }
        _ = write(file, "\n", 1)
    }

    /// Returns the newest lines, newest first. Skips lines that cannot be read.
    public func recent(_ count: Int = limit) throws(AuthFailure) -> [ActivityRecord] {
        guard let path else { return [] }
        var status = stat()
        guard lstat(path, &status) == 0 else { return [] }
        guard let (file, _) = Self.open(path) else {
            throw AuthFailure(
                .configuration, UserMessage("activity.cannot_read", ["path": path]), hint: "hint.activity_file_must_be_private")
        }
        defer { close(file) }
        _ = Self.lock(file, LOCK_SH)
        let lines = Self.read(file).split(separator: UInt8(ascii: "\n")).suffix(count).reversed()
        return lines.compactMap { line in
            guard let value = try? JSONValue(strict: line) else { return nil }
            return try? ActivityRecord(wire: value)
        }
    }

    /// Returns the newest lines, newest first, without the processes.
    public func recorded(_ limit: Int) throws(AuthFailure) -> [Activity] { try recent(min(limit, Self.limit)).map(\.activity) }

    /// Appends a line about this process.
    public func record(_ activity: Activity) {
        append(ActivityRecord(activity, process: getpid(), user: getuid(), program: Caller(process: getpid(), user: getuid()).program))
    }

    /// Opens the file and creates it if it is missing; `nil` if it does not belong to this user only. Returns its size too.
    private static func open(_ path: String) -> (file: Int32, size: Int)? {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else { return nil }
        var found = stat()
        guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(), found.st_mode & 0o077 == 0 else {
            close(file)
            return nil
        }
        return (file, Int(found.st_size))
    }

    /// Takes the lock; gives up after 50 ms, which is longer than a cut takes.
    private static func lock(_ file: Int32, _ kind: Int32) -> Bool {
        for _ in 0..<50 {
            if flock(file, kind | LOCK_NB) == 0 { return true }
            poll(nil, 0, 1)
        }
        return false
    }

    /// Drops the older half, up to the end of a line. The caller holds the lock.
    private static func cut(_ file: Int32) {
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
