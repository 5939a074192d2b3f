import AuthModel
import TerminalAppModel
import TerminalUI

extension AnswerForm {
    /// Adds the question to a page; returns the page's rows that must be visible.
    ///
    /// - Parameter size: the size of the page.
    func add(to page: inout Document, size: Size, glyphs: GlyphSet) -> Range<Int> {
        if size.rows >= 6 {
            page.words([Document.Span(AnswerFormWords.title(question), .title, .bold)])
            if let problem = question.problem { page.words(Words.sentence(problem), .danger) }
            page.blank()
        } else if let problem = question.problem {
            page.words(Words.sentence(problem), .danger)
        }
        let focused = isList ? addList(to: &page, columns: size.columns, glyphs) : form?.add(to: &page, columns: size.columns) ?? 0..<0
        if size.rows >= 8 { page.blank() }
        switch progress {
        case .filling: break
        case .answering: page.words(AnswerFormWords.answering, .muted)
        case .refused(let failure):
            page.words(Words.sentence(failure.message), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        }
        return focused
    }

    private func addList(to page: inout Document, columns: Int, _ glyphs: GlyphSet) -> Range<Int> {
        guard let field = form?.fields.first, case .choice(let options, let selected) = field.content else { return 0..<0 }
        let first = page.rows(columns: columns).count
        for (index, option) in options.enumerated() {
            let isMarked = index == selected
            page.row(
                Document.Span(isMarked ? glyphs.pointer + " " : "  ", .accent),
                Document.Span(option, isMarked ? .accent : .text, isMarked ? .bold : []))
            page.mark(as: .row(index))
        }
        return first + selected..<first + selected + 1
    }
}
