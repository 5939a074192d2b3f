package import AuthModel
import Localization
package import TerminalUI

/// The times of a token on one line: positions in proportion, and a label below each.
package struct TimeRuler: Equatable, Sendable {
    /// A time on the ruler.
    package struct Mark: Equatable, Sendable {
        /// The text below the mark.
        package var label: String
        package var at: Timestamp
        /// Whether this is the current time.
        package var isNow: Bool

        package init(_ label: String, at: Timestamp, isNow: Bool = false) {
            self.label = label
            self.at = at
            self.isNow = isNow
        }
    }

    /// A label with its place.
    package struct Label: Equatable, Sendable {
        package var text: String
        /// The first column of the text.
        package var column: Int
        /// The row below the ruler, from 0.
        package var row: Int
        package var isNow: Bool
    }

    package let columns: Int
    /// The columns of the marks, in the order of the times.
    package let marks: [Int]
    /// The column of the current time; nil if it is not on the ruler.
    package let now: Int?
    /// The labels, in the order of the times.
    package let labels: [Label]

    /// Creates a ruler from the first to the last of the times.
    package init(_ times: [Mark], columns: Int) {
        let columns = max(1, columns)
        self.columns = columns
        let times = times.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        let start = times.first?.at ?? Timestamp(milliseconds: 0)
        let span = max(1, Double(((times.last?.at ?? start) - start).wholeMilliseconds))
        let places = times.map { Int((Double(($0.at - start).wholeMilliseconds) / span * Double(columns - 1)).rounded()) }
        marks = places
        now = zip(times, places).first { $0.0.isNow }?.1
        var ends: [Int] = []
        labels = zip(times, places).map { mark, place in
            let width = SafeText.width(of: mark.label)
            // A label is centred below its mark, and stays within the ruler.
            let column = max(0, min(place - width / 2, columns - width))
            let row = ends.firstIndex { $0 < column } ?? ends.endIndex
            if row == ends.endIndex { ends.append(0) }
            ends[row] = column + width
            return Label(text: mark.label, column: column, row: row, isNow: mark.isNow)
        }
    }
}

/// A mapping of times to columns, in steps of half a column.
package struct TimeAxis: Equatable, Sendable {
    /// The time at the left edge.
    package let start: Timestamp
    package let span: Duration
    package let columns: Int

    package init(from start: Timestamp, span: Duration, columns: Int) {
        self.columns = max(1, columns)
        self.span = span
        self.start = start
    }

    /// Creates an axis that starts a quarter of the span before `now`.
    package init(now: Timestamp, span: Duration, columns: Int) {
        self.init(from: now - .milliseconds(span.wholeMilliseconds / 4), span: span, columns: columns)
    }

    /// Returns the half column of a time; below 0 or beyond the last one if it is out of view.
    package func half(of moment: Timestamp) -> Int {
        let halves = Double(2 * columns)
        let place = Double((moment - start).wholeMilliseconds) / Double(span.wholeMilliseconds) * halves
        return Int(max(-1, min(halves + 1, place)).rounded(.down))
    }

    /// Returns the column of a time; nil if it is out of view.
    package func column(of moment: Timestamp) -> Int? {
        let half = half(of: moment)
        return (0..<2 * columns).contains(half) ? half / 2 : nil
    }

    /// Returns the times to label below the axis: round ones in the user's time zone, at least `width` columns apart.
    package func marks(every width: Int) -> [Timestamp] {
        let least = Double(span.wholeMilliseconds) * Double(width) / Double(columns)
        let steps: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map { $0 * 60_000 }
        guard let step = steps.first(where: { Double($0) >= least }) else { return [] }
        let offset = Words.localTime.period(at: start).offset.wholeMilliseconds
        let first = (start.milliseconds + offset + step - 1) / step * step - offset
        let end = (start + span).milliseconds
        return stride(from: first, to: end, by: Int(step)).map { Timestamp(milliseconds: $0) }
    }
}

/// A duration as the user types it: `90 s`, `15 min`, `2h`; empty means never.
package struct SpanText: Equatable {
    /// The duration in seconds; nil for never.
    package let seconds: Int64?

    private static let units: [(names: [String], seconds: Int64)] = [
        (["s", "sec"], 1), (["m", "min"], 60), (["h"], 3600), (["d"], 86_400),
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

/// The remaining lifetime of a session's access token, as a bar, as text, and as a style.
package struct TimeLeft: Equatable, Sendable {
    /// The bar on a scale that is the same for all sessions; nil without an expiry.
    package let bar: Bar?
    /// The text with seconds: `42 min 10 s`.
    package let words: String
    /// The text for a column, with seconds only for the last ten minutes, so that few cells change each second; the state's name if no
    /// time is left.
    package let column: String
    /// A shorter text: `42 min`; empty if no time is left.
    package let short: String
    /// A stand-alone text: `42 min 10 s left`.
    package let sentence: String
    package let role: Role
    /// Whether no time is left.
    package let isOver: Bool

    package init(_ session: SessionSummary, in model: AppModel) {
        let state = model.state(of: session)
        let end = session.accessExpiresAt
        let left = end.map { $0 - model.now }
        isOver = state.needsAction || left.map { $0 <= .zero } ?? false
        guard !isOver else {
            bar = Bar(0)
            words = Words.state(state)
            column = words
            short = ""
            let ended = end.flatMap { state.needsAction && $0 > model.now ? nil : SessionWords.ended(Words.relative($0, to: model.now)) }
            sentence = ended ?? Words.state(state)
            role = Words.role(state)
            return
        }
        guard let end, let left else {
            bar = nil
            words = SessionListWords.noExpiry
            column = words
            short = words
            sentence = tr("expiry unknown")
            role = .muted
            return
        }
        let renewal = session.nextRenewalAt.flatMap { $0 > model.now && $0 < end ? Self.share(of: end - $0) : nil }
        let share = Self.share(of: left)
        // The token of a session that renews by itself is replaced in time, so its bar stays in the calm half of the scale.
        let calm = Self.calm(left)
        let tone = Tone.ofShare(session.isRenewable ? 0.6 + 0.4 * calm : calm)
        bar = Bar(share, mark: renewal, style: Style(Self.urgency(session, left), tone: tone))
        // A second that has begun counts, so that nothing valid has "0 s" left.
        let counted = Duration.seconds((left.wholeMilliseconds + 999) / 1000)
        words = Words.span(counted)
        short = Words.roughSpan(counted)
        column = left < Self.secondsShown || left >= .seconds(3600) ? words : short
        sentence = SigningInWords.left(words)
        // What is renewed in time asks for nothing.
        role = left < SessionSummary.freshness && ![.signedIn, .renewing].contains(state) ? .warning : .text
    }

    private static let secondsShown = Duration.seconds(600)

    /// Returns the role of the bar, for terminals that cannot show the whole scale.
    package static func urgency(_ session: SessionSummary, _ left: Duration) -> Role {
        guard !session.isRenewable else { return .barFilled }
        return left < .seconds(180) ? .danger : left < .seconds(900) ? .warning : .barFilled
    }

    /// Returns how calm a time left is: on a logarithmic scale from no more than a minute, 0, to an hour or more, 1. Most tokens live for
    /// an hour, so the colour of a new one asks for nothing, and ten minutes are in the middle.
    package static func calm(_ left: Duration) -> Double { share(of: left) / share(of: .seconds(3600)) }

    /// Returns the share of a bar: a logarithmic scale from no more than a minute, 0, to a day or more, 1.
    package static func share(of left: Duration) -> Double {
        let minutes = Double(left.wholeMilliseconds) / 60_000
        // A token that is still valid never looks expired.
        return min(1, max(0.001, logarithm(minutes) / logarithm(24 * 60)))
    }

    /// The labels of the bars' scale.
    package static var ticks: [TableColumn.Tick] {
        [
            TableColumn.Tick(tr("1m"), at: 0), TableColumn.Tick(tr("1h"), at: share(of: .seconds(3600))),
            TableColumn.Tick(tr("1d"), at: 1),
        ]
    }

    /// Returns the binary logarithm, linear between powers of two, which is exact enough for a bar. Only for positive numbers.
    private static func logarithm(_ value: Double) -> Double {
        value > 0 ? Double(value.exponent) + value.significand - 1 : -.infinity
    }
}
