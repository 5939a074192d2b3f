import TerminalAppModel
import TerminalUI

/// The frame around every screen: the header, the notice, the keys.
struct Frame {
    /// The titles of the open screens, the visible one last; never empty.
    var titles: [String]
    var status: String
    var notice: Notice?
    var hints: [KeyHint]
    /// The hints for the global keys. They follow where there is space, and the last one always stays.
    var everywhere: [KeyHint]

    /// Returns the body area, where a screen draws, for a terminal of `size`.
    static func body(_ size: Size) -> Rect {
        guard size.rows >= 4 else { return Rect(size) }
        let isLow = size.rows < 14
        return Rect(
            column: 0, row: isLow ? 1 : 2, columns: size.columns, rows: size.rows - (isLow ? 2 : 4))
    }

    static func bodySize(_ size: Size) -> Size { body(size).size }

    /// Draws the frame around the body. With fewer than four rows there is no frame, because the screen's content is more important.
    func draw(into buffer: inout ScreenBuffer) {
        let all = buffer.bounds
        guard all.rows >= 4 else { return }
        drawHeader(in: all.row(0), into: &buffer)
        let footer = all.row(all.rows - 1)
        buffer.fill(footer, style: Style(.muted, on: .footer))
        buffer.draw(Footer(hints + everywhere), in: footer.inset(left: footer.columns >= 60 ? 1 : 0))
        guard let notice else { return }
        // On a low terminal the notice covers the last line of the body.
        let row = all.row(all.rows - 2)
        let style = Style(notice.tone.role, on: .notice)
        buffer.fill(row, style: style)
        buffer.write(notice.text, in: row.inset(columns: row.columns >= 30 ? Document.margin : 0), style: style)
    }

    private func drawHeader(in row: Rect, into buffer: inout ScreenBuffer) {
        let style = Style(.text, on: .header)
        buffer.fill(row, style: style)
        let inner = row.inset(columns: row.columns >= 30 ? 1 : 0)
        let statusWidth = SafeText.width(of: status)
        // The title and the status have priority; as many parent titles as fit are added.
        func width(_ titles: [String]) -> Int { ([Words.program] + titles).reduce(-3) { $0 + SafeText.width(of: $1) + 3 } }
        let hasSpace = !status.isEmpty && width(titles.suffix(1)) + statusWidth + 2 <= inner.columns
        let place = hasSpace ? inner.inset(right: statusWidth + 2) : inner
        let trail = (0..<titles.count).map { Array(titles.dropFirst($0)) }
        let fitting = trail.first { width($0) <= place.columns } ?? Array(titles.suffix(1))
        buffer.draw(Breadcrumbs([Words.program] + fitting), in: place)
        if hasSpace { buffer.write(status, in: inner, style: style.with(.muted), alignment: .right) }
    }
}

extension Notice.Tone {
    var role: Role {
        switch self {
        case .plain: .info
        case .good: .success
        case .warning: .warning
        }
    }
}
