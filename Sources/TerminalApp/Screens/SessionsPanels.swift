import AuthModel
import TerminalUI

/// The panels around the list of sessions: the graph, the latest activity, and the programs.
struct SessionsPanels {
    let screen: SessionsScreen
    let model: AppModel

    /// Whether only the sessions that match a filter are listed; the panels are then about these too.
    let isFiltered: Bool

    func draw(_ places: SessionsLayout, into buffer: inout ScreenBuffer) {
        guard !places.graph.isEmpty || !places.activity.isEmpty else { return }
        let graph = SessionsGraph(screen: screen, model: model, isFiltered: isFiltered)
        if !places.graph.isEmpty { graph.draw(in: places.graph, key: key("timeline"), into: &buffer) }
        guard !places.activity.isEmpty else { return }
        let programs = ProgramUse.grouped(graph.activity)
        let room = places.activity
        // Half of a high panel shows who uses the tokens.
        let hasPrograms = room.rows >= Self.programRows && !programs.isEmpty
        let (activity, rest) = room.splitTop(hasPrograms ? room.rows / 2 : room.rows)
        drawActivity(graph.activity, in: activity, into: &buffer)
        if hasPrograms { draw(programs, in: rest, into: &buffer) }
    }

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

    private func drawActivity(_ entries: [Activity], in area: Rect, into buffer: inout ScreenBuffer) {
        let key = key("activity")
        let panel = Panel(ActivityWords.title, key: key?.label ?? "", surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        if let key { buffer.mark(inside, as: .key(key)) }
        guard !entries.isEmpty else {
            buffer.write(ActivityWords.empty, in: inside.row(0), style: Style(.muted))
            return
        }
        let lines = FoldedActivity.newest(entries, limit: inside.rows)
        let kinds = lines.reduce(12) { max($0, SafeText.width(of: ActivityWords.event($1.newest))) }
        let glyphs = buffer.glyphs
        let columns = [
            TableColumn("", minimum: 8, importance: 3), TableColumn("", minimum: kinds, importance: 5),
            TableColumn("", minimum: min(max(18, model.nameColumns), 40), importance: 4),
            TableColumn("", minimum: 16, share: 1, importance: 2),
        ]
        buffer.draw(
            Table(columns: columns, count: lines.count, position: ListPosition(), hasHeader: false, isFocused: false) { index in
                let entry = lines[index].newest
                let times = lines[index].times(glyphs)
                return [
                    .text(Words.clock(entry.at), Style(.muted)), .text(ActivityWords.event(entry), Style(entry.role)),
                    .text(entry.session?.description ?? ""),
                    .spans([TextLine.Span(times, Style(.accent)), TextLine.Span(entry.details, Style(.muted))]),
                ]
            }, in: inside)
    }
}
