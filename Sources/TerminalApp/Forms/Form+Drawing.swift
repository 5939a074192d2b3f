import TerminalAppModel
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
