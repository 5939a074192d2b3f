import AuthModel

/// Splits incoming bytes into server-sent events and parses their data.
struct EventReader {
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []
    /// How many bytes were searched for the end of a line, or moved.
    private(set) var stepCount = 0

    /// Returns the data of the events that these bytes complete. Throws if an event is too large or is not JSON.
    mutating func read(_ bytes: some Collection<UInt8>) throws(WireError) -> [JSONValue] {
        stepCount += bytes.count
        var events: [JSONValue] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[rest.index(after: end)...]
            if let event = try endLine() { events.append(event) }
        }
        line += rest
        guard line.count <= AgentProtocol.answerLimit else { throw WireError(place: "event") }
        return events
    }

    private mutating func endLine() throws(WireError) -> JSONValue? {
        defer { line.removeAll(keepingCapacity: true) }
        let data = Array("data: ".utf8)
        guard line.starts(with: data) else { return nil }
        guard let value = try? JSONValue(strict: line.dropFirst(data.count), limits: .answer) else { throw WireError(place: "event") }
        return value
    }
}

extension JSONValue.Limits {
    /// The limits for an agent's responses.
    static let answer = JSONValue.Limits(bytes: AgentProtocol.answerLimit, depth: 48, values: .max)
}
