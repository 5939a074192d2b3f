/// A moment on the civil clock, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before. Always within ``range``.
    public let milliseconds: Int64

    /// The milliseconds that RFC 3339 can represent: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_000

    /// Creates the moment, clamped to ``range``. Servers may send any number, but a moment outside the range could not be written and read
    /// again.
    public init(milliseconds: Int64) { self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound) }

    /// Creates a moment from seconds since 1970, clamped to 1970 and to ``distantFuture``.
    public init(seconds: Double) {
        let value = seconds * 1000
        self.init(milliseconds: value.isNaN ? 0 : Int64(min(max(value, 0), Double(Self.range.upperBound))))
    }

    /// 9999-12-31T23:59:59Z: the last moment that RFC 3339 can represent.
    public static let distantFuture = Timestamp(milliseconds: range.upperBound)

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    /// Compares the times.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Returns the moment `duration` later, clamped to ``range``.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Returns the moment `duration` earlier, clamped to ``range``.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        let milliseconds = duration.wholeMilliseconds
        let (difference, overflow) = moment.milliseconds.subtractingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds > 0 ? .min : .max) : difference)
    }

    /// Returns the time between two moments; negative if `right` is later.
    public static func - (left: Timestamp, right: Timestamp) -> Duration { .milliseconds(left.milliseconds - right.milliseconds) }
}

extension Duration {
    /// The duration in milliseconds, rounded towards zero. Extreme values are clamped instead of trapping.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        // A quarter of the range, so that adding two values cannot overflow.
        let limit: Int64 = .max / 4
        return overflow ? (seconds < 0 ? -limit : limit) : min(max(product, -limit), limit) + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in seconds, rounded towards zero.
    public var wholeSeconds: Int64 { components.seconds }
}

/// A clock that tests can control.
public protocol TimeSource: Sendable {
    /// The current civil time.
    var now: Timestamp { get }
    /// The monotonic time, which includes time asleep. For deadlines and lifetimes.
    var bootTime: Duration { get }
    /// Waits until ``bootTime`` reaches `deadline`; throws `CancellationError` if the task is cancelled.
    func sleep(until deadline: Duration) async throws
}

extension Timestamp: CustomStringConvertible {
    /// The moment in RFC 3339, in UTC with whole seconds: `2026-11-21T08:30:00Z`.
    public var description: String {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        let (year, month, day) = Self.civil(fromDays: days)
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(rest / 3600, 2)):\(pad(rest / 60 % 60, 2)):\(pad(rest % 60, 2))Z"
    }

    /// Parses RFC 3339 with `Z` or a numeric offset and any fraction; returns `nil` for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        func isByte(_ index: Int, _ wanted: String) -> Bool {
            index < bytes.count && wanted.utf8.contains(bytes[index])
        }
        guard let year = number(0..<4), isByte(4, "-"), let month = number(5..<7), isByte(7, "-"), let day = number(8..<10),
            isByte(10, "Tt "), let hour = number(11..<13), isByte(13, ":"), let minute = number(14..<16), isByte(16, ":"),
            let second = number(17..<19), (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction: Int64 = 0
        if isByte(index, ".") {
            index += 1
            var scale: Int64 = 100
            let start = index
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
                fraction += Int64(bytes[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        var offset: Int64 = 0
        if isByte(index, "Zz") {
            index += 1
        } else {
            guard isByte(index, "+-"), let hours = number(index + 1..<index + 3), isByte(index + 3, ":"),
                let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (bytes[index] == UInt8(ascii: "-") ? -60 : 60)
            index += 6
        }
        guard index == bytes.count else { return nil }
        let seconds = Self.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(milliseconds: seconds * 1000 + fraction)
    }

    /// Returns the civil date of a day number counted from 1970-01-01, in the proleptic Gregorian calendar.
    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Counting years from 1 March makes the leap day the last day of its year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Returns the number of days in a month.
    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the day number of a civil date, counted from 1970-01-01.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Returns `value` in decimal digits, padded with zeros to `width`.
private func pad(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

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
