/// A duration as the user types it: `900`, `15 min`, `2h`; empty means never.
package struct SpanText: Equatable {
    /// The duration in seconds; nil for never.
    package let seconds: Int64?

    private static let units: [(names: [String], seconds: Int64)] = [
        (["s", "sec", ""], 1), (["m", "min"], 60), (["h"], 3600), (["d"], 86_400),
    ]
    /// The range that the configuration accepts: up to a year.
    private static let range: ClosedRange<Int64> = 1...31_536_000

    /// Parses a duration; nil if it is invalid.
    package init?(_ text: String) {
        let words = text.lowercased().filter { !$0.isWhitespace }
        guard !words.isEmpty else {
            seconds = nil
            return
        }
        let digits = words.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let unit = Self.units.first(where: { $0.names.contains(String(words.dropFirst(digits.count))) })
        else { return nil }
        let (seconds, overflows) = number.multipliedReportingOverflow(by: unit.seconds)
        guard !overflows, Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Returns the duration in the largest unit that expresses it exactly.
    package static func written(_ seconds: Int64) -> String {
        let unit = units.last { seconds >= $0.seconds && seconds % $0.seconds == 0 } ?? units[0]
        return "\(seconds / unit.seconds) \(unit.names.first { $0.count > 1 && unit.seconds == 60 } ?? unit.names[0])"
    }
}
