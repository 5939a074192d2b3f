import AuthModel
import TerminalAppModel
import TerminalUI

extension NextStepScreen {
    func title(in model: AppModel) -> String { step.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        page(glyphs: buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the screen as a document.
    func page(glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([
            Document.Span(glyphs.check + " ", .success, .bold), Document.Span(Words.sentence(step.outcome.message), .title, .bold),
        ])
        page.blank()
        if let accountPage = step.accountPage {
            page.verbatim(accountPage.text, Style(.link))
            page.blank()
        }
        guard let authenticator = step.authenticator else {
            if let hint = step.outcome.hint { page.words(Words.sentence(hint)) }
            return page
        }
        page.words(NextStepWords.getIt)
        page.verbatim(authenticator.text, Style(.link))
        page.blank()
        page.words(NextStepWords.thenSignIn, .muted)
        return page
    }
}
