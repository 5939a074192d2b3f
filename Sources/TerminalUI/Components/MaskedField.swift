/// Draws a ``SecretField`` as one mask glyph per character.
public struct MaskedField: Component {
    /// The content.
    public var content: SecretField
    /// The text shown in an empty field.
    public var placeholder: String
    /// Whether the field has the keyboard focus.
    public var isFocused: Bool

    /// Creates a masked field.
    public init(_ content: SecretField, placeholder: String = "", isFocused: Bool = true) {
        self.content = content
        self.placeholder = placeholder
        self.isFocused = isFocused
    }

    /// Draws the field in the first row of `rect`, and sets the cursor if it has the focus.
    public func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let line = rect.row(0).intersection(buffer.bounds)
        guard !line.isEmpty else { return }
        buffer.fill(line, style: Style(.text, on: .field))
        let shown = min(content.count, line.columns - 1)
        if content.isEmpty {
            buffer.draw(Label(placeholder, style: Style(.muted, on: .field)), in: line)
        } else {
            let dots = Rect(column: line.left, row: line.top, columns: shown, rows: 1)
            buffer.fill(dots, with: buffer.glyphs.mask, style: Style(.text, on: .field))
        }
        if isFocused { buffer.cursor = Point(column: line.left + shown, row: line.top) }
    }
}
