import AuthModel
import Localization
import TerminalUI

/// The details of the selected session beside or below the list, in four parts of which one is visible.
struct SessionDetailsPane: Equatable, Sendable {
    /// A part of the details.
    enum Tab: Int, CaseIterable, Hashable, Sendable {
        case overview, tokens, activity, use

        /// The name of its action in the configuration.
        var action: String {
            switch self {
            case .overview: "tab-overview"
            case .tokens: "tab-tokens"
            case .activity: "tab-activity"
            case .use: "tab-use"
            }
        }
    }

    /// The visible part.
    var tab = Tab.overview
    /// Whether the arrow keys scroll the details instead of moving in the list.
    var isFocused = false
    /// The first visible line.
    var scroll = 0
    /// The session, with its claims once they are read.
    private(set) var session: SessionScreen
    /// The details that were read before. A session that is selected again is drawn with them until they are read again.
    private var readDetails: [SessionName: SessionDetail] = [:]
    private static let readDetailsLimit = 64

    init(_ name: SessionName) { session = SessionScreen(name) }

    /// Shows another session in the same part, and returns the command that reads it.
    mutating func show(_ name: SessionName, in model: AppModel) -> [Command] {
        guard session.name != name else { return [] }
        session = SessionScreen(name)
        if let detail = readDetails[name], !model.isLocked { session.content = .loaded(detail) }
        scroll = 0
        return session.traits(in: model).openingCommands
    }

    mutating func choose(_ tab: Tab) {
        self.tab = tab
        scroll = 0
    }

    mutating func move(_ movement: Movement, in model: AppModel, area: Rect) {
        let inside = content(of: area)
        let parts = parts(in: inside, model, glyphs: .unicode)
        let count = parts.map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
        scroll = movement.from(scroll, count: count, page: max(1, inside.rows))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> [Command] {
        let commands = session.receive(message, in: model).commands
        if model.isLocked || readDetails.count >= Self.readDetailsLimit { readDetails = [:] }
        if case .serviceReported(.sessionsChanged) = message { readDetails = readDetails.filter { model.session($0.key) != nil } }
        if !model.isLocked, case .loaded(let detail) = session.content { readDetails[session.name] = detail }
        return commands
    }

    /// Returns the visible part as documents with their areas: with many rows, the overview has the other parts too; in a wide area, what
    /// needs less width has two columns.
    private func parts(in area: Rect, _ model: AppModel, glyphs: GlyphSet) -> [SessionPage.Part] {
        var page = SessionPage(screen: session, model: model, glyphs: glyphs, isPane: true, columns: area.columns)
        guard tab == .overview else { return page.headed(tab, in: area) }
        let isWide = area.columns >= Self.twoColumns
        if isWide, area.rows < Self.middleRows {
            let columns = area.split(columns: [.share(1), .share(1)], gap: 2)
            page.columns = columns[1].columns
            return zip(columns, page.overviewInColumns()).map { SessionPage.Part(area: $0, document: $1.whole(in: $0.size)) }
        }
        let facts = area.columns >= Self.factColumns && isWide ? factsInColumns(page, area) : factsInRows(page, area)
        guard isWide, let below = facts.last.map({ area.inset(top: $0.area.bottom - area.top) }), below.rows >= Self.leastRowsBelow else {
            return [SessionPage.Part(area: area, document: page.document(of: tab, isHigh: area.rows >= Self.highRows))]
        }
        let rest = below.inset(top: 1)
        page.columns = rest.columns
        if let document = page.highOverviewInOneColumn() { return facts + [SessionPage.Part(area: rest, document: document)] }
        let columns = rest.split(columns: [.share(1), .share(1)], gap: 2)
        page.columns = min(columns[0].columns, columns[1].columns)
        return facts + zip(columns, page.highOverviewInColumns()).map { SessionPage.Part(area: $0, document: $1) }
    }

    /// Returns the sections that every session has below each other.
    private func factsInRows(_ page: SessionPage, _ area: Rect) -> [SessionPage.Part] {
        let facts = page.document(of: tab, isHigh: false)
        return [SessionPage.Part(area: area.splitTop(facts.rows(columns: area.columns).count).top, document: facts)]
    }

    /// Returns the sections that every session has, with the state and the times beside the user, and the usage over the whole width.
    private func factsInColumns(_ page: SessionPage, _ area: Rect) -> [SessionPage.Part] {
        let columns = area.split(columns: [.rest, .cells(Self.timeColumns)], gap: 2)
        var page = page
        page.columns = columns[0].columns
        let facts = page.factsInColumns(timeColumns: Self.timeColumns)
        let high = max(facts.who.rows(columns: columns[0].columns).count, facts.times.rows(columns: columns[1].columns).count)
        let usage = area.inset(top: high + 1).splitTop(facts.usage.rows(columns: area.columns).count).top
        return [
            SessionPage.Part(area: columns[0].splitTop(high).top, document: facts.who),
            SessionPage.Part(area: columns[1].splitTop(high).top, document: facts.times),
            SessionPage.Part(area: usage, document: facts.usage),
        ]
    }

    /// The minimum number of rows for the other parts below the overview.
    static let highRows = 36
    /// The minimum number of rows for all sections of the overview below each other.
    private static let middleRows = 20
    /// The minimum number of rows for two columns below the overview.
    private static let leastRowsBelow = 6
    /// The minimum width for two columns.
    private static let twoColumns = 64
    /// The minimum width for the times beside the identity, and their width.
    private static let factColumns = 84
    private static let timeColumns = 38

    private func content(of area: Rect) -> Rect {
        let inside = Panel().content(of: area)
        return Tab.titles(inFrameOf: area) != nil ? inside : inside.splitTop(2).rest
    }

    /// Draws the details in a box, with the titles of the parts in its first line or below it. A click on one shows the part.
    ///
    /// - Parameter focusKey: the key that gives the arrows to the details, or back to the list.
    func draw(in area: Rect, _ model: AppModel, focusKey: Key?, into buffer: inout ScreenBuffer) {
        let titles = Tab.titles(inFrameOf: area)
        let room = area.columns - 8 - (titles?.columns ?? 0)
        let title = FittedText(session.title(in: model), columns: room, ellipsis: buffer.glyphs.ellipsis).text
        let panel = Panel(title, surface: .screen, isFocused: isFocused)
        buffer.draw(panel, in: area)
        tab.drawTitles(in: titles ?? panel.content(of: area).row(0).inset(left: -1, right: -1), into: &buffer)
        if let focusKey { drawHint(focusKey, in: area.row(area.rows - 1), into: &buffer) }
        for part in parts(in: content(of: area), model, glyphs: buffer.glyphs) {
            part.document.draw(in: part.area, scroll: scroll, into: &buffer)
        }
    }

    /// Draws the key that gives the arrows to the details, or back to the list.
    private func drawHint(_ key: Key, in row: Rect, into buffer: inout ScreenBuffer) {
        let words = isFocused ? SessionDetailsPaneWords.keyList : SessionDetailsPaneWords.keyDetails
        let line = TextLine([TextLine.Span(" " + key.label(buffer.glyphs), Style(.key)), TextLine.Span(" \(words) ", Style(.muted))])
        let place = row.inset(left: row.columns - line.width - 2, right: 2)
        buffer.draw(line, in: place)
        buffer.mark(place, as: .key(key))
    }
}

extension SessionDetailsPane.Tab {
    var title: String {
        switch self {
        case .overview: SessionDetailsPaneWords.overview
        case .tokens: SessionWords.tokens
        case .activity: ActivityWords.title
        case .use: SessionWords.use
        }
    }

    /// Returns the actions that show the parts, on a screen that has them.
    static func actions<Target>(obstacle: String? = nil, show: @escaping (inout Target, Self) -> Void) -> [ScreenAction<Target>] {
        allCases.map { tab in
            ScreenAction(
                tab.action, [NumberedTitles.key(tab.rawValue)], label: tr("show the details: {1}", tab.title), isHinted: false,
                obstacle: obstacle, change: { show(&$0, tab) })
        }
    }

    private var titles: NumberedTitles { NumberedTitles(names: Self.allCases.map(\.title), selected: rawValue) }

    /// Returns the place of the titles in the first line of a box; nil if it is too narrow. It depends on the width alone, so that they
    /// stay in their place when another session is selected.
    static func titles(inFrameOf box: Rect) -> Rect? {
        Self.overview.titles.place(inFrameOf: box, beside: nameColumns)
    }

    /// The columns for the session's name in the first line, with the lines around it.
    private static let nameColumns = 24

    /// Draws the titles of all parts, of which this is the visible one. A click on one shows its part. In a narrow row, the others have
    /// their keys alone.
    func drawTitles(in row: Rect, on surface: Surface = .screen, into buffer: inout ScreenBuffer) {
        titles.draw(in: row, on: surface, into: &buffer)
    }
}

/// The texts of the details beside the list of sessions.
package enum SessionDetailsPaneWords {
    package static var overview: String { tr("Overview") }

    package static var keyDetails: String { tr("details") }
    package static var keyList: String { tr("list") }
    package static var needsLargerTerminal: String { tr("the terminal is too small for the details; Enter opens the session") }

    package static var noActivity: String { tr("Nothing has happened since the activity log began.") }
    package static var programs: String { tr("Programs") }
    package static var lastDay: String { tr("last 24 h") }
}
