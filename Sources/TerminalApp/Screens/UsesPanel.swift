import AuthModel
import TerminalAppModel
import TerminalUI

/// The panel with the tokens that all programs together got in the last 24 hours, as a chart over time.
struct UsesPanel {
    let model: AppModel
    /// The number of programs that the activity names.
    let programs: Int

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(SessionPaneWords.allUses, surface: .screen)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        guard inside.rows >= 2 else { return }
        let (chart, axis) = inside.inset(left: Self.labels).splitTop(inside.rows - 1)
        // Half hours where each has a cell and a gap, otherwise hours.
        let parts = chart.columns >= 4 * ProgramUse.recentHours ? 2 * ProgramUse.recentHours : ProgramUse.recentHours
        let values = UseHistory.total(model.activity, now: model.now, parts: parts)
        let picture = ColumnChart(values, style: Style(.info))
        buffer.draw(picture, in: chart)
        drawAxis(in: axis, columns: picture.width(in: chart.columns) * parts, into: &buffer)
        let sum = values.reduce(0, +)
        guard sum > 0 else {
            buffer.write(SessionPaneWords.noUses, in: chart.row(0), style: Style(.muted))
            return
        }
        let scale = Rect(column: inside.left, row: inside.top, columns: Self.labels - 1, rows: chart.rows)
        buffer.write("\(picture.top)", in: scale.row(0), style: Style(.muted), alignment: .right)
        buffer.write("0", in: scale.row(scale.rows - 1), style: Style(.muted), alignment: .right)
        drawSum(sum, in: area.row(0), into: &buffer)
    }

    /// The width of the numbers at the left, with a space after them.
    private static let labels = 5

    /// Draws the times below the chart.
    private func drawAxis(in row: Rect, columns: Int, into buffer: inout ScreenBuffer) {
        let axis = TimeAxis(from: model.now - UseHistory.span, span: UseHistory.span, columns: columns)
        for moment in axis.marks(every: 12) {
            guard let column = axis.column(of: moment) else { continue }
            let text = Words.hourAndMinute(moment)
            let place = Rect(column: row.left + column, row: row.top, columns: SafeText.width(of: text), rows: 1)
            if place.right <= row.left + columns { buffer.write(text, in: place, style: Style(.muted)) }
        }
    }

    /// Draws the number of tokens and programs into the frame.
    private func drawSum(_ sum: Int, in row: Rect, into buffer: inout ScreenBuffer) {
        let users = programs > 0 ? " · " + SessionPaneWords.programs(programs) : ""
        let line = TextLine([TextLine.Span(" \(SessionPaneWords.uses(sum))\(users) ", Style(.muted))])
        guard line.width + SafeText.width(of: SessionPaneWords.allUses) + 8 <= row.columns else { return }
        buffer.draw(line, in: row.inset(left: row.columns - line.width - 2, right: 2))
    }
}
