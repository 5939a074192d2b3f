import AuthModel

/// An end without a session, with the members of a failure and the exit status 0: clients of the first version read it as one.
extension NoSession: WireValue {
    var wire: JSONValue {
        .object(
            [.init("kind", .string(reason.rawValue))] + message.members("summary") + (hint?.members("hint") ?? [.init("hint", .null)])
                + [.init("exit", .number(0))])
    }

    init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire, "error")
        self.init(try reader.word("kind"), try reader.message("summary"), hint: try reader.optionalMessage("hint"))
    }
}
