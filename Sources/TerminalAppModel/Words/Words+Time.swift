package import AuthModel
import Localization

extension Words {
    /// Returns a duration in its two largest units: `4 min 05 s`, `2 h 10 min`, `3 d 4 h`; seconds only below an hour.
    package static func span(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeSeconds)
        switch seconds {
        case ..<60: return tr("{1} s", seconds)
        case ..<3600: return tr("{1} min {2} s", seconds / 60, twoDigits(seconds % 60))
        case ..<86_400: return tr("{1} h {2} min", seconds / 3600, twoDigits(seconds / 60 % 60))
        default: return tr("{1} d {2} h", seconds / 86_400, seconds / 3600 % 24)
        }
    }

    /// Returns a duration in its largest unit, for texts that do not count down: `4 min`, `2 h`, `3 d`.
    package static func roughSpan(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeSeconds)
        switch seconds {
        case ..<60: return tr("{1} s", seconds)
        case ..<3600: return tr("{1} min", seconds / 60)
        case ..<86_400: return tr("{1} h", seconds / 3600)
        default: return tr("{1} d", seconds / 86_400)
        }
    }

    /// Returns the duration of a step: `0.3 s`, `12 s`, `1 min 05 s`.
    package static func stepSpan(_ duration: Duration) -> String {
        let tenths = max(0, duration.wholeMilliseconds) / 100
        return tenths < 100 ? tr("{1}.{2} s", tenths / 10, tenths % 10) : span(duration)
    }

    /// Returns a time relative to `now`: `in 41 min`, `3 min ago`, `now`.
    package static func relative(_ moment: Timestamp, to now: Timestamp) -> String {
        let away = moment - now
        if abs(away.wholeMilliseconds) < 1000 { return tr("now") }
        return away > .zero ? tr("in {1}", roughSpan(away)) : tr("{1} ago", roughSpan(.zero - away))
    }

    /// The time zone of the times that these functions return.
    @TaskLocal package static var localTime = LocalTime.utc

    /// Returns a time as date and time, with the time zone: `2026-11-21 09:30:00 CET`.
    package static func moment(_ moment: Timestamp) -> String {
        "\(date(moment)) \(clock(moment)) \(localTime.period(at: moment).name)"
    }

    /// Returns a time as date and time, and relative to `now`.
    package static func momentInWords(_ at: Timestamp, now: Timestamp) -> String {
        "\(moment(at)), \(relative(at, to: now))"
    }

    /// Returns the time of day: `08:30:00`.
    package static func clock(_ moment: Timestamp) -> String { String(local(moment).dropFirst(11).prefix(8)) }

    /// Returns the time of day without seconds: `08:30`.
    package static func hourAndMinute(_ moment: Timestamp) -> String { String(local(moment).dropFirst(11).prefix(5)) }

    /// Returns the date: `2026-11-21`.
    package static func date(_ moment: Timestamp) -> String { String(local(moment).prefix(10)) }

    private static func local(_ moment: Timestamp) -> String { (moment + localTime.period(at: moment).offset).description }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
