extension Document {
    /// Draws the visible rows from row `scroll` on, with marks at the right edge if there are more rows.
    package func draw(in area: Rect, scroll: Int = 0, surface: Surface = .screen, into buffer: inout ScreenBuffer) {
        let rows = rows(columns: area.columns)
        let top = min(max(0, scroll), max(0, rows.count - area.rows))
        for (offset, row) in rows.dropFirst(top).prefix(area.rows).enumerated() {
            row.draw(at: Point(column: area.left, row: area.top + offset), clip: area, surface: surface, into: &buffer)
        }
        if top > 0 { Self.mark(buffer.glyphs.more.up, row: area.top, of: area, in: &buffer) }
        if top + area.rows < rows.count { Self.mark(buffer.glyphs.more.down, row: area.bottom - 1, of: area, in: &buffer) }
    }

    /// Draws a mark for more rows; never over a character, which may belong to a URL that the user copies.
    private static func mark(_ sign: String, row: Int, of area: Rect, in buffer: inout ScreenBuffer) {
        let point = Point(column: area.right - 1, row: row)
        guard buffer.cell(at: point)?.text == " " else { return }
        buffer.write(sign, at: point, style: Style(.muted), clip: area)
    }
}

extension Document.Row {
    func draw(at origin: Point, clip: Rect, surface: Surface, into buffer: inout ScreenBuffer) {
        if let target { buffer.mark(Rect(column: clip.left, row: origin.row, columns: clip.columns, rows: 1), as: target) }
        for run in runs {
            // Text with a surface of its own keeps it.
            let style = run.style.surface == .screen ? run.style.on(surface) : run.style
            buffer.write(run.glyphs, at: Point(column: origin.column + run.column, row: origin.row), style: style, clip: clip)
        }
        if let figure {
            let rect = Rect(column: origin.column + figure.column, row: origin.row, columns: figure.columns, rows: 1).intersection(clip)
            switch figure.content {
            case .bar(var bar):
                bar.style = bar.style.on(surface)
                buffer.draw(bar, in: rect)
            case .field(let field, let isFocused): buffer.draw(MaskedField(field, isFocused: isFocused), in: rect)
            case .input(.text(let content, let placeholder), let isFocused):
                buffer.draw(TextField(content, placeholder: placeholder, isFocused: isFocused), in: rect)
            case .input(.secret(let content), let isFocused): buffer.draw(MaskedField(content, isFocused: isFocused), in: rect)
            case .input(.choice(let text, let hasOthers), let isFocused):
                buffer.draw(ChoiceField(text: text, hasOthers: hasOthers, isFocused: isFocused), in: rect)
            }
        }
    }
}
