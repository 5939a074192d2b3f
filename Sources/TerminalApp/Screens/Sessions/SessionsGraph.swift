import AuthModel
import Localization
import TerminalUI

/// The panel over the whole width: at the left the tokens that were issued in the last 24 hours, at the right the renewals and the ends of
/// the next 24, with the present between them. Both halves have one scale, and the first line says what each shows.
///
/// Its columns stand for fixed times of the day, so it moves on by one column when the time of one is over, and changes no cell between.
struct SessionsGraph {
    let model: AppModel
    /// The entries of the activity that are shown, the newest last.
    let activity: [Activity]
    /// The events of the listed sessions; nil shows only the past.
    let upcoming: UpcomingEvents?

    /// Creates a graph of the past.
    init(of activity: [Activity], model: AppModel) {
        self.model = model
        self.activity = activity
        upcoming = nil
    }

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
        let panel = Panel(SessionsGraphWords.pastDay, key: SessionsSidePanels.hint(key, TimelineWords.key), surface: .screen)
        buffer.draw(panel, in: area)
        guard panel.content(of: area).rows >= 2, panel.content(of: area).columns >= Self.minimumColumns else { return }
        if let key { buffer.mark(area, as: .key(key)) }
        let list = upcoming.map { UpcomingList(events: $0.next, model: model) }
        let listColumns = list?.columns(in: panel.content(of: area)) ?? 0
        let inside = panel.content(of: area).inset(right: listColumns)
        list?.draw(in: panel.content(of: area).inset(left: inside.columns), into: &buffer)
        let (chart, axis) = inside.splitTop(inside.rows - 1)
        let cells = inside.columns - 1 - (upcoming == nil ? 1 : 2) * Self.scaleColumns
        // Where the coming events are listed by name, the past has more of the width.
        let comingCells = upcoming == nil ? 0 : listColumns > 0 ? cells / 3 : cells / 2
        let pastCells = upcoming == nil || listColumns > 0 ? cells - comingCells : cells / 2
        let (scale, comingScale) = (Scale(now: model.now, cells: pastCells), Scale(now: model.now, cells: comingCells))
        // What the columns do not need is at the edges.
        let left = inside.left + Self.scaleColumns + pastCells - scale.columns
        let past = Rect(column: left, row: chart.top, columns: scale.columns, rows: chart.rows)
        let now = Rect(column: past.right, row: chart.top, columns: 1, rows: chart.rows)
        let tokens = issued(scale)
        let renewals = upcoming.map { self.renewals($0, comingScale) } ?? []
        let highest = Self.top(of: tokens + renewals)
        buffer.draw(AreaChart(scale.spread(tokens), top: highest, style: Style(.info), isShaded: true), in: past)
        drawScale(highest, in: past.inset(left: -Self.scaleColumns, right: past.columns), alignment: .right, into: &buffer)
        let word = SafeText.width(of: TimelineWords.now)
        let end = upcoming == nil ? now.right : now.right + comingScale.columns
        let place = Rect(column: min(now.left - word / 2, end - word), row: axis.top, columns: word, rows: 1)
        buffer.write(TimelineWords.now, in: place, style: Style(.accent))
        drawAxis(from: scale.start, scale, in: Rect(column: left, row: axis.top, columns: past.columns, rows: 1), but: place, into: &buffer)
        if let upcoming {
            let future = Rect(column: now.right, row: chart.top, columns: comingScale.columns, rows: chart.rows)
            // Nothing renews while the store is locked, and everything keeps its place.
            let shown = model.isLocked ? renewals.map { _ in 0 } : renewals
            let columns = AreaChart(comingScale.spread(shown, isFromLeft: true), top: highest, style: Style(.accent))
            buffer.draw(columns, in: future)
            drawEnds(upcoming.ends.compactMap(comingScale.future), comingScale, above: shown, in: future, into: &buffer)
            drawScale(highest, in: future.inset(left: future.columns, right: -Self.scaleColumns), alignment: .left, into: &buffer)
            buffer.fill(now, with: buffer.glyphs.vertical, style: Style(.border))
            let row = Rect(column: future.left, row: axis.top, columns: future.columns, rows: 1)
            drawAxis(from: comingScale.present, comingScale, in: row, but: place, into: &buffer)
        }
        drawLegend(tokens.reduce(0, +), in: area.row(0), now: now.left, keyColumns: SafeText.width(of: panel.key), into: &buffer)
    }

    /// Draws the past in one line, where there is no space for the panel: its name, the columns, and their sum.
    func drawLine(in row: Rect, into buffer: inout ScreenBuffer) {
        let name = SessionsGraphWords.pastDay + "  "
        let sum = "  " + SessionsGraphWords.uses(issued(Scale(now: model.now, cells: 1)).reduce(0, +))
        let scale = Scale(now: model.now, cells: row.columns - SafeText.width(of: name + sum))
        let tokens = issued(scale)
        let start = buffer.write(name, in: row, style: Style(.muted))
        let chart = row.inset(left: start - row.left).leading(scale.columns)
        buffer.draw(AreaChart(scale.spread(tokens), top: Self.top(of: tokens), style: Style(.info)), in: chart)
        buffer.write(sum, in: row.inset(left: chart.right - row.left), style: Style(.muted))
    }

    private static let minimumColumns = 40
    /// Returns the number that the full height stands for: an even one, so that its half is a number too. Small numbers look small: a
    /// single token is a quarter of the height.
    private static func top(of values: [Int]) -> Int { max(4, ((values.max() ?? 0) + 1) / 2 * 2) }
    /// The width of a scale: three digits and a line.
    private static let scaleColumns = 4

    /// Draws the numbers that the full height, its half and the base of the columns stand for, beside a line.
    private func drawScale(_ highest: Int, in rect: Rect, alignment: Alignment, into buffer: inout ScreenBuffer) {
        let isLeft = alignment == .right
        let line = Rect(column: isLeft ? rect.right - 1 : rect.left, row: rect.top, columns: 1, rows: rect.rows)
        buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        var labels = rect.rows > 1 ? [rect.top: highest, rect.bottom - 1: 0] : [rect.top: highest]
        if rect.rows >= Self.rowsForHalf { labels[rect.top + rect.rows / 2] = highest / 2 }
        for (row, number) in labels {
            let text = number < 1000 ? "\(number)" : "\(min(99, number / 1000))k"
            let place = Rect(column: isLeft ? rect.left : line.right, row: row, columns: rect.columns - 1, rows: 1)
            buffer.write(text, in: place, style: Style(.muted), alignment: alignment)
            buffer.write(buffer.glyphs.tick(isLeft: isLeft), at: Point(column: line.left, row: row), style: Style(.border), clip: line)
        }
    }

    private static let rowsForHalf = 5

    /// The times of the columns: each is a cell wide, or as many as there is room for, so that a lone event is seen.
    private struct Scale {
        /// The start of the value that contains the present.
        let present: Timestamp
        /// The time of one value.
        let step: Int64
        let count: Int
        /// The cells of one value.
        let width: Int

        /// Half an hour is as fine as a day needs to be.
        private static let mostValues = 48

        init(now: Timestamp, cells: Int) {
            width = max(1, cells / Self.mostValues)
            count = max(1, cells / width)
            step = max(1, UseHistory.span.wholeMilliseconds / Int64(count))
            present = Timestamp(milliseconds: now.milliseconds / step * step)
        }

        /// Returns the values as the chart draws them, with a gap after each that is wider than a cell.
        func spread(_ values: [Int], isFromLeft: Bool = false) -> [Int] {
            let dots = AreaChart.valuesInACell * width
            return values.flatMap { value in
                let bar = Array(repeating: value, count: width > 1 ? dots - 1 : dots)
                return width == 1 ? bar : isFromLeft ? bar + [0] : [0] + bar
            }
        }

        /// The cells of all values.
        var columns: Int { count * width }

        /// The time at the left edge.
        var start: Timestamp { present - .milliseconds(step * Int64(count - 1)) }

        /// Returns the index of a past time; the first one for what is earlier. Times after the present belong to it, because an entry of
        /// another process may be ahead of the app's clock.
        func past(_ moment: Timestamp) -> Int {
            let index = count - 1 + Int(min(0, ((moment - present).wholeMilliseconds - step + 1) / step))
            return moment >= present ? count - 1 : max(0, index)
        }

        /// Returns the index of a coming time; nil if it is too late.
        func future(_ moment: Timestamp) -> Int? {
            let index = Int(max(0, (moment - present).wholeMilliseconds / step))
            return index < count ? index : nil
        }
    }

    /// Returns the numbers of tokens of the last 24 hours, the same as in the lists: the first column is cut by the edge, and has what is
    /// left.
    private func issued(_ scale: Scale) -> [Int] {
        var counts = Array(repeating: 0, count: scale.count)
        UseHistory.each(activity, now: model.now) { counts[scale.past($0.at)] += $0.count }
        return counts
    }

    private func renewals(_ upcoming: UpcomingEvents, _ scale: Scale) -> [Int] {
        var counts = Array(repeating: 0, count: scale.count)
        for index in upcoming.renewals.compactMap(scale.future) { counts[index] += 1 }
        return counts
    }

    /// Draws a cross above the renewals where a session ends.
    private func drawEnds(
        _ ends: [Int], _ scale: Scale, above renewals: [Int], in rect: Rect, into buffer: inout ScreenBuffer
    ) {
        for index in ends {
            let column = rect.left + index * scale.width
            let free = (0..<rect.rows).map { rect.bottom - 1 - $0 }.first { row in
                let text = buffer.cell(at: Point(column: column, row: row))?.text
                return text == " " || row == rect.bottom - 1 && renewals[index] == 0 && text != Self.end(buffer.glyphs)
            }
            buffer.write(Self.end(buffer.glyphs), at: Point(column: column, row: free ?? rect.top), style: Style(.danger), clip: rect)
        }
    }

    static func end(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? "x" : "✕" }

    /// Draws the times below the columns of a half, except where the word for the present is.
    private func drawAxis(from start: Timestamp, _ scale: Scale, in row: Rect, but place: Rect, into buffer: inout ScreenBuffer) {
        let axis = TimeAxis(from: start, span: .milliseconds(scale.step * Int64(scale.count)), columns: row.columns)
        for moment in axis.marks(every: 12) {
            guard let column = axis.column(of: moment) else { continue }
            let text = Words.hourAndMinute(moment)
            let label = Rect(column: row.left + column, row: row.top, columns: SafeText.width(of: text), rows: 1)
            guard label.right <= row.right, label.right < place.left || label.left > place.right else { continue }
            buffer.write(text, in: label, style: Style(.muted))
        }
    }

    /// Draws what the columns of each half stand for, in their colours and with their sum, into the frame.
    private func drawLegend(_ sum: Int, in row: Rect, now: Int, keyColumns: Int, into buffer: inout ScreenBuffer) {
        let column = AreaChart.full(buffer.glyphs)
        let right = row.right - (keyColumns > 0 ? keyColumns + 5 : 2)
        let past = TextLine([
            TextLine.Span("\(column) ", Style(.info)), TextLine.Span(SessionsGraphWords.uses(sum) + " ", Style(.muted)),
        ])
        let left = row.left + 2 + SafeText.width(of: " \(SessionsGraphWords.pastDay) ")
        if left + past.width < (upcoming == nil ? right : now) {
            buffer.draw(past, in: Rect(column: left, row: row.top, columns: past.width, rows: 1))
        }
        guard let upcoming else { return }
        let last = model.now + UseHistory.span
        let (renewals, ends) = (upcoming.renewals.count { $0 < last }, upcoming.ends.count { $0 < last })
        let title = [TextLine.Span(" \(SessionsGraphWords.comingDay)", Style(.title))]
        let count = [
            TextLine.Span(" \(column) ", Style(.accent)), TextLine.Span(SessionsGraphWords.renewals(renewals), Style(.muted)),
        ]
        let renewed = model.isLocked ? [TextLine.Span(" " + SessionsGraphWords.noRenewals, Style(.muted))] : count
        let ended = [
            TextLine.Span("  \(Self.end(buffer.glyphs)) ", Style(.danger)),
            TextLine.Span(plural(ends, "{1} end", "{1} ends"), Style(.muted)),
        ]
        let space = [TextLine.Span(" ")]
        let choices = [title + renewed + (ends > 0 ? ended : []), renewed + (ends > 0 ? ended : []), renewed].map { TextLine($0 + space) }
        if let line = choices.first(where: { $0.width <= right - now - 2 }) {
            buffer.draw(line, in: Rect(column: now + 2, row: row.top, columns: line.width, rows: 1))
        }
    }
}

/// The list beside the graph that names what happens next by itself: the renewals, and the ends of the sessions that cannot be renewed.
struct UpcomingList {
    /// The first event first.
    let events: [UpcomingEvents.Event]
    let model: AppModel

    /// The minimum width of the graph beside the list.
    private static let graphColumns = 84
    /// The widths of a list with the time of day, and without.
    private static let wideColumns = 46
    private static let narrowColumns = 31
    /// The space between the graph's scale and the list.
    private static let margin = 2

    /// Returns the width of the list beside a graph; 0 if nothing happens, or if there is no space.
    func columns(in area: Rect) -> Int {
        guard !events.isEmpty else { return 0 }
        return [Self.wideColumns, Self.narrowColumns].first { area.columns - $0 >= Self.graphColumns } ?? 0
    }

    /// Draws one event in each row.
    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let hasTimes = area.columns >= Self.wideColumns
        let inside = area.inset(left: Self.margin)
        let events = model.isLocked ? self.events.filter(\.isEnd) : self.events
        guard !inside.isEmpty, !events.isEmpty else { return }
        let glyphs = buffer.glyphs
        let (sign, name) = (TableColumn("", minimum: 1), TableColumn("", minimum: 12, share: 1, importance: 1))
        let (time, left) = (TableColumn("", minimum: 5), TableColumn("", minimum: 10, alignment: .right))
        let columns = hasTimes ? [sign, name, time, left] : [sign, name, left]
        let table = Table(columns: columns, count: min(events.count, inside.rows), hasHeader: false) { index in
            let event = events[index]
            let room = inside.columns - columns.reduce(0) { $0 + Table.gap + $1.minimum } + name.minimum + Table.gap
            let fitted = NameInColumns(event.session, columns: room, glyphs: glyphs)
            let sign = event.isEnd ? SessionsGraph.end(glyphs) : Words.glyph(.renewing, glyphs)
            let relative = Words.relative(event.at, to: model.now)
            return [
                .text(sign, Style(event.isEnd ? .danger : .accent)),
                .spans([TextLine.Span(fitted.provider), TextLine.Span(fitted.account, Style(.muted))]),
            ] + (hasTimes ? [.text(Words.hourAndMinute(event.at), Style(.muted))] : []) + [
                .text(relative, Style(event.isEnd ? .danger : .muted))
            ]
        }
        buffer.draw(table, in: inside)
    }
}

/// The texts of the graph of the sessions.
package enum SessionsGraphWords {
    /// The title of the panel with the uses of all sessions.
    package static var pastDay: String { tr("Last 24 h") }
    /// The title of the coming day, with its renewals and ends.
    package static var comingDay: String { tr("Next 24 h") }
    package static var noRenewals: String { tr("nothing renews while locked") }
    package static func renewals(_ count: Int) -> String { plural(count, "{1} session renews", "{1} sessions renew") }
    package static func uses(_ count: Int) -> String { plural(count, "{1} token issued", "{1} tokens issued") }
}
