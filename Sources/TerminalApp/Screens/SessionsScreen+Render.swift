import AuthModel
import Localization
import TerminalAppModel
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
        let key = keys(in: model).bindings.first { $0.action == (pane.isFocused ? .leavePane : .focusPane) }?.keys.last
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
