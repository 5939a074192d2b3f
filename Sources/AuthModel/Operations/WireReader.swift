/// A document does not follow the protocol. Names the member, never its value.
package struct WireError: Error, Equatable {
    /// The member, or `body` for the whole document.
    package var place: String
    /// The failure for the sender, where it can be told more than the member.
    package var explanation: AuthFailure?

    package init(place: String, _ explanation: AuthFailure? = nil) {
        self.place = place
        self.explanation = explanation
    }

    /// The failure for the sender of the document.
    package var failure: AuthFailure {
        explanation
            ?? AuthFailure(.usage, UserMessage("agent.field_missing_or_invalid", ["field": place]), hint: "hint.see_agent_description")
    }
}

/// A value with a JSON encoding in the agent's protocol.
package protocol WireValue: Sendable {
    /// Returns the JSON encoding.
    ///
    /// - Parameter texts: the texts of the messages in it.
    func wire(_ texts: MessageTexts) -> JSONValue
    /// Decodes the value; unknown members are ignored.
    init(wire: JSONValue) throws(WireError)
}

/// The English texts that stand beside the codes of messages, for clients without texts of their own.
package struct MessageTexts: Sendable {
    package let english: @Sendable (UserMessage) -> String

    package init(english: @escaping @Sendable (UserMessage) -> String) { self.english = english }
}

/// Reads the members of an object.
package struct WireReader {
    /// The object itself.
    package let document: JSONValue

    package init(_ value: JSONValue, _ place: String = "body") throws(WireError) {
        guard value.members != nil else { throw WireError(place: place) }
        document = value
    }

    /// Returns a member's value; `nil` if it is absent or null.
    package func value(_ name: String) -> JSONValue? {
        guard let value = document[name], value != .null else { return nil }
        return value
    }

    /// Returns an optional member, converted. Throws if its value cannot be converted.
    package func optional<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws(WireError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let converted = convert(value) else { throw WireError(place: name) }
        return converted
    }

    /// Returns a required member, converted.
    package func required<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws(WireError) -> Value {
        guard let value = try optional(name, convert) else { throw WireError(place: name) }
        return value
    }

    package func text(_ name: String) throws(WireError) -> String { try required(name, \.string) }
    package func secret(_ name: String) throws(WireError) -> Secret { Secret(try text(name)) }
    package func flag(_ name: String) throws(WireError) -> Bool { try required(name, \.bool) }
    package func texts(_ name: String) throws(WireError) -> [String] { try required(name, \.strings) }
    package func url(_ name: String) throws(WireError) -> WebURL { try required(name) { $0.string.flatMap(WebURL.init(_:)) } }
    package func issuer(_ name: String) throws(WireError) -> Issuer { try required(name) { $0.string.flatMap(Issuer.init(_:)) } }
    package func optionalText(_ name: String) throws(WireError) -> String? { try optional(name, \.string) }
    package func optionalURL(_ name: String) throws(WireError) -> WebURL? { try optional(name) { $0.string.flatMap(WebURL.init(_:)) } }

    package func word<Word: RawRepresentable<String>>(_ name: String) throws(WireError) -> Word {
        try required(name) { $0.string.flatMap(Word.init(rawValue:)) }
    }

    package func moment(_ name: String) throws(WireError) -> Timestamp { try required(name, Timestamp.init(wire:)) }
    package func optionalMoment(_ name: String) throws(WireError) -> Timestamp? { try optional(name, Timestamp.init(wire:)) }

    package func session(_ name: String = "session") throws(WireError) -> SessionName {
        try required(name) { $0.string.flatMap(SessionName.init(_:)) }
    }

    package func provider(_ name: String = "provider") throws(WireError) -> ProviderName {
        try required(name) { $0.string.flatMap(ProviderName.init(_:)) }
    }

    /// Returns the identifier that the variable part of a path is.
    func identifier<Owner>() throws(WireError) -> Identifier<Owner> { Identifier(try text(OperationRoute.variable)) }

    /// Returns a required member that is itself a ``WireValue``.
    package func nested<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(WireError) -> Value {
        guard let value = value(name) else { throw WireError(place: name) }
        return try Value(wire: value)
    }

    /// Returns a required list of values.
    package func list<Value: WireValue>(_ name: String, of type: Value.Type = Value.self) throws(WireError) -> [Value] {
        try required(name, \.array).map { (element) throws(WireError) in try Value(wire: element) }
    }

    /// Returns the elements of a required list that can be read, and reports the others, for example those of a newer agent.
    package func readable<Value: WireValue>(
        _ name: String, of type: Value.Type = Value.self, skipped: (SkippedElement) -> Void = { _ in }
    ) throws(WireError) -> [Value] {
        var values: [Value] = []
        for element in try required(name, \.array) {
            do throws(WireError) {
                values.append(try Value(wire: element))
            } catch {
                skipped(SkippedElement(list: name, name: element["session"]?.string ?? element["provider"]?.string, place: error.place))
            }
        }
        return values
    }
}

/// An element of a list that could not be read.
package struct SkippedElement: Equatable, Sendable {
    /// The member with the list.
    package var list: String
    /// The session or provider of the element, if it names one.
    package var name: String?
    /// The member that could not be read.
    package var place: String

    package init(list: String, name: String?, place: String) {
        self.list = list
        self.name = name
        self.place = place
    }
}

extension Array where Element: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue { .array(map { $0.wire(texts) }) }
}

extension JSONValue {
    init(_ moment: Timestamp?) { self = moment?.wire ?? .null }

    /// The object with further members.
    func with(_ more: [Member]) -> JSONValue { .object((members ?? []) + more) }
}

extension Timestamp {
    /// RFC 3339 in UTC, with milliseconds if there are any.
    package var wire: JSONValue {
        let rest = ((milliseconds % 1000) + 1000) % 1000
        guard rest != 0 else { return .string(description) }
        let digits = String(rest)
        return .string(description.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z")
    }

    package init?(wire: JSONValue) {
        guard let text = wire.string else { return nil }
        self.init(text)
    }
}

extension Duration {
    /// Seconds, with a fraction down to the millisecond.
    var wire: JSONValue {
        let milliseconds = wholeMilliseconds
        let rest = String(abs(milliseconds % 1000))
        guard rest != "0" else { return .number(String(milliseconds / 1000)) }
        let sign = milliseconds < 0 ? "-" : ""
        return .number("\(sign)\(abs(milliseconds / 1000)).\(String(repeating: "0", count: 3 - rest.count))\(rest)")
    }

    /// Reads seconds; at most a hundred years in either direction.
    init?(wire: JSONValue) {
        guard let seconds = wire.double, abs(seconds) <= 3_155_760_000 else { return nil }
        self = .milliseconds(Int64((seconds * 1000).rounded()))
    }
}

// MARK: Messages

extension UserMessage {
    /// The members for a message: `NAME` with the English text, and `NAME_message` with code and arguments, for clients with texts.
    func members(_ name: String, _ texts: MessageTexts) -> [JSONValue.Member] {
        let text = JSONValue.Member(name, .string(texts.english(self)))
        return verbatimText != nil ? [text] : [text, .init(name + "_message", json)]
    }
}

extension [UserMessage] {
    /// The members for a list of messages: the English texts, and the messages.
    func members(_ name: String, _ texts: MessageTexts) -> [JSONValue.Member] {
        let list = JSONValue.Member(name, .array(map { .string(texts.english($0)) }))
        return isEmpty ? [list] : [list, .init(name + "_messages", .array(map(\.json)))]
    }
}

extension WireReader {
    /// Returns a required message. Its English text is shown where this version does not know the code.
    package func message(_ name: String) throws(WireError) -> UserMessage {
        guard let message = try optionalMessage(name) else { throw WireError(place: name) }
        return message
    }

    package func optionalMessage(_ name: String) throws(WireError) -> UserMessage? {
        let text = try optionalText(name)
        guard let message = try optional(name + "_message", UserMessage.init(json:)) else { return text.map(UserMessage.verbatim) }
        return message.withFallback(text)
    }

    /// Returns a required list of messages.
    func messages(_ name: String) throws(WireError) -> [UserMessage] {
        let texts = try texts(name)
        let messages = try optional(name + "_messages", \.array) ?? []
        return texts.enumerated().map { index, text in
            guard messages.indices.contains(index), let message = UserMessage(json: messages[index]) else { return .verbatim(text) }
            return message.withFallback(text)
        }
    }
}
