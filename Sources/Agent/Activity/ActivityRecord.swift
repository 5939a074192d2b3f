public import AuthModel

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

    /// Creates a record.
    public init(_ activity: Activity, process: Int32? = nil, user: UInt32? = nil, program: String? = nil) {
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
