extension Timestamp {
    /// Parses an HTTP date in any of the three formats that a recipient must accept (RFC 9110 section 5.6.7); returns `nil` for anything
    /// else.
    ///
    /// - `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, the only format that may be sent),
    /// - `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850): the latest year with these digits that is at most 50 years after `now`,
    /// - `Sun Nov  6 08:49:37 1994` (`asctime` of ANSI C).
    ///
    /// The day name must be valid, but is not compared with the date.
    public init?(httpDate text: String, now: Timestamp) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        switch words.count {
        case 6
        where words[5] == "GMT" && words[3].utf8.count == 4 && Self.isDayName(words[0].dropLast(), isLong: false) && words[0].last == ",":
            self.init(day: words[1], month: words[2], year: words[3], time: words[4])
        case 4 where words[3] == "GMT" && Self.isDayName(words[0].dropLast(), isLong: true) && words[0].last == ",":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, date[2].utf8.count == 2, let thisYear = Int(now.description.prefix(4)) else { return nil }
            // Comparing RFC 3339 text avoids a special case for a limit on 29 February.
            let limit = "\(thisYear + 50)" + now.description.dropFirst(4)
            let candidates = (0...1).compactMap { century in
                Timestamp(day: date[0], month: date[1], year: "\(thisYear / 100 + century)\(date[2])", time: words[2])
            }
            let past = Timestamp(day: date[0], month: date[1], year: "\(thisYear / 100 - 1)\(date[2])", time: words[2])
            guard let moment = candidates.last(where: { $0.description <= limit }) ?? past else { return nil }
            self = moment
        case 5 where words[4].utf8.count == 4 && Self.isDayName(words[0][...], isLong: false) && words[2].utf8.count == 2:
            self.init(day: words[2], month: words[1], year: words[4], time: words[3])
        // In asctime, a day below 10 is padded with a space.
        case 6
        where words[2].isEmpty && words[5].utf8.count == 4 && Self.isDayName(words[0][...], isLong: false) && words[3].utf8.count == 1:
            self.init(day: "0" + words[3], month: words[1], year: words[5], time: words[4])
        default: return nil
        }
    }

    private init?(day: String, month: String, year: String, time: String) {
        guard let index = Self.httpMonths.firstIndex(of: month), day.utf8.count == 2, time.utf8.count == 8 else { return nil }
        self.init("\(year)-\(index < 9 ? "0" : "")\(index + 1)-\(day)T\(time)Z")
    }

    private static let httpMonths = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let httpDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    private static func isDayName(_ word: Substring, isLong: Bool) -> Bool {
        httpDays.contains { isLong ? word == $0 : word == $0.prefix(3) }
    }
}
