import AuthModel

/// Splits incoming bytes into server-sent events and parses their data.
struct EventReader {
    private var rest: [UInt8] = []

    /// Returns the data of the events that these bytes complete. Throws if an event is too large or is not JSON.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(WireError) -> [JSONValue] {
        rest += bytes
        var events: [JSONValue] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            let data = Array("data: ".utf8)
            if line.starts(with: data) {
                guard let value = try? JSONValue(strict: line.dropFirst(data.count), limits: .answer) else {
                    throw WireError(place: "event")
                }
                events.append(value)
            }
            rest.removeSubrange(...end)
        }
        guard rest.count <= AgentProtocol.answerLimit else { throw WireError(place: "event") }
        return events
    }
}

extension JSONValue.Limits {
    /// The limits for an agent's responses.
    static let answer = JSONValue.Limits(bytes: AgentProtocol.answerLimit, depth: 48, values: .max)
}
