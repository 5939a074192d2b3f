/// The keys that work now, in one line. What does not fit is left out from the end; the last hint stays when `keepsLast` is set.
public struct Footer: Component {
    public var hints: [KeyHint]
    /// Keeps the last hint, such as the one for help, where others have to go.
    public var keepsLast: Bool
    public var surface: Surface

    public init(_ hints: [KeyHint], keepsLast: Bool = true, surface: Surface = .footer) {
        self.hints = hints
        self.keepsLast = keepsLast
        self.surface = surface
    }

    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let line = rect.row(0)
        buffer.fill(line, style: Style(.muted, on: surface))
        let glyphs = buffer.glyphs
        var column = line.left
        for hint in fitting(line.columns, glyphs: glyphs) {
            if column > line.left { column += Footer.gap }
            let keys = hint.keys.map { $0.label(glyphs) }.joined(separator: "/")
            column = buffer.write(keys, at: Point(column: column, row: line.top), style: Style(.key, on: surface), clip: line)
            column += 1
            column = buffer.write(
                hint.label, at: Point(column: column, row: line.top), style: Style(.muted, on: surface), clip: line)
        }
    }

    private static let gap = 2

    private func fitting(_ columns: Int, glyphs: GlyphSet) -> [KeyHint] {
        func width(_ hint: KeyHint) -> Int {
            SafeText.width(of: hint.keys.map { $0.label(glyphs) }.joined(separator: "/")) + 1 + SafeText.width(of: hint.label)
        }
        guard let last = hints.last else { return [] }
        let kept = keepsLast ? [last] : []
        var used = kept.reduce(0) { $0 + width($1) }
        var shown: [KeyHint] = []
        for hint in hints.dropLast(kept.count) {
            let needed = width(hint) + (used > 0 ? Footer.gap : 0)
            guard used + needed <= columns else { break }
            used += needed
            shown.append(hint)
        }
        return shown + kept
    }
}
