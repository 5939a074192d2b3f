import AuthModel
import TerminalUI

/// The panel over the whole width: at the left the tokens that were issued in the last 24 hours, at the right the renewals and the ends of
/// the next 24, with the present between them.
///
/// Its columns stand for fixed times of the day, so it moves on by one column when the time of one is over, and changes no cell between.
struct SessionsGraph {
    let model: AppModel
    /// The entries of the activity about the listed sessions, the newest last.
    let activity: [Activity]
    /// The events of the listed sessions.
    let upcoming: UpcomingEvents

    /// - Parameter isFiltered: whether the screen lists only the sessions that match a filter.
    init(screen: SessionsScreen, model: AppModel, isFiltered: Bool) {
        self.model = model
        guard isFiltered, let sessions = model.sessions else {
            activity = model.activity
            upcoming = model.overview.upcoming
            return
        }
        let listed = screen.matches.lazy.filter { sessions.indices.contains($0) }.map { sessions[$0] }
        let names = Set(listed.map(\.name))
        activity = model.activity.filter { entry in entry.session.map { names.contains($0) } ?? false }
        upcoming = listed.reduce(into: UpcomingEvents()) { $0.add($1, now: model.now) }
    }

    /// - Parameter key: the key that opens the timeline.
    func draw(in area: Rect, key: Key?, into buffer: inout ScreenBuffer) {
        let panel = Panel(SessionPaneWords.allUses, key: key?.label ?? "", surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        guard inside.rows >= 2, inside.columns >= Self.minimumColumns else { return }
        if let key { buffer.mark(area, as: .key(key)) }
        let (chart, axis) = inside.splitTop(inside.rows - 1)
        let side = (inside.columns - 1) / 2
        let scale = Scale(now: model.now, cells: side)
        let past = Rect(column: chart.left, row: chart.top, columns: side, rows: chart.rows)
        let future = Rect(column: chart.left + side + 1, row: chart.top, columns: side, rows: chart.rows)
        let line = Rect(column: past.right, row: chart.top, columns: 1, rows: chart.rows)
        let tokens = issued(scale)
        buffer.draw(AreaChart(tokens, top: max(tokens.max() ?? 0, Self.leastTop), style: Style(.info)), in: past)
        drawUpcoming(scale, in: future, into: &buffer)
        buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        drawAxis(in: axis, scale, now: line.left, into: &buffer)
        drawSums(tokens.reduce(0, +), in: area.row(0), now: line.left, hasKey: key != nil, into: &buffer)
    }

    private static let minimumColumns = 40
    /// Small numbers look small: a single token is a quarter of the height.
    private static let leastTop = 4

    /// The times of the columns.
    private struct Scale {
        /// The start of the value that contains the present.
        let present: Timestamp
        /// The time of one value.
        let step: Int64
        let count: Int

        init(now: Timestamp, cells: Int) {
            count = AreaChart.valuesInACell * max(1, cells)
            step = max(1, UseHistory.span.wholeMilliseconds / Int64(count))
            present = Timestamp(milliseconds: now.milliseconds / step * step)
        }

        /// The time at the left edge.
        var start: Timestamp { present - .milliseconds(step * Int64(count - 1)) }

        /// Returns the index of a past time; nil if it is too early. Times after the present belong to it, because an entry of another
        /// process may be ahead of the app's clock.
        func past(_ moment: Timestamp) -> Int? {
            let index = count - 1 + Int(min(0, ((moment - present).wholeMilliseconds - step + 1) / step))
            return moment >= present ? count - 1 : index >= 0 && moment >= start ? index : nil
        }

        /// Returns the index of a coming time; nil if it is too late.
        func future(_ moment: Timestamp) -> Int? {
            let index = Int(max(0, (moment - present).wholeMilliseconds / step))
            return index < count ? index : nil
        }
    }

    private func issued(_ scale: Scale) -> [Int] {
        var counts = Array(repeating: 0, count: scale.count)
        for entry in activity.reversed() {
            guard let index = scale.past(entry.at) else { break }
            if entry.kind == .issued { counts[index] += entry.count }
        }
        return counts
    }

    /// Draws the renewals as an area, and a cross above it where a session ends.
    private func drawUpcoming(_ scale: Scale, in rect: Rect, into buffer: inout ScreenBuffer) {
        var renewals = Array(repeating: 0, count: scale.count)
        for index in upcoming.renewals.compactMap(scale.future) { renewals[index] += 1 }
        let top = max(renewals.max() ?? 0, Self.leastTop)
        buffer.draw(AreaChart(renewals, top: top, style: Style(.accent)), in: rect)
        for index in upcoming.ends.compactMap(scale.future) {
            let column = rect.left + index / AreaChart.valuesInACell
            let free = (0..<rect.rows).map { rect.bottom - 1 - $0 }.first { row in
                let text = buffer.cell(at: Point(column: column, row: row))?.text
                return text == " " || row == rect.bottom - 1 && renewals[index] == 0 && text != Self.end(buffer.glyphs)
            }
            buffer.write(Self.end(buffer.glyphs), at: Point(column: column, row: free ?? rect.top), style: Style(.danger), clip: rect)
        }
    }

    private static func end(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? "x" : "✕" }

    private func drawAxis(in row: Rect, _ scale: Scale, now: Int, into buffer: inout ScreenBuffer) {
        let columns = 2 * (now - row.left) + 1
        let axis = TimeAxis(from: scale.start, span: .milliseconds(2 * UseHistory.span.wholeMilliseconds), columns: columns)
        let word = TimelineWords.now
        let place = Rect(column: now - SafeText.width(of: word) / 2, row: row.top, columns: SafeText.width(of: word), rows: 1)
        for moment in axis.marks(every: 12) {
            guard let column = axis.column(of: moment) else { continue }
            let text = Words.hourAndMinute(moment)
            let label = Rect(column: row.left + column, row: row.top, columns: SafeText.width(of: text), rows: 1)
            guard label.right <= row.right, label.right < place.left || label.left > place.right else { continue }
            buffer.write(text, in: label, style: Style(.muted))
        }
        buffer.write(word, in: place, style: Style(.accent))
    }

    /// Draws what the two halves show, and their sums, into the frame.
    private func drawSums(_ sum: Int, in row: Rect, now: Int, hasKey: Bool, into buffer: inout ScreenBuffer) {
        let last = model.now + UseHistory.span
        let (renewals, ends) = (upcoming.renewals.count { $0 < last }, upcoming.ends.count { $0 < last })
        let dot = Words.dot(buffer.glyphs)
        let past = TextLine([TextLine.Span(" \(sum == 0 ? SessionPaneWords.noUses : SessionPaneWords.uses(sum)) ", Style(.muted))])
        let room = now - row.left - SafeText.width(of: SessionPaneWords.allUses) - 6
        if past.width <= room {
            buffer.draw(past, in: Rect(column: now - past.width - 1, row: row.top, columns: past.width, rows: 1))
        }
        var next = [TextLine.Span(" \(SessionPaneWords.comingDay) ", Style(.title))]
        let counts = [
            renewals > 0 ? TextLine.Span(SessionPaneWords.renewals(renewals), Style(.accent)) : nil,
            ends > 0
                ? TextLine.Span("\(Self.end(buffer.glyphs)) \(SessionPaneWords.ends(ends))", Style(.danger)) : nil,
        ].compactMap(\.self)
        for (index, span) in counts.enumerated() { next += [TextLine.Span(index == 0 ? " " : dot, Style(.muted)), span] }
        if !counts.isEmpty { next.append(TextLine.Span(" ")) }
        let right = row.right - (hasKey ? 7 : 3)
        let place = Rect(column: now + 2, row: row.top, columns: max(0, right - now - 2), rows: 1)
        if TextLine(next).width <= place.columns { buffer.draw(TextLine(next), in: place) }
    }
}
