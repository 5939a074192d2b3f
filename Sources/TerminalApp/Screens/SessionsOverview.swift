import AuthModel
import TerminalAppModel
import TerminalUI

/// The panels below a short list on a high terminal: a timeline of the sessions, and the latest activity.
struct SessionsOverview {
    let screen: SessionsScreen
    let model: AppModel
    let glyphs: GlyphSet

    /// The areas of the list, the timeline and the activity; the last two are empty if they are not shown.
    struct Places: Equatable {
        var list: Rect
        var timeline = Rect(column: 0, row: 0, columns: 0, rows: 0)
        var activity = Rect(column: 0, row: 0, columns: 0, rows: 0)
    }

    /// The minimum number of rows for the panels.
    private static let minimumRows = 22
    /// The rows of the frame, the time axis and the legend; and the maximum number of sessions in the timeline.
    private static let timelineFrame = 4
    private static let most = 12
    /// The minimum number of rows for the activity.
    private static let minimumActivityRows = 5

    func places(in area: Rect) -> Places {
        let list = 1 + screen.matches.count
        let room = area.rows - list - 1
        guard !model.isPlain, area.rows >= Self.minimumRows, area.columns >= 60, room >= Self.minimumActivityRows else {
            return Places(list: area)
        }
        let (top, rest) = area.splitTop(list + 1)
        let timeline = min(screen.matches.count, Self.most) + Self.timelineFrame
        let (first, second) = rest.splitTop(timeline <= room ? timeline : 0)
        let lines = min(model.activity.count, second.rows - 2)
        let isActivityVisible = lines + 2 >= min(Self.minimumActivityRows, model.activity.count + 2) && lines > 0
        return Places(list: top, timeline: first, activity: second.splitTop(isActivityVisible ? lines + 2 : 0).top)
    }

    func draw(_ places: Places, into buffer: inout ScreenBuffer) {
        if !places.timeline.isEmpty { drawTimeline(in: places.timeline, into: &buffer) }
        if !places.activity.isEmpty { drawActivity(in: places.activity, into: &buffer) }
    }

    private func drawTimeline(in area: Rect, into buffer: inout ScreenBuffer) {
        guard let sessions = model.sessions else { return }
        let panel = Panel(TimelineWords.title, surface: .screen)
        buffer.draw(panel, in: area)
        let parts = panel.content(of: area).split(rows: [.cells(1), .rest, .cells(1)])
        let names = TimelinePicture.nameColumns(in: parts[0].columns, model)
        let zoom = TimelineScreen.zoom(
            for: screen.matches.lazy.compactMap { sessions.indices.contains($0) ? sessions[$0] : nil }, now: model.now)
        let axis = TimeAxis(now: model.now, span: TimelineScreen.spans[zoom], columns: parts[0].columns - names)
        let picture = TimelinePicture(model: model, axis: axis, names: names, glyphs: glyphs)
        picture.drawAxis(in: parts[0], into: &buffer)
        let visible = ListWindow.visible(count: screen.matches.count, selected: screen.selected, rows: parts[1].rows)
        for (row, place) in visible.enumerated() where sessions.indices.contains(screen.matches[place]) {
            let line = parts[1].row(row)
            buffer.mark(line, as: .row(place))
            picture.draw(sessions[screen.matches[place]], isMarked: place == screen.selected, in: line, into: &buffer)
        }
        picture.drawLegend(in: parts[2], into: &buffer)
    }

    private func drawActivity(in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(ActivityWords.title, surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        let key = screen.keys(in: model).bindings.first { $0.action == .activity }?.keys.first
        if let key { buffer.mark(inside, as: .key(key)) }
        let newest = Array(model.activity.suffix(inside.rows).reversed())
        let kinds = newest.reduce(12) { max($0, SafeText.width(of: Words.activity($1.kind))) }
        let columns = [
            TableColumn("", minimum: 8, importance: 3), TableColumn("", minimum: kinds, importance: 5),
            TableColumn("", minimum: min(max(18, model.nameColumns), 40), importance: 4),
            TableColumn("", minimum: 16, share: 1, importance: 2),
        ]
        buffer.draw(
            Table(columns: columns, count: newest.count, position: ListPosition(), hasHeader: false, isFocused: false) { index in
                let entry = newest[index]
                return [
                    .text(Words.clock(entry.at), Style(.muted)), .text(Words.activity(entry.kind), Style(entry.kind.role)),
                    .text(entry.session?.description ?? ""), .text(entry.details, Style(.muted)),
                ]
            }, in: inside)
    }
}
