extension UserMessage {
    /// The message as `{"code", "arguments"?}`. An argument is a string, or another message.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [.init("code", .string(code))]
        if !arguments.isEmpty {
            let sorted = arguments.sorted { $0.key < $1.key }
            members.append(.init("arguments", .object(sorted.map { .init($0.key, $0.value.json) })))
        }
        return .object(members)
    }

    /// Reads a message; `nil` if the value is not one.
    public init?(json: JSONValue) {
        guard let code = json["code"]?.string, let members = json["arguments"].map(\.members) ?? [] else { return nil }
        var arguments: [String: Argument] = [:]
        for member in members {
            guard let argument = Argument(json: member.value) else { return nil }
            arguments[member.name] = argument
        }
        self.init(code: code, arguments: arguments)
    }
}

extension UserMessage.Argument {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .message(let message): message.json
        }
    }

    fileprivate init?(json: JSONValue) {
        if let text = json.string {
            self = .text(text)
        } else if let message = UserMessage(json: json) {
            self = .message(message)
        } else {
            return nil
        }
    }
}
