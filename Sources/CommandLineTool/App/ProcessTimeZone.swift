internal import AuthModel
private import Glibc

/// The time zone of this process: the variable `TZ`, or the system's time zone.
enum ProcessTimeZone {
    /// Returns the offset from UTC at a time, positive in the east, and its abbreviation: `CET`.
    static func offset(at moment: Timestamp) -> (offset: Duration, name: String) {
        var seconds = time_t(moment.seconds)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return (.zero, "UTC") }
        return (.seconds(fields.tm_gmtoff), fields.tm_zone.map { String(cString: $0) } ?? "")
    }
}
