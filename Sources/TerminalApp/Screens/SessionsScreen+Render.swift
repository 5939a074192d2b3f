import AuthModel
import Localization
import TerminalUI

extension SessionsScreen {
    func title(in model: AppModel) -> String { SessionsWords.title }

    func status(in model: AppModel) -> String {
        if model.isLocked { return LockWords.isLocked }
        // A narrow list shows only a glyph for the state, so the state's name is here.
        guard SessionsTable.isNarrow(model.size.columns), let session = selection(in: model) else { return "" }
        return Words.state(model.state(of: session))
    }

    func strip(in model: AppModel, columns: Int, glyphs: GlyphSet) -> TextLine? {
        SessionsStrip(model: model, glyphs: glyphs).line(columns: columns)
    }

    /// Returns the areas of the list and what is around it.
    func layout(in model: AppModel, area: Rect) -> SessionsLayout {
        let banner = model.guest == nil ? 0 : min(2, area.rows)
        return SessionsLayout(in: area.splitTop(banner).rest, count: matches.count, hasFilter: hasFilter, model: model)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if let guest = model.guest { GuestBanner(guest.name, in: model).draw(in: area.splitTop(min(2, area.rows)).top, into: &buffer) }
        let places = layout(in: model, area: area)
        var list = places.list
        if places.place == .beside {
            list = drawBox(in: list, model, into: &buffer)
        } else {
            drawTop(in: places.top, model, into: &buffer)
        }
        guard !matches.isEmpty else {
            buffer.write(SessionsWords.noMatches(filter.text), in: list, style: Style(.warning))
            return
        }
        let table = SessionsTable(screen: self, model: model, glyphs: buffer.glyphs, width: list.columns, hasPane: places.place == .beside)
        table.draw(in: list, hasHeader: list.rows > (places.pane.isEmpty ? 3 : 1), into: &buffer)
        SessionsPanels(screen: self, model: model).draw(places, into: &buffer)
        guard !places.pane.isEmpty, let pane else { return }
        let key = keys(in: model).bindings.first { $0.action == (pane.isFocused ? "leave-pane" : "focus-pane") }?.keys.last
        pane.draw(in: places.pane, model, focusKey: key, into: &buffer)
    }

    private var hasFilter: Bool { isFiltering || !filter.isEmpty }

    /// Draws the counts, or the filter if there is one.
    private func drawTop(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        if hasFilter {
            drawFilter(in: row, model, into: &buffer)
        } else {
            SessionCount(in: model).draw(in: row, into: &buffer)
        }
    }

    private func drawFilter(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter, isFocused: isFiltering).draw(in: row, into: &buffer)
        let found = SessionsWords.found(matches.count, of: model.sessions?.count ?? 0)
        buffer.write(found, in: row.inset(left: min(row.columns, 44)), style: Style(.muted), alignment: .right)
    }

    /// Draws the box around the list, with the counts in its first line and the filter below it, and returns the area for the list.
    private func drawBox(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) -> Rect {
        let panel = Panel(SessionsWords.title, surface: .screen, isFocused: pane?.isFocused != true)
        buffer.draw(panel, in: area)
        let title = SafeText.width(of: SessionsWords.title) + 2
        let line = area.row(0).inset(left: 2 + title + 1, right: 2)
        let count = SessionCount(in: model)
        let width = count.items(buffer.glyphs, columns: line.columns - 2).reduce(0) { $0 + SafeText.width(of: $1.span.text) + 3 } - 3
        if width + 2 <= line.columns {
            let place = line.inset(left: line.columns - width - 2)
            buffer.fill(place, style: .plain)
            count.draw(in: place.inset(columns: 1), into: &buffer)
        }
        let inside = panel.content(of: area)
        guard hasFilter, inside.rows > 2 else { return inside }
        let (filter, rest) = inside.splitTop(1)
        drawFilter(in: filter, model, into: &buffer)
        return rest
    }
}

/// The areas of the sessions screen: the list alone on a small terminal; with the details of the selected session below it where there is
/// space, or at its right on a wide one; and with a timeline and the activity on a high one.
struct SessionsLayout: Equatable {
    /// Where the details of the selected session are.
    enum PanePlace: Equatable {
        /// At the right of the list.
        case beside
        /// Below the list.
        case below
    }

    /// Where the details are; nil if there is no space for them.
    let place: PanePlace?
    /// The line with the counts or the filter; empty where the box around the list has them.
    var top = Rect(Size.zero)
    /// The list, with its box if there are details beside it.
    var list: Rect
    var timeline = Rect(Size.zero)
    var activity = Rect(Size.zero)
    /// The details of the selected session.
    var pane = Rect(Size.zero)

    /// The minimum size of the body for the details beside the list.
    private static let paneSize = Size(columns: 100, rows: 10)
    /// The minimum size of the details below the list.
    private static let lowPaneSize = Size(columns: 70, rows: 9)
    /// The rows of the details below the list if other panels follow.
    private static let lowPaneRows = 13
    /// The minimum number of columns for the list beside the details.
    private static let minimumList = 54
    /// The minimum number of rows for the panels below a list without details.
    private static let minimumRows = 22
    /// The rows of the frame, the time axis and the legend; and the maximum number of sessions in the timeline.
    private static let timelineFrame = 4
    private static let most = 12
    private static let minimumActivityRows = 5

    /// Returns where the details of the selected session are; nil if there is no space for them. A filter does not change that.
    static func panePlace(_ model: AppModel) -> PanePlace? {
        guard !model.isPlain, model.hasSessions, let count = model.sessions?.count else { return nil }
        let body = Frame.bodySize(model.size)
        if body.columns >= paneSize.columns && body.rows >= paneSize.rows { return .beside }
        let banner = model.guest == nil ? 0 : 2
        let room = body.rows - banner - topRows - count - 1
        return body.columns >= lowPaneSize.columns && room >= lowPaneSize.rows ? .below : nil
    }

    /// The rows of the counts above a list without a box, and of the space below them.
    private static let topRows = 2

    /// - Parameters:
    ///   - count: the number of rows of the list.
    ///   - hasFilter: whether the filter takes a row.
    init(in area: Rect, count: Int, hasFilter: Bool, model: AppModel) {
        place = Self.panePlace(model)
        guard place == .beside else {
            let margin = area.columns >= 60 ? 1 : 0
            let rows = area.inset(columns: margin).split(rows: [.cells(area.rows < 8 ? 1 : Self.topRows), .rest])
            list = rows[1]
            top = rows[0].row(0)
            guard place == nil else {
                addPane(below: count + 1, count, model, area)
                return
            }
            guard !model.isPlain, list.rows >= Self.minimumRows, list.columns >= 60 else { return }
            addPanels(below: count + 2, count, model)
            return
        }
        let left = max(Self.minimumList, area.columns * 11 / 20)
        let parts = area.split(columns: [.cells(left), .rest])
        list = parts[0]
        pane = parts[1]
        addPanels(below: count + (hasFilter ? 4 : 3), count, model)
        // The box around the last panel reaches down to the keys, as the one around the details does.
        if !activity.isEmpty {
            activity = Self.extended(activity, to: area.bottom)
        } else if !timeline.isEmpty {
            timeline = Self.extended(timeline, to: area.bottom)
        } else {
            list = Self.extended(list, to: area.bottom)
        }
    }

    /// Puts the details below a list of `needed` rows; on a high terminal between a timeline and the activity.
    private mutating func addPane(below needed: Int, _ count: Int, _ model: AppModel, _ area: Rect) {
        let (top, below) = list.splitTop(needed)
        list = top
        var rest = Rect(column: area.left, row: below.top, columns: area.columns, rows: below.rows)
        let rows = min(count, Self.most) + Self.timelineFrame
        if rest.rows >= rows + Self.lowPaneRows { (timeline, rest) = rest.splitTop(rows) }
        let hasActivity = rest.rows >= Self.lowPaneRows + Self.minimumActivityRows && !model.activity.isEmpty
        (pane, activity) = rest.splitTop(hasActivity ? Self.lowPaneRows : rest.rows)
    }

    /// Divides the list's area if the list needs only `needed` rows.
    private mutating func addPanels(below needed: Int, _ count: Int, _ model: AppModel) {
        let room = list.rows - needed
        guard room >= Self.minimumActivityRows else { return }
        let (top, rest) = list.splitTop(needed)
        let rows = min(count, Self.most) + Self.timelineFrame
        let (first, second) = rest.splitTop(rows <= room ? rows : 0)
        let lines = min(max(1, model.activity.count), second.rows - 2)
        let hasActivity = pane.isEmpty ? !model.activity.isEmpty && lines + 2 >= Self.minimumActivityRows : second.rows >= 4
        list = top
        timeline = first
        activity = second.splitTop(hasActivity ? lines + 2 : 0).top
    }

    private static func extended(_ rect: Rect, to bottom: Int) -> Rect {
        Rect(column: rect.left, row: rect.top, columns: rect.columns, rows: bottom - rect.top)
    }
}

/// The line below the list of sessions: what happens next, the last use of a token, and the last failure.
struct SessionsStrip {
    let model: AppModel
    let glyphs: GlyphSet

    /// Returns the items that fit; a failure goes before the last use, and the next event stays.
    func line(columns: Int) -> TextLine? {
        let items = [next, lastUse, lastFailure]
        let choices = [[0, 1, 2], [0, 2], [2], [0, 1], [0], [1]]
        let lines = choices.lazy.map { choice in joined(choice.compactMap { items[$0] }) }
        return lines.first { $0.width <= columns && $0.width > 0 }
    }

    /// The session that ends next; if all renew by themselves, the next renewal.
    private var next: TextLine.Span? {
        if let end = model.overview.nextEnd {
            let isSoon = end.at - model.now < SessionOverview.noticeTime
            return TextLine.Span(
                PresenceWords.nextEnd(end.session.name, Words.relative(end.at, to: model.now)), Style(isSoon ? .warning : .muted))
        }
        return model.overview.nextRenewal.map { renewal in
            TextLine.Span(PresenceWords.nextRenewal(renewal.session.name, Words.relative(renewal.at, to: model.now)), Style(.muted))
        }
    }

    private var lastUse: TextLine.Span? {
        model.overview.lastUse.map { use in
            let program = use.session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? SessionWords.aProgram
            return TextLine.Span(PresenceWords.lastUse(program, use.session.name, Words.relative(use.at, to: model.now)), Style(.muted))
        }
    }

    /// The newest failure of the last day.
    private var lastFailure: TextLine.Span? {
        let kinds: [Activity.Kind] = [.renewalFailed, .signInFailed, .tokenRefused]
        let entry = model.activity.last { kinds.contains($0.kind) && !$0.isCancelled }
        guard let entry, model.now - entry.at < .seconds(86_400) else { return nil }
        let name = entry.session.map { " \($0)" } ?? ""
        return TextLine.Span(
            "\(glyphs.cross) \(ActivityWords.event(entry))\(name) \(Words.relative(entry.at, to: model.now))", Style(.danger))
    }

    private func joined(_ items: [TextLine.Span]) -> TextLine {
        TextLine(items.enumerated().flatMap { $0 == 0 ? [$1] : [TextLine.Span(Words.dot(glyphs), Style(.muted)), $1] })
    }
}

/// The panel with the tokens that all programs together got in the last 24 hours, as a chart over time.
struct UsesPanel {
    let model: AppModel
    /// The number of programs that the activity names.
    let programs: Int

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(SessionPaneWords.allUses, surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        guard inside.rows >= 2 else { return }
        let (chart, axis) = inside.inset(left: Self.labels).splitTop(inside.rows - 1)
        // Half hours where each has a cell and a gap, otherwise hours.
        let parts = chart.columns >= 4 * ProgramUse.recentHours ? 2 * ProgramUse.recentHours : ProgramUse.recentHours
        let values = UseHistory.total(model.activity, now: model.now, parts: parts)
        let picture = ColumnChart(values, style: Style(.info))
        buffer.draw(picture, in: chart)
        drawAxis(in: axis, columns: picture.width(in: chart.columns) * parts, into: &buffer)
        let sum = values.reduce(0, +)
        guard sum > 0 else {
            buffer.write(SessionPaneWords.noUses, in: chart.row(0), style: Style(.muted))
            return
        }
        let scale = Rect(column: inside.left, row: inside.top, columns: Self.labels - 1, rows: chart.rows)
        buffer.write("\(picture.top)", in: scale.row(0), style: Style(.muted), alignment: .right)
        buffer.write("0", in: scale.row(scale.rows - 1), style: Style(.muted), alignment: .right)
        drawSum(sum, in: area.row(0), into: &buffer)
    }

    /// The width of the numbers at the left, with a space after them.
    private static let labels = 5

    /// Draws the times below the chart.
    private func drawAxis(in row: Rect, columns: Int, into buffer: inout ScreenBuffer) {
        let axis = TimeAxis(from: model.now - UseHistory.span, span: UseHistory.span, columns: columns)
        for moment in axis.marks(every: 12) {
            guard let column = axis.column(of: moment) else { continue }
            let text = Words.hourAndMinute(moment)
            let place = Rect(column: row.left + column, row: row.top, columns: SafeText.width(of: text), rows: 1)
            if place.right <= row.left + columns { buffer.write(text, in: place, style: Style(.muted)) }
        }
    }

    /// Draws the number of tokens and programs into the frame.
    private func drawSum(_ sum: Int, in row: Rect, into buffer: inout ScreenBuffer) {
        let users = programs > 0 ? " · " + SessionPaneWords.programs(programs) : ""
        let line = TextLine([TextLine.Span(" \(SessionPaneWords.uses(sum))\(users) ", Style(.muted))])
        guard line.width + SafeText.width(of: SessionPaneWords.allUses) + 8 <= row.columns else { return }
        buffer.draw(line, in: row.inset(left: row.columns - line.width - 2, right: 2))
    }
}
