public import AuthModel
import Glibc
import OperatingSystem

/// The activity log: a file of the user's with one JSON object per line. No line contains a secret.
///
/// The file and each line are bounded; ``ActivityLogCut`` decides what is dropped above ``sizeLimit``. Several processes may write at the
/// same time; a process that is stopped while it holds the lock does not block others. If the file cannot be written, the work continues
/// without a record.
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
        defer { FileLock.close(file) }
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
        defer { FileLock.close(file) }
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
        defer { FileLock.close(file) }
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
            if FileLock.take(file, kind) { return true }
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

    /// Returns the newest lines that fit into `room`. Room that a caller does not use goes to the newest lines of the others.
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

/// A line of the activity log: an activity and the process that caused it.
public struct ActivityRecord: Equatable, Sendable {
    /// The activity.
    public var activity: Activity
    /// The process that made the request; `nil` if there is none.
    public var process: Int32?
    /// The user of the process.
    public var user: UInt32?
    /// The process's program, as the kernel reports it.
    public var program: String?

    package init(_ activity: Activity, process: Int32? = nil, user: UInt32? = nil, program: String? = nil) {
        self.activity = activity
        self.process = process
        self.user = user
        self.program = program
    }
}

extension ActivityRecord: WireValue {
    /// The JSON object in the protocol and in the log file.
    package func wire(_ texts: MessageTexts) -> JSONValue { .object((activity.wire(texts).members ?? []) + callerMembers) }

    private var callerMembers: [JSONValue.Member] {
        [
            .init("user", user.map { JSONValue.number($0) } ?? .null), .init("program", JSONValue(program)),
            .init("process", process.map { JSONValue.number($0) } ?? .null),
        ]
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "activity")
        self.init(
            try Activity(wire: wire), process: try reader.optional("process") { $0.integer.flatMap(Int32.init(exactly:)) },
            user: try reader.optional("user") { $0.integer.flatMap(UInt32.init(exactly:)) }, program: try reader.optionalText("program"))
    }
}

/// The form in the log file.
extension ActivityRecord {
    /// The JSON object of `yett activity --json`.
    public var object: JSONValue { wire }

    /// The line in the log file, of at most ``ActivityLog/lineLimit`` bytes: longer texts are cut.
    var line: [UInt8] { Self.line(activity, process, rest: lineBetween) }

    /// The part of the line that is the same for the same activity of another process at another time, without the members before and after
    /// it.
    var lineBetween: [UInt8] {
        for limit in [1024, 256, 64] {
            let rest = shortened(to: limit).encodedBetween
            if rest.count <= ActivityLog.lineLimit - Self.endLimit { return rest }
        }
        var bare = shortened(to: 64)
        bare.activity.message = .empty
        return bare.encodedBetween
    }

    /// Maximum size of the members before and after ``lineBetween``, in bytes.
    private static let endLimit = 128

    private var encodedBetween: [UInt8] {
        let members = (wire.members ?? []).filter { !["at", "count", "process"].contains($0.name) }
        return Array(JSONValue.object(members).text.utf8.dropFirst().dropLast())
    }

    private func shortened(to limit: Int) -> ActivityRecord {
        var short = self
        short.activity.message = activity.message.mapTexts { $0.prefix(bytes: limit) }
        short.program = program?.prefix(bytes: limit)
        return short
    }

    /// Returns the line for a time, a process and a count. The time comes first, and what changes with a repetition comes last.
    ///
    /// - Parameters:
    ///   - rest: ``lineBetween``.
    ///   - length: the length of the line, if there is room for it: spaces at the end leave room for a higher count.
    static func line(_ activity: Activity, _ process: Int32?, rest: [UInt8], length: Int = 0) -> [UInt8] {
        let count = activity.count == 1 ? "" : ",\"count\":\(activity.count)"
        var line = Array("{\"at\":\(activity.at.wire.text),".utf8) + rest
        line += Array(",\"process\":\(process.map { "\($0)" } ?? "null")\(count)".utf8)
        if line.count + 2 < length { line += [UInt8](repeating: UInt8(ascii: " "), count: length - line.count - 2) }
        return line + [UInt8(ascii: "}"), UInt8(ascii: "\n")]
    }

    /// Whether the activity is the use of a token, in a line of the log.
    static func isUse(line: ArraySlice<UInt8>) -> Bool {
        // The time comes before the type, and has no comma.
        guard let comma = line.firstIndex(of: UInt8(ascii: ",")) else { return false }
        return line[(comma + 1)...].starts(with: useMember)
    }

    /// Returns who caused the activity, from a line of the log: the program, or on the other side of an ssh connection also its process.
    static func source(line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // Quotation marks in texts are escaped, so the members cannot be imitated. They are at the end of the line.
        let tail = line.suffix(ActivityLog.lineLimit)
        guard let start = tail.indices.reversed().first(where: { tail[$0...].starts(with: userMember) }) else { return [] }
        let caller = tail[start...]
        let end = caller.indices.first { caller[$0...].starts(with: processMember) } ?? caller.endIndex
        let isForwarded = caller[..<end].suffix(sshEnd.count).elementsEqual(sshEnd)
        guard isForwarded, end < caller.endIndex else { return caller[..<end] }
        let comma = caller[(end + 1)...].firstIndex { [UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "}")].contains($0) }
        return caller[..<(comma ?? caller.endIndex)]
    }

    private static let useMember = Array("\"kind\":\"\(Activity.Kind.issued.rawValue)\"".utf8)
    private static let userMember = Array(",\"user\":".utf8)
    private static let processMember = Array(",\"process\":".utf8)
    private static let sshEnd = Array("/ssh\"".utf8)
}
