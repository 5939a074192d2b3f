internal import AuthModel

extension Timestamp {
    /// The time in the user's time zone, for output that people read: `2026-11-24 09:25:47 CET`. JSON has UTC.
    var inLocalTime: String { text(in: ProcessTimeZone.offset(at: self)) }

    /// Returns the time in a time zone, with its abbreviation.
    func text(in zone: (offset: Duration, name: String)) -> String {
        let text = (self + zone.offset).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) \(zone.name)"
    }
}
