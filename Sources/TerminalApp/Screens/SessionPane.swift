import AuthModel
import TerminalAppModel
import TerminalUI

/// The details of the selected session beside or below the list, in four parts of which one is visible.
struct SessionPane: Equatable, Sendable {
    /// A part of the details.
    enum Tab: Int, CaseIterable, Hashable, Sendable {
        case overview, tokens, activity, use
    }

    /// The visible part.
    var tab = Tab.overview
    /// Whether the arrow keys scroll the details instead of moving in the list.
    var isFocused = false
    /// The first visible line.
    var scroll = 0
    /// The session, with its claims once they are read.
    private(set) var session: SessionScreen

    init(_ name: SessionName) { session = SessionScreen(name) }

    /// Shows another session in the same part, and returns the command that reads it.
    mutating func show(_ name: SessionName) -> [Command] {
        guard session.name != name else { return [] }
        session = SessionScreen(name)
        scroll = 0
        return session.openingCommands
    }

    mutating func choose(_ tab: Tab) {
        self.tab = tab
        scroll = 0
    }

    mutating func move(_ movement: Movement, in model: AppModel, area: Rect) {
        let inside = content(of: area, in: model)
        let parts = parts(in: inside, model, glyphs: .unicode)
        let count = parts.map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
        scroll = movement.from(scroll, count: count, page: max(1, inside.rows))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> [Command] { session.receive(message, in: model).commands }

    /// Returns the visible part as documents with their areas: with many rows, the overview has the other parts too; with few rows in a wide
    /// area, it has two columns.
    private func parts(in area: Rect, _ model: AppModel, glyphs: GlyphSet) -> [SessionPage.Part] {
        let page = SessionPage(screen: session, model: model, glyphs: glyphs)
        guard tab == .overview, area.columns >= Self.twoColumns, area.rows < Self.highRows else {
            return [SessionPage.Part(area: area, document: page.document(of: tab, isHigh: area.rows >= Self.highRows))]
        }
        let columns = area.split(columns: [.share(1), .share(1)], gap: 2)
        return zip(columns, page.overviewInColumns()).map { SessionPage.Part(area: $0, document: $1) }
    }

    private static let highRows = 36
    /// The minimum width for an overview in two columns.
    private static let twoColumns = 64

    /// The titles of the parts, with their keys.
    private var tabs: [(tab: Tab, text: String)] { Tab.allCases.map { ($0, "\($0.rawValue + 1) \($0.title)") } }
    private var tabColumns: Int { tabs.reduce(0) { $0 + SafeText.width(of: $1.text) + 2 } }

    /// Returns whether the box's first line has space for the titles of the parts beside the session's name.
    private func hasTabsInFrame(_ area: Rect, in model: AppModel) -> Bool {
        SafeText.width(of: session.title(in: model)) + 2 + tabColumns + 6 <= area.columns
    }

    private func content(of area: Rect, in model: AppModel) -> Rect {
        let inside = Panel().content(of: area)
        return hasTabsInFrame(area, in: model) ? inside : inside.splitTop(2).rest
    }

    /// Draws the details in a box, with the titles of the parts in its first line or below it. A click on one shows the part.
    ///
    /// - Parameter focusKey: the key that gives the arrows to the details, or back to the list.
    func draw(in area: Rect, _ model: AppModel, focusKey: Key?, into buffer: inout ScreenBuffer) {
        let panel = Panel(session.title(in: model), surface: .screen, isFocused: isFocused)
        buffer.draw(panel, in: area)
        if hasTabsInFrame(area, in: model) {
            let line = area.row(0)
            drawTabs(in: line.inset(left: line.columns - 2 - tabColumns, right: 2), into: &buffer)
        } else {
            drawTabs(in: panel.content(of: area).row(0).inset(left: -1, right: -1), into: &buffer)
        }
        if let focusKey { drawHint(focusKey, in: area.row(area.rows - 1), into: &buffer) }
        let inside = content(of: area, in: model)
        for part in parts(in: inside, model, glyphs: buffer.glyphs) { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
    }

    /// Draws the key that gives the arrows to the details, or back to the list.
    private func drawHint(_ key: Key, in row: Rect, into buffer: inout ScreenBuffer) {
        let words = isFocused ? SessionPaneWords.keyList : SessionPaneWords.keyDetails
        let line = TextLine([TextLine.Span(" " + key.label(buffer.glyphs), Style(.key)), TextLine.Span(" \(words) ", Style(.muted))])
        let place = row.inset(left: row.columns - line.width - 2, right: 2)
        buffer.draw(line, in: place)
        buffer.mark(place, as: .key(key))
    }

    private func drawTabs(in row: Rect, into buffer: inout ScreenBuffer) {
        var column = row.left
        for (tab, text) in tabs {
            let isShown = tab == self.tab
            let place = Rect(column: column, row: row.top, columns: SafeText.width(of: text) + 2, rows: 1).intersection(row)
            let ground: Surface = isShown ? .selection : .screen
            let spans = [
                TextLine.Span(" \(text.prefix(1))", Style(.key, on: ground)),
                TextLine.Span("\(text.dropFirst()) ", Style(isShown ? .title : .muted, on: ground)),
            ]
            buffer.draw(TextLine(spans), in: place)
            buffer.mark(place, as: .key(.character(Character("\(tab.rawValue + 1)"))))
            column = place.right
        }
    }
}

extension SessionPane.Tab {
    var title: String {
        switch self {
        case .overview: SessionPaneWords.overview
        case .tokens: SessionPaneWords.tokens
        case .activity: SessionPaneWords.activity
        case .use: SessionPaneWords.use
        }
    }
}
