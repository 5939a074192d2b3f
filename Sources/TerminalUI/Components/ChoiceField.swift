/// Draws a choice between arrows, which show that there are other options.
struct ChoiceField: Component {
    let text: String
    let hasOthers: Bool
    let isFocused: Bool

    func draw(in rect: Rect, of buffer: inout ScreenBuffer) {
        let line = rect.row(0)
        buffer.fill(line, style: Style(.text, on: .field))
        let style = Style(isFocused ? .accent : .text, on: .field, attributes: isFocused ? .bold : [])
        let isUnicode = buffer.glyphs == .unicode
        let marked = hasOthers ? "\(isUnicode ? "◂" : "<") \(text) \(isUnicode ? "▸" : ">")" : text
        buffer.write(marked, in: line, style: style)
        if isFocused { buffer.cursor = line.origin }
    }
}
