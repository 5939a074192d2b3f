import AuthModel
import TerminalUI

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
        guard !inside.isEmpty else { return }
        let glyphs = buffer.glyphs
        let (sign, name) = (TableColumn("", minimum: 1), TableColumn("", minimum: 12, share: 1, importance: 1))
        let (time, left) = (TableColumn("", minimum: 5), TableColumn("", minimum: 10, alignment: .right))
        let columns = hasTimes ? [sign, name, time, left] : [sign, name, left]
        let table = Table(
            columns: columns, count: min(events.count, inside.rows), position: ListPosition(), hasHeader: false, isFocused: false
        ) { index in
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
