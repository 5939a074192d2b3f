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

    /// Makes cells a link, for terminals that show links. It ends where something else is written over it.
    public mutating func link(_ rect: Rect, to address: LinkAddress) {
        let rect = rect.intersection(bounds)
        for row in rect.top..<rect.bottom {
            for column in rect.left..<rect.right { cells[row * size.columns + column].link = address }
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

    /// Writes `text` on one line from `point` on, cut at the edge of `clip` (default: the grid).
    ///
    /// - Returns: the column after the last written cell, or `point.column` if no cell was written.
    @discardableResult
    public mutating func write(_ text: String, at point: Point, style: Style = .plain, clip: Rect? = nil) -> Int {
        let area = (clip ?? bounds).intersection(bounds)
        guard point.row >= area.top, point.row < area.bottom, point.column < area.right else { return point.column }
        // At most one glyph per column is visible, but text left of the edge uses up glyphs too.
        let limit = area.right - min(point.column, area.left) + 1
        return write(SafeText.glyphs(text, limit: limit + SafeText.markLimit), at: point, style: style, clip: clip)
    }

    /// Writes glyphs on one line, like ``write(_:at:style:clip:)``.
    @discardableResult
    public mutating func write(_ glyphs: some Sequence<Glyph>, at point: Point, style: Style = .plain, clip: Rect? = nil) -> Int {
        let area = (clip ?? bounds).intersection(bounds)
        guard point.row >= area.top, point.row < area.bottom else { return point.column }
        var column = point.column
        for glyph in glyphs {
            guard column + glyph.width <= area.right else { break }
            if column >= area.left { put(glyph, at: Point(column: column, row: point.row), style: style) }
            column += glyph.width
        }
        return column
    }

    /// Writes `text` into the first row of `rect`; text that is too long has an ellipsis where it is cut.
    @discardableResult
    public mutating func write(
        _ text: String, in rect: Rect, style: Style = .plain, alignment: Alignment = .left, cut: FittedText.Cut = .end
    ) -> Int {
        guard !rect.isEmpty else { return rect.left }
        let fitted = FittedText(text, columns: rect.columns, cut: cut, ellipsis: glyphs.ellipsis)
        let column = rect.left + alignment.offset(of: fitted.width, in: rect.columns)
        return write(fitted.glyphs, at: Point(column: column, row: rect.top), style: style, clip: rect)
    }

    /// Fills `rect` with spaces of `style`.
    public mutating func fill(_ rect: Rect, style: Style) { fill(rect, with: " ", style: style) }

    /// Fills `rect` with the first glyph of `text`, if that is one cell wide.
    public mutating func fill(_ rect: Rect, with text: String, style: Style) {
        guard let glyph = SafeText.glyphs(text, limit: 1).first, glyph.width == 1 else { return }
        let area = rect.intersection(bounds)
        guard !area.isEmpty else { return }
        for row in area.top..<area.bottom {
            for column in area.left..<area.right { put(glyph, at: Point(column: column, row: row), style: style) }
        }
    }

    /// Draws a component into `rect`.
    public mutating func draw(_ component: some Component, in rect: Rect) { component.draw(in: rect, into: &self) }

    /// The visible text: the rows without trailing spaces, joined by line feeds.
    public var text: String {
        (0..<size.rows).map { index in
            var line = row(index).map(\.text).joined()
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// Returns the style of the cell at `point`; nil outside the grid.
    public func style(at point: Point) -> Style? { cell(at: point)?.style }

    /// Every run of one style, in reading order: `0:2-7 title@panel+bold` is row 0, columns 2 to 7.
    public var styles: [String] {
        (0..<size.rows).flatMap { index -> [String] in
            var lines: [String] = []
            var start = 0
            let cells = Array(row(index))
            for column in cells.indices where column + 1 == cells.count || cells[column + 1].style != cells[column].style {
                lines.append("\(index):\(start)-\(column) \(cells[column].style)")
                start = column + 1
            }
            return lines
        }
    }

    /// Returns the columns and row of the first occurrence of `wanted`; nil if it is not on the screen. For tests and for anchoring.
    public func find(_ wanted: String) -> Rect? {
        let glyphs = SafeText.glyphs(wanted)
        guard !glyphs.isEmpty else { return nil }
        for index in 0..<size.rows {
            let places = row(index).enumerated().filter { !$0.element.isContinuation }.map { (column: $0.offset, text: $0.element.text) }
            guard places.count >= glyphs.count else { continue }
            for start in 0...(places.count - glyphs.count)
            where glyphs.indices.allSatisfy({ places[start + $0].text == glyphs[$0].text }) {
                return Rect(column: places[start].column, row: index, columns: glyphs.width, rows: 1)
            }
        }
        return nil
    }

    /// Records the meaning of a click on an area; later areas lie above earlier ones.
    public mutating func mark(_ rect: Rect, as meaning: ScreenTarget.Meaning) {
        guard recordsTargets else { return }
        let seen = rect.intersection(bounds)
        if !seen.isEmpty { targets.append(ScreenTarget(rect: seen, meaning: meaning)) }
    }

    /// Forgets all recorded areas and links, because something else is drawn above them.
    public mutating func forgetTargets() {
        targets = []
        for index in cells.indices where cells[index].link != nil { cells[index].link = nil }
    }

    /// Returns the meaning of a click at `point`; nil for none.
    public func target(at point: Point) -> ScreenTarget.Meaning? { targets.last { $0.rect.contains(point) }?.meaning }
}

/// One cell of the screen.
public struct Cell: Hashable, Sendable {
    /// The text of the cell; empty in the right half of a wide glyph.
    public let text: String
    /// The width of the glyph in cells: 1 or 2; 0 for the right half of a wide glyph.
    public let width: Int
    /// The style of the cell.
    public var style: Style
    /// The address that a click on the cell opens; nil for none.
    public internal(set) var link: LinkAddress?

    /// Creates the cell of a glyph; a wide glyph also needs a continuation cell.
    public init(_ glyph: Glyph, style: Style) {
        self.init(text: glyph.text, width: glyph.width, style: style)
    }

    private init(text: String, width: Int, style: Style) {
        self.text = text
        self.width = width
        self.style = style
    }

    /// Returns an empty cell.
    public static func blank(_ style: Style) -> Cell { Cell(.space, style: style) }

    /// Returns the right half of a wide glyph.
    public static func continuation(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style) }

    /// Whether this is the right half of a wide glyph.
    public var isContinuation: Bool { width == 0 }
}

/// The address of a link (OSC 8): only printable ASCII characters, so that it cannot end the terminal's sequence.
public struct LinkAddress: Hashable, Sendable {
    /// The whole address.
    public let text: String

    /// The most bytes that every terminal with links takes.
    private static let limit = 2048

    /// Creates an address; nil for other characters, another scheme than http and https, or more than 2,048 bytes.
    public init?(_ text: String) {
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), text.utf8.count <= Self.limit,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }
}

/// A part of the screen that can be clicked. The code that draws it sets its meaning, so that the visible area is the clickable one.
public struct ScreenTarget: Hashable, Sendable {
    /// The meaning of a click.
    public enum Meaning: Hashable, Sendable {
        /// Works as this key.
        case key(Key)
        /// A row of the screen's list.
        case row(Int)
        /// A field of the screen's form.
        case field(Int)
        /// Another part of the screen, by a number of the screen's own.
        case part(Int)
        /// The title of an open screen, by its index in the path.
        case title(Int)
    }

    /// The visible part of the area.
    public let rect: Rect
    /// The meaning of a click on it.
    public let meaning: Meaning
}

/// The background that text is drawn on. A theme gives each surface a colour.
public enum Surface: String, CaseIterable, Hashable, Sendable {
    /// The screen itself.
    case screen
    /// A panel above the screen.
    case panel
    /// The selected row or button.
    case selection
    /// An input field.
    case field
    /// The line at the top.
    case header
    /// The line of keys at the bottom.
    case footer
    /// A message that asks for attention.
    case notice
    /// A row about something that needs the user. A theme without it uses ``panel``.
    case alert
    /// A QR code: black on white in every theme, because cameras need that.
    case paper

    /// The surfaces that a theme may leave out.
    public static let optional: [Surface] = [.alert, .paper]
}
