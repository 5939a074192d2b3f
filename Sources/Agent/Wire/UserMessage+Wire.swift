import AuthModel
import Localization

extension UserMessage {
    /// The members for a message: `NAME` with the English text, and `NAME_message` with code and arguments, for clients that have the texts.
    func members(_ name: String) -> [JSONValue.Member] {
        let text = JSONValue.Member(name, .string(english))
        return verbatimText != nil ? [text] : [text, .init(name + "_message", json)]
    }
}

extension [UserMessage] {
    /// The members for a list of messages: the English texts, and the messages.
    func members(_ name: String) -> [JSONValue.Member] {
        let texts = JSONValue.Member(name, .array(map { .string($0.english) }))
        return isEmpty ? [texts] : [texts, .init(name + "_messages", .array(map(\.json)))]
    }
}

extension WireReader {
    /// Returns a required message. A code that this version does not know is replaced by the English text.
    func message(_ name: String) throws(WireError) -> UserMessage {
        guard let message = try optionalMessage(name) else { throw WireError(place: name) }
        return message
    }

    /// Returns an optional message.
    func optionalMessage(_ name: String) throws(WireError) -> UserMessage? {
        let message = try optional(name + "_message", UserMessage.init(json:))
        if let message, message.isKnown { return message }
        return try optionalText(name).map(UserMessage.verbatim)
    }

    /// Returns a required list of messages.
    func messages(_ name: String) throws(WireError) -> [UserMessage] {
        let texts = try texts(name)
        let messages = try optional(name + "_messages", \.array) ?? []
        return texts.enumerated().map { index, text in
            guard messages.indices.contains(index), let message = UserMessage(json: messages[index]), message.isKnown else {
                return .verbatim(text)
            }
            return message
        }
    }
}

extension JSONValue {
    /// The object with further members.
    func with(_ more: [Member]) -> JSONValue { .object((members ?? []) + more) }
}
