import AuthModel
import TerminalUI

/// The panels around the list of sessions: the graph, the latest activity, and the programs.
struct SessionsSidePanels {
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
        // At most half of a high panel shows who uses the tokens.
        let hasPrograms = room.rows >= Self.programRows && !programs.isEmpty
        let (activity, rest) = room.splitTop(room.rows - (hasPrograms ? min(programs.count + 2, room.rows / 2) : 0))
        LatestActivity(entries: graph.activity, model: model).draw(in: activity, key: key("activity"), into: &buffer)
        if hasPrograms { draw(programs, in: rest, into: &buffer) }
    }

    /// The minimum number of rows for the programs below the activity.
    private static let programRows = 14
    /// The minimum width for more about each entry.
    static let wideColumns = 90

    private func draw(_ programs: [ProgramUse], in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(SessionDetailsPaneWords.programs, surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        let names = programs.reduce(0) { max($0, SafeText.width(of: $1.program.name)) }
        let columns = [
            TableColumn("", minimum: min(max(8, names), 24), importance: 5),
            TableColumn("", minimum: UseHistory.parts, importance: 3),
            TableColumn("", minimum: 6, alignment: .right, importance: 4),
            TableColumn("", minimum: 11, alignment: .right, importance: 2),
            TableColumn("", minimum: 16, share: 1, importance: 1),
        ]
        let glyphs = buffer.glyphs
        buffer.draw(
            Table(columns: columns, count: min(programs.count, inside.rows), hasHeader: false) { index in
                let use = programs[index]
                let history = use.recent(until: model.now)
                return [
                    .text(use.program.name), .spans(UseHistory.picture(history, glyphs)),
                    .text("×\(history.reduce(0, +))", Style(.muted)), .text(Words.relative(use.last, to: model.now), Style(.muted)),
                    .text(use.sessions.map(\.description).joined(separator: ", "), Style(.muted)),
                ]
            }, in: inside)
    }

    /// Returns what a panel says of the key that opens its screen.
    ///
    /// - Parameter name: the name of the screen.
    static func hint(_ key: Key?, _ name: String) -> String { key.map { "\($0.label) \(name)" } ?? "" }

    /// The key that opens the screen of a panel.
    private func key(_ action: String) -> Key? {
        screen.keys(in: model).bindings.first { $0.action == action }?.keys.first
    }
}

/// The panel with the latest activity, the newest first.
struct LatestActivity {
    /// The newest last.
    let entries: [Activity]
    let model: AppModel
    /// Whether each line names its session.
    var namesSessions = true

    /// Returns the newest rows, at most so many.
    func rows(_ limit: Int) -> ActivityRows { ActivityRows(FoldedActivity.newest(entries, limit: limit), limit: limit, in: model) }

    /// - Parameter key: the key that opens the activity.
    func draw(in area: Rect, key: Key?, into buffer: inout ScreenBuffer) {
        let panel = Panel(ActivityWords.title, key: key?.label ?? "", surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        if let key { buffer.mark(area, as: .key(key)) }
        guard !entries.isEmpty else {
            buffer.write(ActivityWords.empty, in: inside.row(0), style: Style(.muted))
            return
        }
        let rows = rows(inside.rows)
        let glyphs = buffer.glyphs
        let hasAge = inside.columns >= SessionsSidePanels.wideColumns
        buffer.draw(
            Table(columns: columns(of: rows, hasAge: hasAge, width: inside.columns), count: rows.count, hasHeader: false) { row in
                guard let index = rows.line(at: row) else { return [rows.date(at: row, glyphs, indent: 0, columns: inside.columns)] }
                let line = rows.lines[index]
                let entry = line.newest
                var cells: [Table.Content] = [.text(rows.time(of: line), Style(.muted))]
                if hasAge { cells.append(.text(Words.relative(entry.at, to: model.now), Style(.muted))) }
                cells.append(.spans(rows.event(of: line, glyphs)))
                if namesSessions { cells.append(.text(entry.session?.description ?? "")) }
                return cells + [.text(entry.details, Style(.muted)), .text(line.times(glyphs), Style(.muted))]
            }, in: inside)
    }

    private func columns(of rows: ActivityRows, hasAge: Bool, width: Int) -> [TableColumn] {
        let kinds = rows.markColumns + rows.lines.reduce(12) { max($0, SafeText.width(of: ActivityWords.event($1.newest))) }
        let counts = rows.countColumns
        var columns = [TableColumn("", minimum: rows.timeColumns, alignment: .right, importance: 3)]
        if hasAge { columns.append(TableColumn("", minimum: 11, alignment: .right, importance: 1)) }
        columns.append(TableColumn("", minimum: kinds, importance: 5))
        if namesSessions {
            // The details name the program, so they matter more than a column of names that is wider than the names.
            let count = counts > 0 ? counts + Table.gap : 0
            let room = width - rows.timeColumns - kinds - Self.leastDetails - count - 3 * Table.gap
            columns.append(TableColumn("", minimum: min(max(12, min(18, room), model.nameColumns), 40), importance: 4))
        }
        columns.append(TableColumn("", minimum: Self.leastDetails, share: 1, importance: 2))
        return columns + (counts > 0 ? [TableColumn("", minimum: counts, alignment: .right, importance: 3)] : [])
    }

    private static let leastDetails = 12
}
