package import AuthModel

/// A mapping of times to columns, in steps of half a column.
package struct TimeAxis: Equatable, Sendable {
    /// The time at the left edge.
    package let start: Timestamp
    package let span: Duration
    package let columns: Int

    /// Creates an axis that starts at a time.
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

    /// Returns the times to label below the axis: round ones, at least `width` columns apart.
    package func marks(every width: Int) -> [Timestamp] {
        let least = Double(span.wholeMilliseconds) * Double(width) / Double(columns)
        let steps: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map { $0 * 60_000 }
        guard let step = steps.first(where: { Double($0) >= least }) else { return [] }
        let first = (start.milliseconds + step - 1) / step * step
        let end = (start + span).milliseconds
        return stride(from: first, to: end, by: Int(step)).map { Timestamp(milliseconds: $0) }
    }
}
