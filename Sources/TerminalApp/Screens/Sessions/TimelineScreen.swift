import AuthModel
import Localization
import TerminalUI

/// All sessions on a time axis.
struct TimelineScreen: ListScreen {
    /// The indices of the rows' sessions in the model: what needs action first, as in the list, then by the end.
    private(set) var rows: [Int] = []
    /// The index of the selected row.
    var selected = 0
    /// The session on the selected row: it stays selected when others move.
    private var selectedName: SessionName?
    /// The overview by which the list was last sorted.
    private var sorted = SessionOverview()
    /// The visible time span, as an index into ``spans``.
    var zoom = 1

    /// The selectable time spans; a quarter of each is past.
    static let spans: [Duration] = [.seconds(20 * 60), .seconds(2 * 3600), .seconds(8 * 3600), .seconds(2 * 86_400), .seconds(14 * 86_400)]

    init(marked: SessionName?, in model: AppModel) {
        selectedName = marked
        zoom = Self.zoom(for: model.sessions ?? [], now: model.now)
        sort(in: model)
    }

    private mutating func sort(in model: AppModel) {
        let sessions = model.sessions ?? []
        let all = Array(sessions.indices)
        let urgent = SessionOrder.attention.sorted(all, isGrouped: false, in: model).prefix { model.state(of: sessions[$0]).needsAction }
        let others = SessionOrder.timeLeft.sorted(all, isGrouped: false, in: model).filter { !model.state(of: sessions[$0]).needsAction }
        rows = urgent + others
        sorted = model.overview
        let place = selectedName.flatMap { name in rows.firstIndex { sessions[$0].name == name } }
        select(place ?? selected, in: model)
    }

    private mutating func select(_ row: Int, in model: AppModel) {
        selected = min(max(0, row), max(0, rows.count - 1))
        selectedName = selection(in: model)?.name
    }

    mutating func select(_ element: ScreenElement, in model: AppModel) -> ScreenResult {
        if case .row(let row) = element { select(row, in: model) }
        return .none
    }

    /// Renewals and ends change the order while the screen is open.
    mutating func commandsForShownContent(in model: AppModel) -> [Command] {
        if sorted != model.overview { sort(in: model) }
        return []
    }

    /// Returns the shortest span in which the expiry times of two thirds of the valid access tokens are visible; two hours if there is
    /// none. A few tokens that live much longer than the others do not make their lines too short to read.
    static func zoom(for sessions: some Sequence<SessionSummary>, now: Timestamp) -> Int {
        let left = sessions.compactMap { $0.accessExpiresAt.map { $0 - now } }.filter { $0 > .zero }.sorted()
        guard !left.isEmpty else { return 1 }
        let typical = left[left.count - 1 - left.count / 3]
        return spans.firstIndex { $0 * 3 / 4 >= typical } ?? spans.count - 1
    }

    var span: Duration { Self.spans[min(max(0, zoom), Self.spans.count - 1)] }

    func selection(in model: AppModel) -> SessionSummary? {
        guard let sessions = model.sessions, rows.indices.contains(selected), sessions.indices.contains(rows[selected]) else { return nil }
        return sessions[rows[selected]]
    }

    func actions(in model: AppModel) -> [Action] {
        let session = selection(in: model)
        return [
            Action(
                "open", [.enter], label: SessionListWords.keyOpen, help: SessionListWords.helpOpen,
                obstacle: session == nil ? SessionListWords.nothingMarked : model.lockObstacle,
                result: session.map { .open(.session($0.name)) } ?? .none),
            Action(
                "zoom-in", [.character("+"), .character("=")], label: tr("zoom in"), help: tr("show less time in more detail"),
                obstacle: zoom > 0 ? nil : TimelineWords.closest, change: { $0.zoom -= 1 }),
            Action(
                "zoom-out", [.character("-")], label: tr("zoom out"), help: tr("show more time"),
                obstacle: zoom < Self.spans.count - 1 ? nil : tr("cannot zoom out further"), change: { $0.zoom += 1 }),
            Action("back", [.escape, .left, .character("h")], label: CommonWords.keyBack, result: .back),
        ]
            + Movement.actions(label: CommonWords.keyMove, obstacle: model.hasSessions ? nil : SessionListWords.nothingMarked) {
                $0.select($1.from($0.selected, count: $0.rows.count, page: max(1, model.size.rows - 8)), in: model)
            }
    }

    /// The time axis moves with the clock.
    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(selectedRow: selected, needsTicks: model.hasSessions) }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .loaded, .serviceReported(.sessionsChanged): sort(in: model)
        default: break
        }
        return .none
    }

    static func examples(of session: SessionName, in model: AppModel) -> [TimelineScreen] { [TimelineScreen(marked: nil, in: model)] }

    static func paletteEntries(in model: AppModel) -> [PaletteScreen.Entry] {
        let obstacle = model.hasSessions ? nil : SessionListWords.nothingMarked
        return [
            PaletteScreen.Entry(
                title: TimelineWords.help, verb: PaletteWords.name(of: "timeline", label: TimelineWords.key), label: TimelineWords.key,
                obstacle: obstacle, effect: .open(.timeline(nil)))
        ]
    }

    /// Opens the timeline.
    struct Request: ScreenRequest {
        var marked: SessionName?

        func screen(in context: inout OpeningContext) -> TimelineScreen { TimelineScreen(marked: marked, in: context.model) }
    }

    func title(in model: AppModel) -> String { TimelineWords.title }
    func status(in model: AppModel) -> String {
        TimelineWords.span(Words.roughSpan(span), zone: model.localTime.period(at: model.now).name)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        guard let sessions = model.sessions, !sessions.isEmpty else {
            var page = Document()
            page.words(tr("There are no sessions to show."), .muted)
            return page.draw(in: area, into: &buffer)
        }
        let latest = LatestActivity(entries: model.activity, model: model)
        let (area, bottom) = area.splitBottom(Self.activityRows(of: latest, in: area.size, below: rows.count))
        if !bottom.isEmpty { latest.draw(in: bottom, key: nil, into: &buffer) }
        let hasFrame = area.columns >= Self.framedColumns && area.rows >= Self.framedRows
        let panel = Panel(TimelineWords.title, surface: .screen)
        if hasFrame { buffer.draw(panel, in: area) }
        let whole = hasFrame ? panel.content(of: area) : area.inset(columns: area.columns >= 60 ? 1 : 0)
        let hasLegend = whole.rows >= 8
        let parts = whole.split(rows: [.cells(1), .rest, .cells(hasLegend ? 2 : 0)])
        let visible = ListWindow.visible(count: rows.count, selected: selected, rows: parts[1].rows)
        let hasBar = visible.count < rows.count
        let inner = whole.inset(right: hasBar ? 1 : 0)
        let names = TimelinePicture.nameColumns(in: inner.columns, model)
        let picture = TimelinePicture(
            model: model, axis: TimeAxis(now: model.now, span: span, columns: inner.columns - names), names: names, glyphs: buffer.glyphs)
        picture.drawAxis(in: parts[0].inset(right: hasBar ? 1 : 0), into: &buffer)
        // Lines with space between them are easier to follow to their names.
        let height = 2 * rows.count <= parts[1].rows ? 2 : 1
        let lines = Rect(column: inner.left, row: parts[1].top, columns: inner.columns, rows: visible.count * height - height + 1)
        picture.drawGrid(in: lines, into: &buffer)
        if hasBar {
            let place = parts[1].inset(left: parts[1].columns - 1)
            buffer.draw(ScrollBar(count: rows.count, first: visible.lowerBound), in: place)
        }
        for (offset, row) in visible.enumerated() where sessions.indices.contains(rows[row]) {
            let line = Rect(column: inner.left, row: lines.top + offset * height, columns: inner.columns, rows: 1)
            buffer.mark(line, as: .row(row))
            picture.draw(sessions[rows[row]], isMarked: row == selected, in: line, into: &buffer)
        }
        if hasLegend { picture.drawLegend(in: parts[2].row(1), into: &buffer) }
    }

    /// The minimum size for a box around the timeline.
    private static let framedColumns = 100
    private static let framedRows = 12

    /// Returns the rows for the latest activity below a few sessions on a large terminal, and 0 where the sessions need the rows.
    private static func activityRows(of latest: LatestActivity, in size: Size, below count: Int) -> Int {
        // Two rows for each session, the axis, the legend below an empty row, and the box.
        let spare = size.rows - 2 * count - 5
        guard size.columns >= framedColumns, spare >= 10 else { return 0 }
        let entries = latest.rows(spare).count
        return entries == 0 ? 0 : min(spare, entries + 2, size.rows / 2)
    }
}

extension Destination {
    /// - Parameter marked: the session that is selected first.
    static func timeline(_ marked: SessionName?) -> Destination { Destination(TimelineScreen.Request(marked: marked)) }
}

/// Draws sessions as bars on a time axis.
struct TimelinePicture {
    let model: AppModel
    let axis: TimeAxis
    /// The width of the names.
    let names: Int
    let glyphs: GlyphSet

    /// Returns the width for the longest name, limited so that the time axis keeps enough space.
    static func nameColumns(in columns: Int, _ model: AppModel) -> Int {
        min(max(18, columns * 2 / 5), max(12, model.nameColumns + 5), 48)
    }

    /// The glyphs, each with an ASCII alternative.
    private var past: String { glyphs.barEmpty }
    private var full: String { glyphs.barFilled }
    private var leftHalf: String { glyphs.barHalf ?? full }
    private var rightHalf: String { glyphs == .ascii ? full : "╺" }
    private var renewed: String { glyphs == .ascii ? "r" : "◆" }
    private var due: String { glyphs == .ascii ? "d" : "◇" }
    private var end: String { glyphs == .ascii ? "x" : "✕" }
    private var clock: String { glyphs == .ascii ? "|" : "│" }
    private var onward: String { glyphs == .ascii ? ">" : "▸" }
    /// The lines of the times of the axis.
    private var grid: String { glyphs == .ascii ? ":" : "┊" }
    /// The line of the present through a lifetime.
    private var crossing: String { glyphs == .ascii ? "|" : "┿" }

    /// Draws the word for the present, and the times of the axis beside it.
    func drawAxis(in row: Rect, into buffer: inout ScreenBuffer) {
        let isLong = axis.span >= .seconds(2 * 86_400)
        let word = SafeText.width(of: TimelineWords.now)
        let present = axis.column(of: model.now).map { column in
            let left = row.left + names + max(0, min(column - word / 2, axis.columns - word))
            return Rect(column: left, row: row.top, columns: word, rows: 1)
        }
        if let present { buffer.write(TimelineWords.now, in: present, style: Style(.accent)) }
        var day: String?
        for moment in axis.marks(every: 12) {
            guard let column = axis.column(of: moment) else { continue }
            let date = Words.date(moment)
            // Several marks of one day have their times.
            let text = isLong && date != day ? date : Words.hourAndMinute(moment)
            day = date
            let place = Rect(column: row.left + names + column, row: row.top, columns: SafeText.width(of: text), rows: 1)
            guard place.right <= row.right, present.map({ place.right < $0.left || place.left > $0.right }) ?? true else { continue }
            buffer.write(text, in: place, style: Style(.muted))
        }
    }

    /// Draws the lines of the axis's times and of the present over the rows of the sessions.
    func drawGrid(in area: Rect, into buffer: inout ScreenBuffer) {
        let chart = area.inset(left: names)
        for moment in axis.marks(every: 12) { axis.column(of: moment).map { draw(grid, .barEmpty, $0) } }
        axis.column(of: model.now).map { draw(clock, .border, $0) }
        func draw(_ sign: String, _ role: Role, _ column: Int) {
            buffer.fill(Rect(column: chart.left + column, row: chart.top, columns: 1, rows: chart.rows), with: sign, style: Style(role))
        }
    }

    func draw(_ session: SessionSummary, isMarked: Bool, in row: Rect, into buffer: inout ScreenBuffer) {
        let ground: Surface = isMarked ? .selection : .screen
        buffer.restyle(row) { $0.surface = ground }
        let state = model.state(of: session)
        // The pointer and the glyph are before the name, and a space after it.
        let shown = NameInColumns(session.name, columns: names - 5, glyphs: glyphs)
        let name = TextLine([
            TextLine.Span(isMarked ? glyphs.pointer + " " : "  ", Style(.accent, on: ground)),
            TextLine.Span(Words.glyph(state, glyphs) + " ", Style(Words.role(state), on: ground)),
            TextLine.Span(shown.provider + shown.account, Style(.text, on: ground, attributes: isMarked ? .bold : [])),
        ])
        buffer.draw(name, in: Rect(column: row.left, row: row.top, columns: names - 1, rows: 1))
        let line = Rect(column: row.left + names, row: row.top, columns: row.columns - names, rows: 1)
        func put(_ sign: String, _ column: Int, _ role: Role, _ tone: Tone = .plain) {
            guard column >= 0, column < line.columns else { return }
            let cell = Rect(column: line.left + column, row: line.top, columns: 1, rows: 1)
            buffer.write(sign, in: cell, style: Style(role, on: ground, tone: tone))
        }
        drawLifetime(session, state, put: put)
        for entry in model.activity where entry.session == session.name && entry.kind == .renewed {
            if let column = axis.column(of: entry.at) { put(renewed, column, .info) }
        }
        if let column = axis.column(of: session.receivedAt), session.receivedAt != session.grantedAt { put(renewed, column, .info) }
        if let next = session.nextRenewalAt, let column = axis.column(of: next) { put(due, column, .accent) }
        if let last = session.refreshExpiresAt, let column = axis.column(of: last) { put(end, column, .danger) }
        drawTimeLeft(session, state, in: line, ground, into: &buffer)
    }

    /// Draws the time left, or the state if none is left, one space after everything that the line shows. The lines of the axis stop before
    /// and after it.
    private func drawTimeLeft(
        _ session: SessionSummary, _ state: SessionState, in line: Rect, _ ground: Surface, into buffer: inout ScreenBuffer
    ) {
        let time = TimeLeft(session, in: model)
        let moments: [Timestamp?] = [model.now, session.nextRenewalAt, session.refreshExpiresAt]
        let signs = moments.compactMap { $0.flatMap(axis.column) }
        let last = max(signs.max() ?? 0, lifetime(of: session, state).map { ($0.upperBound - 1) / 2 } ?? 0)
        let text = time.isOver ? Words.state(state) : time.short
        let place = line.inset(left: last + 1)
        let width = SafeText.width(of: text) + 2
        guard !text.isEmpty, width - 1 <= place.columns else { return }
        let style = Style(time.isOver ? time.role : .muted, on: ground)
        buffer.write(width <= place.columns ? " \(text) " : " \(text)", in: place, style: style)
    }

    /// Returns the half columns of the access token's lifetime; nil if none is visible.
    private func lifetime(of session: SessionSummary, _ state: SessionState) -> Range<Int>? {
        guard let expiry = session.accessExpiresAt, state != .revoked else { return nil }
        let first = max(0, axis.half(of: session.receivedAt))
        let last = min(2 * axis.columns, axis.half(of: expiry))
        return last > first ? first..<last : nil
    }

    /// Draws the access token's lifetime: the past part light, the remaining part heavy, and the line of the present through both.
    private func drawLifetime(_ session: SessionSummary, _ state: SessionState, put: (String, Int, Role, Tone) -> Void) {
        guard let expiry = session.accessExpiresAt, let halves = lifetime(of: session, state) else { return }
        let (first, last) = (halves.lowerBound, halves.upperBound)
        let now = axis.half(of: model.now)
        // The remaining part has the colour of the bar in the list.
        let left = TimeLeft(session, in: model).bar?.style ?? Style(.barFilled)
        for column in first / 2...(last - 1) / 2 {
            let halves = (max(first, 2 * column)..<min(last, 2 * column + 2))
            let isPast = 2 * column < now / 2 * 2
            if isPast {
                put(past, column, .barEmpty, .plain)
            } else {
                let sign = halves.count == 2 ? full : halves.lowerBound % 2 == 0 ? leftHalf : rightHalf
                put(sign, column, left.role, left.tone)
            }
        }
        // The lifetime continues beyond the edge.
        if axis.half(of: expiry) > 2 * axis.columns { put(onward, axis.columns - 1, left.role, left.tone) }
        if let column = axis.column(of: model.now), (first / 2...(last - 1) / 2).contains(column) { put(crossing, column, .border, .plain) }
    }

    func drawLegend(in row: Rect, into buffer: inout ScreenBuffer) {
        let signs: [(String, Role, String)] = [
            (full, .barFilled, TimelineWords.lifetime), (renewed, .info, tr("renewed")), (due, .accent, tr("renewal due")),
            (end, .danger, tr("refresh token ends")), (clock, .border, TimelineWords.now),
        ]
        var line = TextLine([])
        for (sign, role, words) in signs {
            let gap = line.spans.isEmpty ? "" : "   "
            let longer = TextLine(line.spans + [TextLine.Span(gap + sign + " ", Style(role)), TextLine.Span(words, Style(.muted))])
            guard longer.width <= row.columns else { continue }
            line = longer
        }
        buffer.draw(line, in: row)
    }
}

/// The texts of the timeline.
package enum TimelineWords {
    package static var title: String { tr("Timeline") }
    package static var key: String { tr("timeline") }
    package static var help: String { tr("all sessions on a time axis") }
    /// - Parameter zone: the time zone of the axis.
    package static func span(_ time: String, zone: String) -> String { tr("{1} shown, {2}", time, zone) }
    package static var now: String { tr("now") }
    package static var closest: String { tr("cannot zoom in further") }
    package static var lifetime: String { Words.token(.access) }
}
