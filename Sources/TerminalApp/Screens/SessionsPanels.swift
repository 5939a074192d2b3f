import AuthModel
import TerminalUI

/// The panels below the list of sessions: a timeline of the sessions, how many tokens are issued, the latest activity, and the programs.
struct SessionsPanels {
    let screen: SessionsScreen
    let model: AppModel

    func draw(_ places: SessionsLayout, into buffer: inout ScreenBuffer) {
        if !places.timeline.isEmpty { drawTimeline(in: places.timeline, into: &buffer) }
        guard !places.activity.isEmpty else { return }
        let programs = ProgramUse.grouped(model.activity)
        let hasChart = places.activity.rows >= Self.chartRows && places.place == .beside
        let (chart, room) = places.activity.splitTop(hasChart ? min(Self.highestChart, places.activity.rows / 3) : 0)
        if hasChart { UsesPanel(model: model, programs: programs.count).draw(in: chart, into: &buffer) }
        // Half of a high panel shows who uses the tokens.
        let hasPrograms = room.rows >= Self.programRows && !programs.isEmpty
        let (activity, rest) = room.splitTop(hasPrograms ? room.rows / 2 : room.rows)
        drawActivity(in: activity, into: &buffer)
        if hasPrograms { draw(programs, in: rest, into: &buffer) }
    }

    /// The minimum number of rows for a chart above the activity, and the maximum number of rows of the chart.
    private static let chartRows = 21
    private static let highestChart = 12
    /// The minimum number of rows for the programs below the activity.
    private static let programRows = 14

    private func draw(_ programs: [ProgramUse], in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(SessionPaneWords.programs, surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        let columns = [
            TableColumn("", minimum: 14, share: 1, importance: 5), TableColumn("", minimum: ProgramUse.recentHours, importance: 3),
            TableColumn("", minimum: 6, alignment: .right, importance: 4), TableColumn("", minimum: 12, importance: 2),
        ]
        let glyphs = buffer.glyphs
        buffer.draw(
            Table(
                columns: columns, count: min(programs.count, inside.rows), position: ListPosition(), hasHeader: false, isFocused: false
            ) { index in
                let use = programs[index]
                return [
                    .text(use.program.name), .spans(Sparkline(use.hourly(until: model.now), style: Style(.info)).spans(glyphs)),
                    .text("×\(use.issued.count)", Style(.muted)), .text(Words.relative(use.last, to: model.now), Style(.muted)),
                ]
            }, in: inside)
    }

    /// The key that opens the screen of a panel.
    private func key(_ action: String) -> Key? {
        screen.keys(in: model).bindings.first { $0.action == action }?.keys.first
    }

    private func drawTimeline(in area: Rect, into buffer: inout ScreenBuffer) {
        guard let sessions = model.sessions else { return }
        let panel = Panel(TimelineWords.title, key: key("timeline")?.label ?? "", surface: .screen)
        buffer.draw(panel, in: area)
        let parts = panel.content(of: area).split(rows: [.cells(1), .rest, .cells(1)])
        let names = TimelinePicture.nameColumns(in: parts[0].columns, model)
        let zoom = TimelineScreen.zoom(
            for: screen.matches.lazy.compactMap { sessions.indices.contains($0) ? sessions[$0] : nil }, now: model.now)
        let axis = TimeAxis(now: model.now, span: TimelineScreen.spans[zoom], columns: parts[0].columns - names)
        let picture = TimelinePicture(model: model, axis: axis, names: names, glyphs: buffer.glyphs)
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
        let key = key("activity")
        let panel = Panel(ActivityWords.title, key: key?.label ?? "", surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        if let key { buffer.mark(inside, as: .key(key)) }
        guard !model.activity.isEmpty else {
            buffer.write(ActivityWords.empty, in: inside.row(0), style: Style(.muted))
            return
        }
        let newest = Array(model.activity.suffix(inside.rows).reversed())
        let kinds = newest.reduce(12) { max($0, SafeText.width(of: ActivityWords.event($1))) }
        let columns = [
            TableColumn("", minimum: 8, importance: 3), TableColumn("", minimum: kinds, importance: 5),
            TableColumn("", minimum: min(max(18, model.nameColumns), 40), importance: 4),
            TableColumn("", minimum: 16, share: 1, importance: 2),
        ]
        buffer.draw(
            Table(columns: columns, count: newest.count, position: ListPosition(), hasHeader: false, isFocused: false) { index in
                let entry = newest[index]
                return [
                    .text(Words.clock(entry.at), Style(.muted)), .text(ActivityWords.event(entry), Style(entry.role)),
                    .text(entry.session?.description ?? ""), .text(entry.details, Style(.muted)),
                ]
            }, in: inside)
    }
}
