import AuthModel

/// Which column of a picture stands for which moment, in steps of half a column.
struct TimeAxis: Equatable, Sendable {
    /// The moment at the left edge.
    let start: Timestamp
    let span: Duration
    let columns: Int

    /// A quarter of the time in sight is past.
    init(now: Timestamp, span: Duration, columns: Int) {
        self.columns = max(1, columns)
        self.span = span
        start = now - .milliseconds(span.wholeMilliseconds / 4)
    }

    /// The half column of a moment; below 0 or beyond the last one where it is out of sight.
    func half(of moment: Timestamp) -> Int {
        let halves = Double(2 * columns)
        let place = Double((moment - start).wholeMilliseconds) / Double(span.wholeMilliseconds) * halves
        return Int(max(-1, min(halves + 1, place)).rounded(.down))
    }

    /// The column of a moment; `nil` where it is out of sight.
    func column(of moment: Timestamp) -> Int? {
        let half = half(of: moment)
        return (0..<2 * columns).contains(half) ? half / 2 : nil
    }

    /// The moments to name below the picture: round ones, with at least `width` columns from one to the next.
    func marks(every width: Int) -> [Timestamp] {
        let least = Double(span.wholeMilliseconds) * Double(width) / Double(columns)
        let steps: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map { $0 * 60_000 }
        guard let step = steps.first(where: { Double($0) >= least }) else { return [] }
        let first = (start.milliseconds + step - 1) / step * step
        let end = (start + span).milliseconds
        return stride(from: first, to: end, by: Int(step)).map { Timestamp(milliseconds: $0) }
    }
}
