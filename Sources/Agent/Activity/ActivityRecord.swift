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
    /// The JSON object in the protocol, in the log file and in `yett activity --json`.
    public var wire: JSONValue {
        .object(
            (activity.wire.members ?? []) + [
                .init("process", process.map { JSONValue.number($0) } ?? .null), .init("user", user.map { JSONValue.number($0) } ?? .null),
                .init("program", JSONValue(program)),
            ])
    }

    /// The line in the log file.
    var line: [UInt8] { Self.line(at: activity.at, rest: lineAfterTime) }

    /// The part of the line that is the same for the same activity at another time.
    var lineAfterTime: [UInt8] {
        // The time is the first member.
        Array(JSONValue.object(Array((wire.members ?? []).dropFirst())).text.utf8.dropFirst()) + [UInt8(ascii: "\n")]
    }

    /// Returns the line for a time and the part after it.
    static func line(at time: Timestamp, rest: [UInt8]) -> [UInt8] { Array("{\"at\":\(time.wire.text),".utf8) + rest }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "activity")
        self.init(
            try Activity(wire: wire), process: try reader.optional("process") { $0.integer.flatMap(Int32.init(exactly:)) },
            user: try reader.optional("user") { $0.integer.flatMap(UInt32.init(exactly:)) }, program: try reader.optionalText("program"))
    }
}
