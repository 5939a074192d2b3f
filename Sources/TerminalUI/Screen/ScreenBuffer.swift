/// The grid of cells that screens draw into.
///
/// Every write is clipped: points outside the grid and grids of 1×1 or without cells are valid. Every text passes through ``SafeText``. A
/// wide glyph takes two cells. It is not drawn if only one is left, and overwriting one half clears the other.
public struct ScreenBuffer: Equatable, Sendable {
    /// The size of the grid.
    public let size: Size
    /// The terminal's glyphs for lines and bars.
    public let glyphs: GlyphSet
    /// The position of the terminal's cursor; nil hides it.
    public var cursor: Point?
    private(set) var cells: [Cell]
    /// Whether the buffer records mouse targets. A buffer that is only displayed does not.
    public let recordsTargets: Bool
    /// The recorded mouse targets; later ones lie above earlier ones.
    public internal(set) var targets: [ScreenTarget] = []

    /// Creates a grid of empty cells.
    public init(size: Size, glyphs: GlyphSet = .unicode, style: Style = .plain, recordsTargets: Bool = false) {
        self.size = size
        self.glyphs = glyphs
        self.recordsTargets = recordsTargets
        cells = Array(repeating: .blank(style), count: size.columns * size.rows)
    }

    /// The whole grid.
    public var bounds: Rect { Rect(size) }

    /// Returns the cell at `point`; nil outside the grid.
    public func cell(at point: Point) -> Cell? {
        index(point).map { cells[$0] }
    }

    /// Returns the cells of a row; empty if there is no such row.
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

    /// Changes the style of cells, and keeps their text.
    public mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
        let rect = rect.intersection(bounds)
        for row in rect.top..<rect.bottom {
            for column in rect.left..<rect.right { change(&cells[row * size.columns + column].style) }
        }
    }

    private func index(_ point: Point) -> Int? {
        bounds.contains(point) ? point.row * size.columns + point.column : nil
    }

    /// Clears both halves of a wide glyph if the cell at `index`, which is about to be overwritten, is one of them.
    private mutating func release(_ index: Int) {
        if cells[index].isContinuation {
            cells[index - 1] = .blank(cells[index - 1].style)
        } else if cells[index].width == 2 {
            cells[index + 1] = .blank(cells[index + 1].style)
        }
        cells[index] = .blank(cells[index].style)
    }
}
