/// A one-line input field. It shows the part around the cursor, and sets the terminal's cursor when it has the focus.
public struct TextField: Component {
    /// The content and its cursor.
    public var content: TextFieldContent
    /// The text shown in an empty field.
    public var placeholder: String
    /// Whether the field has the keyboard focus.
    public var isFocused: Bool

    /// Creates an input field.
    public init(_ content: TextFieldContent, placeholder: String = "", isFocused: Bool = true) {
        self.content = content
        self.placeholder = placeholder
        self.isFocused = isFocused
    }

    /// Draws the field in the first row of `rect`, and sets the cursor if it has the focus.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let line = rect.row(0).intersection(buffer.bounds)
        guard !line.isEmpty else { return }
        buffer.fill(line, style: Style(.text, on: .field))
        if content.isEmpty {
            buffer.draw(Label(placeholder, style: Style(.muted, on: .field)), in: line)
        }
        let first = firstVisible(columns: line.columns)
        buffer.write(content.glyphs[first...], at: line.origin, style: Style(.text, on: .field), clip: line)
        if isFocused {
            let column = line.left + content.glyphs[first..<content.cursor].width
            buffer.cursor = Point(column: min(column, line.right - 1), row: line.top)
        }
    }

    /// Returns the first visible glyph, chosen so that the cursor is inside the field.
    private func firstVisible(columns: Int) -> Int {
        var width = 1
        var first = content.cursor
        while first > 0, width + content.glyphs[first - 1].width <= columns {
            first -= 1
            width += content.glyphs[first].width
        }
        return first
    }
}
