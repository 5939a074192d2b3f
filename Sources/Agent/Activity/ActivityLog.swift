public import AuthModel
import Glibc

/// The activity log: a file of the user's with one JSON object per line. No line contains a secret.
///
/// The file and each line are bounded; ``ActivityLogCut`` decides what is dropped above ``sizeLimit``. Several processes may write at the same
/// time; a process that is stopped while it holds the lock does not block others. If the file cannot be written, the work continues without
/// a record.
public struct ActivityLog: ActivityRecorder {
    /// The file's path; `nil` if nothing is recorded.
    let path: String?

    /// Maximum number of lines that are read at once.
    public static let limit = ListActivity.maximum
    /// The size in bytes above which old lines are dropped.
    static let sizeLimit = 1 << 20
    /// Maximum size of a line, in bytes.
    static let lineLimit = 4096

    /// Creates a log in a folder; `nil` records nothing.
    public init(folder: String?) {
        path = folder.map { $0 + "/activity.jsonl" }
    }

    /// Appends a line.
    public func append(_ record: ActivityRecord) { append(line: record.line) }

    /// Appends an encoded line, which ends with a line feed. Returns its place in the file; `nil` if it may not be there.
    @discardableResult func append(line: [UInt8]) -> Int? {
        guard let path, let (file, size) = Self.open(path, O_APPEND) else { return nil }
        defer { close(file) }
        if size > Self.sizeLimit, Self.lock(file, LOCK_EX) { Self.cut(file) }
        // Keep other processes from cutting the file meanwhile. The kernel appends each line as a whole, so lines do not mix.
        _ = Self.lock(file, LOCK_SH)
        guard line.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == line.count else {
            // End a line that a full disk cut short, so that only this line is unreadable.
            _ = write(file, "\n", 1)
            return nil
        }
        return Int(lseek(file, 0, SEEK_CUR)) - line.count
    }

    /// Replaces a line by one of the same size, if it is still at its place. Returns whether it was.
    func replace(_ line: [UInt8], at place: Int, with new: [UInt8]) -> Bool {
        guard new.count == line.count, let path, let (file, _) = Self.open(path) else { return false }
        defer { close(file) }
        guard Self.lock(file, LOCK_SH), Self.read(file, from: place, count: line.count) == line else { return false }
        return new.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(place)) } == new.count
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
        let lines = Self.newest(file).split(separator: UInt8(ascii: "\n")).suffix(count).reversed()
        let records: [ActivityRecord] = lines.compactMap { line in
            guard line.count <= Self.lineLimit, let value = try? JSONValue(strict: line) else { return nil }
            return try? ActivityRecord(wire: value)
        }
        // A line that was replaced has the time of its last use.
        let sorted = records.enumerated().sorted { ($1.element.activity.at, $0.offset) < ($0.element.activity.at, $1.offset) }
        return sorted.map(\.element)
    }

    /// Returns the newest lines, newest first, without the processes.
    public func recorded(_ limit: Int) throws(AuthFailure) -> [Activity] { try recent(min(limit, Self.limit)).map(\.activity) }

    /// Appends a line about this process.
    public func record(_ activity: Activity) {
        append(ActivityRecord(activity, process: getpid(), user: getuid(), program: Caller(process: getpid(), user: getuid()).program))
    }

    /// Opens the file and creates it if it is missing; `nil` if it does not belong to this user only. Returns its size too.
    private static func open(_ path: String, _ flags: Int32 = 0) -> (file: Int32, size: Int)? {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags, 0o600)
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

    /// Drops old lines. The caller holds the lock.
    private static func cut(_ file: Int32) {
        let rest = ActivityLogCut(newest(file)).rest
        guard ftruncate(file, 0) == 0 else { return }
        _ = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }

    /// Reads the file's end, from the start of a line. A file of an older version may be larger than memory should hold.
    private static func newest(_ file: Int32) -> ArraySlice<UInt8> {
        let size = max(0, Int(lseek(file, 0, SEEK_END)))
        let start = max(0, size - 2 * sizeLimit)
        let bytes = read(file, from: start, count: size - start)
        guard start > 0 else { return bytes[...] }
        return bytes[(bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex)...]
    }

    private static func read(_ file: Int32, from start: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count {
                let got = pread(file, buffer.baseAddress.map { $0 + done }, count - done, off_t(start + done))
                guard got > 0 else { return }
                done += got
            }
        }
    }
}

/// Decides which lines of the activity log are kept when the file is too large.
///
/// Uses of tokens have room of their own, so that they never displace a sign-in, a refusal or a consent. In both parts, one caller cannot
/// displace the others: a quarter of the room is the most that it gets, unless the others need less.
struct ActivityLogCut {
    /// The kept lines, in their order.
    let rest: [UInt8]

    /// The room for uses of tokens, in bytes.
    static let useLimit = 128 << 10
    /// The size above which other lines are dropped, and what is kept of them then, in bytes.
    static let otherLimits = (above: 768 << 10, room: 512 << 10)

    /// Selects lines of a log.
    init(_ log: ArraySlice<UInt8>) {
        let lines = log.split(separator: UInt8(ascii: "\n")).filter { $0.count <= ActivityLog.lineLimit }
        let isUse = lines.map(ActivityRecord.isUse(line:))
        let uses = lines.indices.filter { isUse[$0] }
        let others = lines.indices.filter { !isUse[$0] }
        var kept = Self.newest(uses, of: lines, room: Self.useLimit)
        let size = others.reduce(0) { $0 + lines[$1].count + 1 }
        kept.formUnion(size > Self.otherLimits.above ? Self.newest(others, of: lines, room: Self.otherLimits.room) : Set(others))
        rest = kept.sorted().flatMap { lines[$0] + [UInt8(ascii: "\n")] }
    }

    /// Returns the newest lines that fit into `room`. What the callers leave of their shares is filled with the newest of the rest.
    private static func newest(_ indices: [Int], of lines: [ArraySlice<UInt8>], room: Int) -> Set<Int> {
        var kept: Set<Int> = []
        var left = room
        var sizes: [ArraySlice<UInt8>: Int] = [:]
        for share in [room / 4, room] {
            for index in indices.reversed() where !kept.contains(index) {
                let source = ActivityRecord.source(line: lines[index])
                let size = lines[index].count + 1
                guard size <= left, sizes[source, default: 0] + size <= share else { continue }
                sizes[source, default: 0] += size
                left -= size
                kept.insert(index)
            }
        }
        return kept
    }
}
