import AuthModel
import Localization
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
        addSteps(to: &page, glyphs: glyphs)
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

    /// Adds the steps of the sign-in up to the one that failed.
    private func addSteps(to page: inout Document, glyphs: GlyphSet) {
        let begun = problem.steps.filter { $0.progress != .pending }
        for line in begun {
            let title = line.step.title.text()
            switch line.progress {
            case .done(let took):
                page.timed(
                    [Document.Span("  \(glyphs.check) ", .success), Document.Span(title, .muted)],
                    Document.Span(Words.stepSpan(took), .muted), column: 38)
            case .running, .pending:
                page.row(Document.Span("  \(glyphs.cross) ", .danger, .bold), Document.Span(title, .text, .bold))
            }
        }
        page.blank()
    }
}
