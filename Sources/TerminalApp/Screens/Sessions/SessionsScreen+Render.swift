import AuthModel
import Localization
import TerminalUI

extension SessionsScreen {
    func title(in model: AppModel) -> String { SessionListWords.title }

    func status(in model: AppModel) -> String {
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
        let lines = SessionListRows(self, in: model)
        return SessionsLayout(in: area.splitTop(banner).rest, count: lines.count, hasFilter: hasFilter, model: model)
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if let guest = model.guest { GuestBanner(guest.name, in: model).draw(in: area.splitTop(min(2, area.rows)).top, into: &buffer) }
        let places = layout(in: model, area: area)
        var list = places.list
        if places.place == .beside {
            list = drawBox(in: list, model, into: &buffer)
        } else if !places.top.isEmpty {
            drawTop(in: places.top, model, into: &buffer)
        }
        guard !matches.isEmpty else {
            buffer.write(tr("No session matches \"{1}\". Press Esc to show all.", filter.text), in: list, style: Style(.warning))
            return
        }
        let table = SessionsTable(screen: self, model: model, glyphs: buffer.glyphs, width: list.columns, hasPane: places.place == .beside)
        table.draw(in: list, hasHeader: places.hasHeader(of: list), into: &buffer)
        SessionsSidePanels(screen: self, model: model, isFiltered: hasFilter).draw(places, into: &buffer)
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
            SessionCounts(in: model).draw(in: row, into: &buffer)
        }
    }

    private func drawFilter(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        FilterLine(content: filter, placeholder: PickerWords.typeToFilter, isFocused: isFiltering).draw(in: row, into: &buffer)
        let found = SessionListWords.found(matches.count, of: model.sessions?.count ?? 0)
        buffer.write(found, in: row.inset(left: min(row.columns, 44)), style: Style(.muted), alignment: .right)
    }

    /// Draws the box around the list, with the counts in its first line and the filter below it, and returns the area for the list.
    private func drawBox(in area: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) -> Rect {
        let panel = Panel(SessionListWords.title, surface: .screen, isFocused: pane?.isFocused != true)
        buffer.draw(panel, in: area)
        let title = SafeText.width(of: SessionListWords.title) + 2
        let line = area.row(0).inset(left: 2 + title + 1, right: 2)
        let count = SessionCounts(in: model)
        let width = count.items(buffer.glyphs, columns: line.columns - 2).reduce(0) { $0 + SafeText.width(of: $1.span.text) + 3 } - 3
        if width + 2 <= line.columns {
            let place = line.inset(left: line.columns - width - 2)
            buffer.fill(place, style: .plain)
            count.draw(in: place.inset(columns: 1), into: &buffer)
        }
        drawBottom(in: area.row(area.rows - 1).inset(columns: 2), model, into: &buffer)
        let inside = panel.content(of: area)
        guard hasFilter, inside.rows > 2 else { return inside }
        let (filter, rest) = inside.splitTop(1)
        drawFilter(in: filter, model, into: &buffer)
        return rest
    }

    /// Draws when the selected session renews, with the sign that its bar has at that time, and the place of the selected row.
    private func drawBottom(in row: Rect, _ model: AppModel, into buffer: inout ScreenBuffer) {
        guard !matches.isEmpty else { return }
        let words = tr("{1} of {2}", selected + 1, matches.count)
        let place = TextLine([TextLine.Span(" \(words) ", Style(.muted))])
        guard place.width <= row.columns else { return }
        buffer.draw(place, in: row.inset(left: row.columns - place.width))
        guard let next = selection(in: model)?.nextRenewalAt, next > model.now else { return }
        let renewal = TextLine([
            TextLine.Span(" \(buffer.glyphs.barMark) ", Style(.accent)),
            TextLine.Span(SessionListWords.renews(Words.relative(next, to: model.now)) + " ", Style(.muted)),
        ])
        if renewal.width + place.width + 1 <= row.columns { buffer.draw(renewal, in: row) }
    }
}

/// The areas of the sessions screen: the list alone on a small terminal; with the details of the selected session below it where there is
/// space, or at its right on a wide one; and with a graph over the whole width and the activity on a high one.
struct SessionsLayout: Equatable {
    /// A place for the details of the selected session.
    enum PanePlace: Equatable {
        /// At the right of the list.
        case beside
        /// Below the list.
        case below
    }

    /// The place of the details; nil if there is no space for them.
    let place: PanePlace?
    /// The line with the counts or the filter; empty where the box around the list has them, or the list needs the row.
    var top = Rect(Size.zero)
    /// The list, with its box if there are details beside it.
    var list: Rect
    var graph = Rect(Size.zero)
    var activity = Rect(Size.zero)
    /// The details of the selected session.
    var pane = Rect(Size.zero)

    /// The minimum size of the body for the details beside the list.
    private static let paneSize = Size(columns: 100, rows: 10)
    /// The minimum size of the details below the list.
    private static let lowPaneSize = Size(columns: 70, rows: 9)
    /// The rows of the details below the list if other panels follow: of the overview alone, and with whole values and the programs.
    private static let lowPaneRows = 13
    private static let wholePaneRows = 19
    /// The number of columns of the details that has space for the usual scopes; the list gets more than half of what is left.
    private static let paneColumns = 56
    /// The minimum number of columns for the list beside the details.
    private static let minimumList = 54
    /// The minimum number of rows for the panels below a list without details.
    private static let minimumRows = 22
    /// The minimum number of rows of a wide body for the graph, of the graph with its box and axis, and of the details below the graph.
    private static let graphBody = 24
    private static let graphRows = 6
    /// A higher graph says nothing more.
    private static let mostGraphRows = 12
    private static let rowsBelowGraph = 18
    private static let minimumActivityRows = 5

    /// Returns where the details of the selected session are; nil if there is no space for them. A filter does not change that.
    static func panePlace(_ model: AppModel) -> PanePlace? {
        guard !model.isPlain, model.hasSessions, let count = model.sessions?.count else { return nil }
        let body = Frame.bodySize(model.size)
        if body.columns >= paneSize.columns && body.rows >= paneSize.rows { return .beside }
        let banner = model.guest == nil ? 0 : 2
        let titles = SessionListRows.titles(in: model.overview)
        let room = body.rows - banner - topRows - count - titles - 1
        return body.columns >= lowPaneSize.columns && room >= lowPaneSize.rows ? .below : nil
    }

    /// The rows of the counts above a list without a box, and of the space below them.
    private static let topRows = 2
    /// The rows of a body that is low: the header has the most important counts, and a longer list takes their rows.
    private static let lowRows = 8..<18

    /// - Parameters:
    ///   - count: the number of lines of the list.
    ///   - hasFilter: whether the filter takes a row.
    init(in area: Rect, count: Int, hasFilter: Bool, model: AppModel) {
        place = Self.panePlace(model)
        guard place == .beside else {
            let margin = area.columns >= 60 ? 1 : 0
            let needsAll = Self.lowRows.contains(area.rows) && count + 1 + Self.topRows > area.rows
            let hidesTop = needsAll && !hasFilter && !model.isPlain && !SessionsTable.isNarrow(area.columns)
            let top = hidesTop ? 0 : area.rows < Self.lowRows.lowerBound ? 1 : Self.topRows
            let rows = area.inset(columns: margin).split(rows: [.cells(top), .rest])
            list = rows[1]
            self.top = rows[0].row(0)
            guard place == nil else {
                addPane(below: count + 1, model, area)
                return
            }
            guard !model.isPlain, list.rows >= Self.minimumRows, list.columns >= 60 else { return }
            addPanels(below: count + 2, model)
            return
        }
        let spare = area.rows - max(count + 3, Self.rowsBelowGraph)
        let highest = min(area.rows / 4, Self.mostGraphRows)
        let (graph, body) = area.splitTop(area.rows < Self.graphBody ? 0 : min(max(spare, Self.graphRows), highest))
        let left = max(Self.minimumList, min(area.columns * 11 / 20, area.columns - Self.paneColumns))
        let parts = body.split(columns: [.cells(left), .rest])
        list = parts[0]
        pane = parts[1]
        self.graph = graph
        let needed = count + (hasFilter ? 4 : 3)
        guard list.rows - needed >= Self.minimumActivityRows else { return }
        (list, activity) = list.splitTop(needed)
    }

    /// Whether the list has titles of its columns, in the area inside its box.
    func hasHeader(of list: Rect) -> Bool { list.rows > (pane.isEmpty ? 3 : 1) }

    /// Returns the number of lines of the list.
    func listRows(hasFilter: Bool) -> Int {
        let inside = place == .beside ? Panel().content(of: list) : list
        let area = hasFilter && place == .beside && inside.rows > 2 ? inside.splitTop(1).rest : inside
        return area.rows - (hasHeader(of: area) && area.rows > 1 ? 1 : 0)
    }

    /// Puts the details below a list of `needed` rows; on a high terminal between the graph and the activity.
    private mutating func addPane(below needed: Int, _ model: AppModel, _ area: Rect) {
        let (top, below) = list.splitTop(needed)
        list = top
        var rest = Rect(column: area.left, row: below.top, columns: area.columns, rows: below.rows)
        if rest.rows >= Self.graphRows + 1 + Self.lowPaneRows { (graph, rest) = rest.splitTop(Self.graphRows + 1) }
        let heights = [Self.wholePaneRows, Self.lowPaneRows]
        let height = model.activity.isEmpty ? nil : heights.first { rest.rows >= $0 + Self.minimumActivityRows }
        (pane, activity) = rest.splitTop(height ?? rest.rows)
    }

    /// Divides the list's area if the list needs only `needed` rows.
    private mutating func addPanels(below needed: Int, _ model: AppModel) {
        let room = list.rows - needed
        guard room >= Self.minimumActivityRows else { return }
        let (top, rest) = list.splitTop(needed)
        let (first, second) = rest.splitTop(room >= Self.graphRows ? Self.graphRows : 0)
        list = top
        graph = first
        activity = second.rows >= Self.minimumActivityRows && !model.activity.isEmpty ? second : Rect(Size.zero)
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
        let dot = [TextLine.Span(Words.dot(glyphs), Style(.muted))]
        let lines = choices.lazy.map { choice in
            TextLine(Array(choice.compactMap { items[$0] }.map { [$0] }.joined(separator: dot)))
        }
        return lines.first { $0.width <= columns && $0.width > 0 }
    }

    /// The session that ends next; if all renew by themselves, the next renewal.
    private var next: TextLine.Span? {
        if let end = model.overview.nextEnd {
            let isSoon = end.at - model.now < SessionOverview.noticeTime
            let words = tr("{1} ends {2}", end.session.name, Words.relative(end.at, to: model.now))
            return TextLine.Span(words, Style(isSoon ? .warning : .muted))
        }
        // A locked store has no refresh token.
        guard !model.isLocked else { return nil }
        return model.overview.nextRenewal.map { renewal in
            TextLine.Span(tr("{1} renews {2}", renewal.session.name, Words.relative(renewal.at, to: model.now)), Style(.muted))
        }
    }

    private var lastUse: TextLine.Span? {
        model.overview.lastUse.map { use in
            let program = use.session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? SessionWords.aProgram
            return TextLine.Span(tr("{1} used {2} {3}", program, use.session.name, Words.relative(use.at, to: model.now)), Style(.muted))
        }
    }

    /// The newest failure of the last day, unless its session has new tokens since.
    private var lastFailure: TextLine.Span? {
        let kinds: [Activity.Kind] = [.renewalFailed, .signInFailed, .tokenRefused]
        let entry = model.activity.last { entry in
            guard kinds.contains(entry.kind), !entry.isCancelled else { return false }
            let session = entry.kind == .tokenRefused ? nil : entry.session.flatMap { model.session($0) }
            return session.map { $0.receivedAt <= entry.at } ?? true
        }
        guard let entry, model.now - entry.at < .seconds(86_400) else { return nil }
        let name = entry.session.map { " \($0)" } ?? ""
        return TextLine.Span(
            "\(glyphs.cross) \(ActivityWords.event(entry))\(name) \(Words.relative(entry.at, to: model.now))", Style(.danger))
    }
}
