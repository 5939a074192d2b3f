import AuthModel
import TerminalAppModel
import TerminalUI

extension ProblemScreen {
    func title(in model: AppModel) -> String { ProblemWords.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        page(glyphs: buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the screen as a document.
    func page(glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([
            Document.Span(glyphs.cross + " ", .danger, .bold), Document.Span(ProblemWords.didNotWork(problem.title), .title, .bold),
        ])
        page.blank()
        page.words(ProblemWords.what, .muted)
        page.words(Words.sentence(problem.failure.message), indent: 2)
        page.blank()
        page.words(ProblemWords.why, .muted)
        page.words(ProblemWords.kind(problem.failure.kind), problem.failure.kind == .security ? .danger : .text, indent: 2)
        page.blank()
        page.words(ProblemWords.next, .muted)
        if let hint = problem.failure.hint { page.words(Words.sentence(hint), indent: 2) }
        page.words(problem.retry == nil ? ProblemWords.pressBack : ProblemWords.pressRetry, indent: 2)
        if case .signIn = problem.retry {
            page.blank()
            page.words(ProblemWords.unchanged, .muted)
        }
        return page
    }
}
