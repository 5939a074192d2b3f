public import AuthModel

/// A line of the activity log: what happened, and which process had a part in it.
public struct ActivityRecord: Equatable, Sendable {
    public var activity: Activity
    /// The process that asked, where there was one.
    public var process: Int32?
    public var user: UInt32?
    /// The program that it ran, as the kernel said.
    public var program: String?

    public init(_ activity: Activity, process: Int32? = nil, user: UInt32? = nil, program: String? = nil) {
        self.activity = activity
        self.process = process
        self.user = user
        self.program = program
    }
}

extension ActivityRecord: WireValue {
    /// The same object as in the protocol, the log file and `yett activity --json`.
    public var wire: JSONValue {
        .object(
            (activity.wire.members ?? []) + [
                .init("process", process.map { JSONValue.number($0) } ?? .null), .init("user", user.map { JSONValue.number($0) } ?? .null),
                .init("program", JSONValue(program)),
            ])
    }

    init(wire: JSONValue) throws(WireFault) {
        let reader = try WireReader(wire, "activity")
        self.init(
            try Activity(wire: wire), process: try reader.optional("process") { $0.integer.flatMap(Int32.init(exactly:)) },
            user: try reader.optional("user") { $0.integer.flatMap(UInt32.init(exactly:)) }, program: try reader.optionalText("program"))
    }
}
