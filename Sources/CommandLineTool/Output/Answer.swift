internal import AuthModel

/// A command's result, which can be printed as text or as JSON.
protocol Answer: Sendable {
    /// The lines for the user. They are sanitised before they are printed.
    var lines: [String] { get }
    /// The result as JSON. Its first member is `version`.
    var json: JSONValue { get }
    /// Returns the lines for a terminal, no wider than it is.
    func rows(on display: Display) -> [StyledText]
}

extension Answer {
    func rows(on display: Display) -> [StyledText] { lines.map { StyledText($0) } }
}

extension JSONValue {
    /// Creates an RFC 3339 string, or null.
    init(_ moment: Timestamp?) { self.init(moment?.description) }

    /// Returns a result object: the version, then the members in their order.
    static func answer(_ members: (String, JSONValue)...) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) })
    }

    /// Returns a result object whose last member is a list with an element for each value.
    static func answer<Value>(
        _ members: (String, JSONValue)..., list name: String, of values: [Value], _ element: (Value) -> JSONValue
    ) -> JSONValue {
        .object([Member("version", 1)] + members.map { Member($0.0, $0.1) } + [Member(name, .array(values.map(element)))])
    }
}

extension Timestamp {
    /// The time in the user's time zone, for output that people read: `2026-11-24 09:25:47 CET`. JSON has UTC.
    var inLocalTime: String { text(in: ProcessTimeZone.offset(at: self)) }

    /// The time in the user's time zone, as short as it can be: only the time of day on the day of `now`.
    func inShortLocalTime(at now: Timestamp) -> String {
        let (text, today) = (inLocalTime, now.inLocalTime)
        return String(text.prefix(10) == today.prefix(10) ? text.dropFirst(11).prefix(8) : text.prefix(16))
    }

    /// Returns the time in a time zone, with its abbreviation.
    func text(in zone: (offset: Duration, name: String)) -> String {
        let text = (self + zone.offset).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone.name)"
    }
}
