import AuthModel

/// A document does not follow the protocol. Names the member, never its value.
struct WireError: Error, Equatable {
    /// The member, or `body` for the whole document.
    var place: String

    /// The failure for the sender of the document.
    var failure: AuthFailure {
        AuthFailure(.usage, UserMessage("agent.field_missing_or_invalid", ["field": place]), hint: "hint.see_agent_description")
    }
}

/// A value with a JSON encoding in the protocol.
protocol WireValue: Sendable {
    /// The JSON encoding.
    var wire: JSONValue { get }
    /// Decodes the value; unknown members are ignored.
    init(wire: JSONValue) throws(WireError)
}

/// Reads the members of an object.
struct WireReader {
    /// The object itself.
    let document: JSONValue

    init(_ value: JSONValue, _ place: String = "body") throws(WireError) {
        guard value.members != nil else { throw WireError(place: place) }
        document = value
    }

    /// Returns a member's value; `nil` if it is absent or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = document[name], value != .null else { return nil }
        return value
    }

    /// Returns an optional member, converted. Throws if its value cannot be converted.
    func optional<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws(WireError) -> Value? {
        guard let value = value(name) else { return nil }
        guard let converted = convert(value) else { throw WireError(place: name) }
        return converted
    }

    /// Returns a required member, converted.
    func required<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws(WireError) -> Value {
        guard let value = try optional(name, convert) else { throw WireError(place: name) }
        return value
    }

    func text(_ name: String) throws(WireError) -> String { try required(name, \.string) }
    func flag(_ name: String) throws(WireError) -> Bool { try required(name, \.bool) }
    func texts(_ name: String) throws(WireError) -> [String] { try required(name, \.strings) }
    func optionalText(_ name: String) throws(WireError) -> String? { try optional(name, \.string) }

    func word<Word: RawRepresentable<String>>(_ name: String) throws(WireError) -> Word {
        try required(name) { $0.string.flatMap(Word.init(rawValue:)) }
    }

    func moment(_ name: String) throws(WireError) -> Timestamp { try required(name, Timestamp.init(wire:)) }
    func optionalMoment(_ name: String) throws(WireError) -> Timestamp? { try optional(name, Timestamp.init(wire:)) }

    func session(_ name: String = "session") throws(WireError) -> SessionName {
        try required(name) { $0.string.flatMap(SessionName.init(_:)) }
    }

    func provider(_ name: String = "provider") throws(WireError) -> ProviderName {
        try required(name) { $0.string.flatMap(ProviderName.init(_:)) }
    }

    /// Returns a required member that is itself a ``WireValue``.
    func nested<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(WireError) -> Value {
        guard let value = value(name) else { throw WireError(place: name) }
        return try Value(wire: value)
    }

    /// Returns a required list of values.
    func list<Value: WireValue>(_ name: String, of type: Value.Type = Value.self) throws(WireError) -> [Value] {
        try [Value](wire: required(name, \.array))
    }

    /// Returns a required list whose elements are independent: those that can be read, and the faults of the others.
    func readable<Value: WireValue>(_ name: String, of type: Value.Type = Value.self) throws(WireError) -> LenientList<Value> {
        var list = LenientList<Value>()
        for element in try required(name, \.array) {
            do throws(WireError) {
                list.values.append(try Value(wire: element))
            } catch {
                list.left.append(.init(name: element["session"]?.string ?? element["provider"]?.string, place: error.place))
            }
        }
        return list
    }
}

/// The readable elements of a list, and those that were skipped.
struct LenientList<Value: Sendable>: Sendable {
    struct Unreadable: Equatable, Sendable {
        /// The session or provider of the element, if it names one.
        var name: String?
        /// The member that could not be read.
        var place: String
    }

    var values: [Value] = []
    var left: [Unreadable] = []
}

extension Array where Element: WireValue {
    init(wire elements: [JSONValue]) throws(WireError) {
        self = []
        for element in elements { append(try Element(wire: element)) }
    }

    var wire: JSONValue { .array(map(\.wire)) }
}

extension JSONValue {
    init(_ moment: Timestamp?) { self = moment?.wire ?? .null }
}

extension Timestamp {
    /// RFC 3339 in UTC, with milliseconds if there are any.
    var wire: JSONValue {
        let rest = ((milliseconds % 1000) + 1000) % 1000
        guard rest != 0 else { return .string(description) }
        let digits = String(rest)
        return .string(description.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z")
    }

    init?(wire: JSONValue) {
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
