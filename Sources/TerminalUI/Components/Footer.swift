/// The keys that work now, in one line. Hints that do not fit are dropped from the end; the one for Esc stays, and the last one if
/// `keepsLast` is set.
public struct Footer: Component {
    /// The key hints, the most important first.
    public var hints: [KeyHint]
    /// Whether to keep the last hint, such as the one for help, when others are dropped.
    public var keepsLast: Bool
    /// The background.
    public var surface: Surface

    /// Creates a footer.
    public init(_ hints: [KeyHint], keepsLast: Bool = true, surface: Surface = .footer) {
        self.hints = hints
        self.keepsLast = keepsLast
        self.surface = surface
    }

    /// Draws the footer in the first row of `rect`, and records a click on a hint as its key.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let line = rect.row(0)
        buffer.fill(line, style: Style(.muted, on: surface))
        let glyphs = buffer.glyphs
        var column = line.left
        for hint in fitting(line.columns, glyphs: glyphs) {
            if column > line.left { column += Footer.gap }
            let start = column
            for (index, key) in hint.keys.enumerated() {
                let text = (index > 0 ? "/" : "") + key.label(glyphs)
                let end = buffer.write(text, at: Point(column: column, row: line.top), style: Style(.key, on: surface), clip: line)
                buffer.mark(Rect(column: column, row: line.top, columns: end - column, rows: 1), as: .key(key))
                column = end
            }
            column = buffer.write(
                hint.label, at: Point(column: column + 1, row: line.top), style: Style(.muted, on: surface), clip: line)
            if hint.keys.count == 1, let key = hint.keys.first {
                buffer.mark(Rect(column: start, row: line.top, columns: column - start, rows: 1), as: .key(key))
            }
        }
    }

    private static let gap = 2

    private func fitting(_ columns: Int, glyphs: GlyphSet) -> [KeyHint] {
        func width(_ hint: KeyHint) -> Int {
            SafeText.width(of: hint.keys.map { $0.label(glyphs) }.joined(separator: "/")) + 1 + SafeText.width(of: hint.label)
        }
        // The way out and the help stay when other keys are dropped.
        let isKept = hints.indices.map { $0 == hints.count - 1 && keepsLast || hints[$0].keys.contains(.escape) }
        func total(_ hints: [KeyHint]) -> Int { hints.reduce(0) { $0 + width($1) } + max(0, hints.count - 1) * Footer.gap }
        var count = isKept.count { !$0 }
        while true {
            var rest = count
            let shown = hints.indices.filter { index in
                if isKept[index] { return true }
                rest -= 1
                return rest >= 0
            }.map { hints[$0] }
            if count == 0 || total(shown) <= columns { return shown }
            count -= 1
        }
    }
}
