/// A grid of cells that screens are drawn into.
///
/// Every write clips: a place outside of the grid, a grid of 1×1 or without any cell are all fine. Every text passes ``SafeText``.
/// A wide glyph takes two cells; where only one is left it is not drawn, and overwriting one half blanks the other.
public struct ScreenBuffer: Equatable, Sendable {
    public let size: Size
    /// The signs to draw lines and bars with, given by the terminal.
    public let glyphs: GlyphSet
    /// Where the terminal's cursor is shown; nil hides it.
    public var cursor: Point?
    private(set) var cells: [Cell]
    /// Whether it is noted what can be pressed. A buffer that is only shown does without.
    public let recordsTargets: Bool
    public internal(set) var targets: [ScreenTarget] = []

    /// A grid of blank cells.
    public init(size: Size, glyphs: GlyphSet = .unicode, style: Style = .plain, recordsTargets: Bool = false) {
        self.size = size
        self.glyphs = glyphs
        self.recordsTargets = recordsTargets
        cells = Array(repeating: .blank(style), count: size.columns * size.rows)
    }

    /// The whole grid.
    public var bounds: Rect { Rect(size) }

    /// The cell at `point`; nil outside of the grid.
    public func cell(at point: Point) -> Cell? {
        index(point).map { cells[$0] }
    }

    /// The cells of a row; empty when there is no such row.
    public func row(_ row: Int) -> ArraySlice<Cell> {
        guard row >= 0, row < size.rows else { return [] }
        return cells[row * size.columns..<(row + 1) * size.columns]
    }

    /// Writes one glyph.
    public mutating func put(_ glyph: Glyph, at point: Point, style: Style) {
        guard let index = index(point) else { return }
        guard glyph.width == 1 || point.column + 1 < size.columns else { return put(.space, at: point, style: style) }
        release(index)
        cells[index] = Cell(glyph, style: style)
        if glyph.width == 2 {
            release(index + 1)
            cells[index + 1] = .continuation(style)
        }
    }

    /// Changes how a cell looks and keeps what is written in it.
    public mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
        let rect = rect.intersection(bounds)
        for row in rect.top..<rect.bottom {
            for column in rect.left..<rect.right { change(&cells[row * size.columns + column].style) }
        }
    }

    private func index(_ point: Point) -> Int? {
        bounds.contains(point) ? point.row * size.columns + point.column : nil
    }

    /// Blanks the other half of a wide glyph of which the cell at `index` is about to be overwritten.
    private mutating func release(_ index: Int) {
        if cells[index].isContinuation {
            cells[index - 1] = .blank(cells[index - 1].style)
        } else if cells[index].width == 2 {
            cells[index + 1] = .blank(cells[index + 1].style)
        }
        cells[index] = .blank(cells[index].style)
    }
}
