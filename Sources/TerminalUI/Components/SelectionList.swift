/// A list of rows with one selected. It asks only for visible rows, so the cost does not depend on the length of the list.
public struct SelectionList: Component {
    /// The number of rows.
    public let count: Int
    /// The selected row and the first visible one.
    public let position: ListPosition
    /// The background.
    public let surface: Surface
    /// Whether the list has the keyboard focus. The selection is drawn only then.
    public let isFocused: Bool
    private let row: (Int) -> [TextLine.Span]

    /// Creates a list.
    ///
    /// - Parameter row: returns the content of a row; called only for visible rows.
    public init(
        count: Int, position: ListPosition, surface: Surface = .screen, isFocused: Bool = true, row: @escaping (Int) -> [TextLine.Span]
    ) {
        self.count = count
        self.position = position
        self.surface = surface
        self.isFocused = isFocused
        self.row = row
    }

    /// Draws the visible rows, and a scroll bar if not all rows fit.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let area = rect.intersection(buffer.bounds)
        guard !area.isEmpty, count > 0 else { return }
        let first = position.first(count: count, rows: area.rows)
        let hasBar = count > area.rows && area.columns > 2
        let text = hasBar ? area.inset(right: 1) : area
        for index in first..<min(count, first + area.rows) {
            let line = text.row(index - first)
            let isSelected = isFocused && index == position.selected
            let ground = isSelected ? Surface.selection : surface
            buffer.fill(line, style: Style(.text, on: ground))
            buffer.draw(TextLine(row(index).map { .init($0.text, $0.style.on(ground)) }), in: line)
        }
        if hasBar {
            let bar = Rect(column: area.right - 1, row: area.top, columns: 1, rows: area.rows)
            buffer.draw(ScrollBar(count: count, first: first, surface: surface), in: bar)
        }
    }
}
