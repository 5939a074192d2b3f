/// Rows in columns. On a narrow screen the least important columns are dropped.
///
/// The table asks only for visible rows. It keeps the selected one visible: as near to the middle as possible, or on a page that stays
/// until the selection leaves it.
public struct Table: Component {
    /// The content of a table cell.
    public enum Content: Hashable, Sendable {
        /// Text in one style.
        case text(String, Style = .plain)
        /// Text in several styles.
        case spans([TextLine.Span])
        /// A bar, in its own style on the row.
        case bar(Bar)
        /// Text across all columns; the only content of its row.
        case across([TextLine.Span])
    }

    /// The number of empty columns between two table columns.
    public static let gap = 2

    /// The columns.
    public let columns: [TableColumn]
    /// The number of rows.
    public let count: Int
    /// The selected row; nil if none can be selected.
    public let selected: Int?
    /// Whether the first screen row shows the column titles.
    public let hasHeader: Bool
    /// Whether a click on a row selects it in this table.
    public let isClickable: Bool
    /// The first row of the page; nil keeps the selected row in the middle.
    package var first: Int?
    /// The background.
    package var surface = Surface.screen
    /// Whether the table has the keyboard focus. The selection is drawn only then.
    package var isFocused = true
    /// Whether a click on a column's title is recorded, as the part with the column's index.
    package var marksHeader = false
    /// The background of rows that are highlighted for a moment; nil for the others.
    package var rowSurface: (Int) -> Surface? = { _ in nil }
    /// Returns the number that a click on a row selects; nil for a row that cannot be selected, such as a title.
    package var clicked: (Int) -> Int? = { $0 }
    private let row: (Int) -> [Content]

    /// Creates a table.
    ///
    /// - Parameter row: returns one content for each of `columns`, visible or not; called only for visible rows.
    public init(
        columns: [TableColumn], count: Int, selected: Int? = nil, hasHeader: Bool = true, isClickable: Bool = true,
        row: @escaping (Int) -> [Content]
    ) {
        self.columns = columns
        self.count = count
        self.selected = selected
        self.hasHeader = hasHeader
        self.isClickable = isClickable
        self.row = row
    }

    /// Returns the prefix of the first column, so that colour is not the only mark of the selected row.
    package static func pointer(_ isMarked: Bool, _ glyphs: GlyphSet) -> TextLine.Span {
        TextLine.Span(isMarked ? glyphs.pointer + " " : "  ", Style(.accent))
    }

    /// Returns the columns that fit in a width, as indices of ``columns`` in order.
    public func visible(in width: Int) -> [Int] {
        var kept = Array(columns.indices)
        func needed() -> Int { kept.reduce(0) { $0 + columns[$1].minimum } + Table.gap * max(0, kept.count - 1) }
        while kept.count > 1, needed() > width {
            // Among equally important columns, the last one is dropped.
            guard let least = kept.reversed().min(by: { columns[$0].importance < columns[$1].importance }) else { break }
            kept.removeAll { $0 == least }
        }
        return kept
    }

    /// Returns the widths of the columns that are visible in an area of `size`, by their indices in ``columns``.
    package func widths(in size: Size) -> [Int: Int] {
        let page = hasHeader && size.rows > 1 ? size.rows - 1 : size.rows
        let width = count > page && size.columns > 2 ? size.columns - 1 : size.columns
        let shown = visible(in: width)
        let places = places(of: shown, in: Rect(Size(columns: width, rows: 1)))
        return Dictionary(uniqueKeysWithValues: zip(shown, places.map(\.columns)))
    }

    /// Draws the header and the visible rows, and a scroll bar if not all rows fit. Records what a click on a row means.
    public func draw(in rect: Rect, into buffer: inout ScreenBuffer) {
        let area = rect.intersection(buffer.bounds)
        guard !area.isEmpty, !columns.isEmpty else { return }
        let page = hasHeader && area.rows > 1 ? area.rows - 1 : area.rows
        let body = Rect(column: area.left, row: area.bottom - page, columns: area.columns, rows: page)
        let hasBar = count > page && area.columns > 2
        let width = hasBar ? area.columns - 1 : area.columns
        let visible = visible(in: width)
        let places = places(of: visible, in: Rect(column: area.left, row: area.top, columns: width, rows: 1))
        if page < area.rows {
            for (index, place) in zip(visible, places) {
                let column = columns[index]
                buffer.write(column.title, in: place, style: Style(.muted, on: surface), alignment: column.alignment)
                draw(column.ticks, in: place, into: &buffer)
                if marksHeader { buffer.mark(place, as: .part(index)) }
            }
        }
        let rows =
            first.map { ListWindow.page(from: $0, count: count, selected: selected ?? 0, rows: page) }
            ?? ListWindow.visible(count: count, selected: selected ?? 0, rows: page)
        for (offset, index) in rows.enumerated() {
            if isClickable, selected != nil, let row = clicked(index) { buffer.mark(body.row(offset), as: .row(row)) }
            draw(index, at: body.top + offset, width: width, visible: visible, places: places, in: &buffer)
        }
        if hasBar {
            let bar = Rect(column: area.right - 1, row: body.top, columns: 1, rows: page)
            buffer.draw(ScrollBar(count: count, first: rows.lowerBound, surface: surface), in: bar)
        }
    }

    /// Draws the labels of a scale: the first, the last, and those between them that keep a space to their neighbours.
    private func draw(_ ticks: [TableColumn.Tick], in place: Rect, into buffer: inout ScreenBuffer) {
        let places = ticks.map { tick in
            let width = SafeText.width(of: tick.text)
            let column = min(Int(tick.share * Double(place.columns)), place.columns - width)
            return Rect(column: place.left + max(0, column), row: place.top, columns: width, rows: 1)
        }
        var end = place.left
        for (index, tick) in ticks.enumerated() {
            let next = index == 0 || index == ticks.count - 1 ? place.right : (places.last?.left ?? place.right) - 1
            guard places[index].left >= end, places[index].right <= next else { continue }
            buffer.write(tick.text, in: places[index], style: Style(.muted, on: surface))
            end = places[index].right + 1
        }
    }

    private func draw(_ index: Int, at top: Int, width: Int, visible: [Int], places: [Rect], in buffer: inout ScreenBuffer) {
        let ground = rowSurface(index) ?? (isFocused && index == selected ? Surface.selection : surface)
        let contents = row(index)
        guard let left = places.first?.left else { return }
        buffer.fill(Rect(column: left, row: top, columns: width, rows: 1), style: Style(.text, on: ground))
        if case .across(let spans) = contents.first {
            let line = TextLine(spans.map { .init($0.text, $0.style.on(ground)) })
            return buffer.draw(line, in: Rect(column: left, row: top, columns: width, rows: 1))
        }
        for (column, place) in zip(visible, places) where contents.indices.contains(column) {
            let cell = Rect(column: place.left, row: top, columns: place.columns, rows: 1)
            switch contents[column] {
            case .text(let text, let style):
                buffer.write(text, in: cell, style: style.on(ground), alignment: columns[column].alignment)
            case .spans(let spans):
                let line = TextLine(spans.map { .init($0.text, $0.style.on(ground)) }, alignment: columns[column].alignment)
                buffer.draw(line, in: cell)
            case .bar(var bar):
                bar.style = bar.style.on(ground)
                buffer.draw(bar, in: cell)
            case .across: break
            }
        }
    }

    private func places(of visible: [Int], in rect: Rect) -> [Rect] {
        let gaps = Table.gap * max(0, visible.count - 1)
        let minimum = visible.reduce(0) { $0 + columns[$1].minimum }
        var spare = max(0, rect.columns - gaps - minimum)
        var shares = visible.reduce(0) { $0 + columns[$1].share }
        var left = rect.left
        return visible.map { index in
            let column = columns[index]
            let extra = shares > 0 ? spare * column.share / shares : 0
            spare -= extra
            shares -= column.share
            defer { left += column.minimum + extra + Table.gap }
            return Rect(column: left, row: rect.top, columns: column.minimum + extra, rows: 1).intersection(rect)
        }
    }
}

/// A column of a ``Table``.
public struct TableColumn: Hashable, Sendable {
    /// The title in the header.
    public var title: String
    /// The minimum width in cells.
    public var minimum: Int
    /// The column's share of the remaining width; 0 keeps the minimum.
    public var share: Int
    /// The alignment of the content.
    public var alignment: Alignment
    /// Labels of a scale, drawn in the header in place of the title.
    public var ticks: [Tick] = []
    /// The importance. The least important columns are dropped first when the width is too small. The most important one always stays.
    public var importance: Int

    /// A label of a scale.
    public struct Tick: Hashable, Sendable {
        /// The text.
        public var text: String
        /// The place on the scale, from 0 at the left edge to 1 at the right one.
        public var share: Double

        /// Creates a label.
        public init(_ text: String, at share: Double) {
            self.text = text
            self.share = share
        }
    }

    /// Creates a column; `minimum` is at least 1, and `share` at least 0.
    public init(_ title: String, minimum: Int, share: Int = 0, alignment: Alignment = .left, importance: Int = 0) {
        self.title = title
        self.minimum = max(1, minimum)
        self.share = max(0, share)
        self.alignment = alignment
        self.importance = importance
    }
}
