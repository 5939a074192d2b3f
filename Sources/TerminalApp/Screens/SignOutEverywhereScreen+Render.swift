import AuthModel
import TerminalAppModel
import TerminalUI

extension SignOutEverywhereScreen {
    func title(in model: AppModel) -> String { SignOutWords.everywhere }
    func status(in model: AppModel) -> String { isOver ? "" : SessionsWords.found(ended, of: count) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        document(buffer.glyphs, milliseconds: model.now.milliseconds).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the progress, the running sign-outs and the failures as a document.
    ///
    /// - Parameter milliseconds: the time, which turns the spinner.
    func document(_ glyphs: GlyphSet = .unicode, milliseconds: Int64 = 0) -> Document {
        var page = Document()
        let frame = Spinner.frame(at: milliseconds, glyphs: glyphs)
        if !isOver {
            page.words([
                Document.Span(frame + " ", .accent), Document.Span(SignOutWords.underWayEverywhere(count), .title, .bold),
            ])
            page.blank()
            page.bar(
                Double(ended) / Double(max(1, count)), SessionsWords.found(ended, of: count), .text,
                bar: .barFilled)
            page.blank()
            for name in underWay { page.row(Document.Span(name.description, .muted)) }
        } else if failedSignOuts.isEmpty {
            page.words([
                Document.Span(glyphs.check + " ", .success, .bold),
                Document.Span(SignOutWords.endedEverywhere(count), .title, .bold),
            ])
        } else {
            page.words([
                Document.Span("! ", .warning, .bold),
                Document.Span(SignOutWords.failedSignOuts(failedSignOuts.count), .title, .bold),
            ])
        }
        guard !failedSignOuts.isEmpty else { return page }
        page.blank()
        for trouble in failedSignOuts {
            page.words([Document.Span(glyphs.cross + " ", .danger), Document.Span(trouble.name.description, .text, .bold)])
            page.words(Words.sentence(trouble.text), indent: 2)
        }
        return page
    }
}
