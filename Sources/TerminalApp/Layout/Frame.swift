import TerminalUI

/// What surrounds every screen: the heading, the notice, the keys.
struct Frame {
    /// The screens that lead here, the one that is shown last; never empty.
    var titles: [String]
    var status: String
    var notice: Notice?
    var hints: [KeyHint]
    /// What the keys that hold everywhere are; they follow where there is room, and the last one stays.
    var everywhere: [KeyHint]

    /// Where a screen draws in a terminal of `size`.
    static func body(_ size: Size) -> Rect {
        guard size.rows >= 4 else { return Rect(size) }
        let isLow = size.rows < 14
        return Rect(
            column: 0, row: isLow ? 1 : 2, columns: size.columns, rows: size.rows - (isLow ? 2 : 4))
    }

    static func bodySize(_ size: Size) -> Size { body(size).size }

    /// Draws the frame around the body. With less than four rows there is none: what a screen says matters more than its name.
    func draw(into buffer: inout ScreenBuffer) {
        let all = buffer.bounds
        guard all.rows >= 4 else { return }
        drawHeader(in: all.row(0), into: &buffer)
        let footer = all.row(all.rows - 1)
        buffer.fill(footer, style: Style(.muted, on: .footer))
        buffer.draw(Footer(hints + everywhere), in: footer.inset(left: footer.columns >= 60 ? 1 : 0))
        guard let notice else { return }
        // On a low terminal the notice takes the last line of the body for as long as it stands.
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
        // The name of the screen and its status are for all; of the way here, what there is room for.
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
