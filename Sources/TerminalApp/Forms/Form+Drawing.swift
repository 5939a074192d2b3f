import TerminalUI

extension Form {
    /// Adds the fields to a page; returns the rows of the focused field.
    ///
    /// - Parameter columns: the width of the page.
    func add(to page: inout Document, columns: Int) -> Range<Int> {
        let labelWidth = min(28, (shown.map { SafeText.width(of: $0.label) }.max() ?? 0) + 3)
        var focused = 0..<0
        for (index, field) in shown.enumerated() {
            let first = page.rows(columns: columns).count
            let isFocused = field.id == focus
            page.input(field.label, field.content.input, labelWidth: labelWidth, isFocused: isFocused)
            page.mark(as: .field(index))
            if let problem = field.problem {
                page.term("", Words.sentence(problem), .danger, width: labelWidth)
            } else if isFocused, let help = field.help {
                page.term("", help, .muted, width: labelWidth)
            }
            if isFocused { focused = first..<page.rows(columns: columns).count }
        }
        return focused
    }
}

extension FormField.Content {
    /// The content as a document input.
    var input: Document.Input {
        switch self {
        case .text(let content, let placeholder): .text(content, placeholder: placeholder)
        case .secret(let content): .secret(content)
        case .choice(let options, let selected):
            .choice(options.indices.contains(selected) ? options[selected] : "", hasOthers: options.count > 1)
        }
    }
}

extension Document {
    /// The content of a form row, next to its label.
    enum Input: Equatable, Sendable {
        case text(TextFieldContent, placeholder: String)
        case secret(SecretField)
        /// The selected option, and whether there are others.
        case choice(String, hasOthers: Bool)
    }

    /// Returns the scroll offset that makes `rows` visible in a page of `height` rows.
    static func scroll(to rows: Range<Int>, height: Int) -> Int {
        min(max(0, rows.upperBound - height), rows.lowerBound)
    }
}

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
