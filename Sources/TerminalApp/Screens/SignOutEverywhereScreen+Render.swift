import AuthModel
import TerminalUI

extension SignOutEverywhereScreen {
    func title(in model: AppModel) -> String { SignOutWords.everywhere }
    func status(in model: AppModel) -> String { isOver ? "" : SessionsWords.found(ended, of: count) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        SignOutEverywherePage(screen: self, glyphs: buffer.glyphs, milliseconds: model.now.milliseconds)
            .document.draw(in: area, scroll: scroll, into: &buffer)
    }
}

/// The progress, the running sign-outs, and the failures.
struct SignOutEverywherePage {
    let screen: SignOutEverywhereScreen
    var glyphs: GlyphSet = .unicode
    var milliseconds: Int64 = 0

    var document: Document {
        var page = Document()
        let frame = Spinner.frame(at: milliseconds, glyphs: glyphs)
        if !screen.isOver {
            page.words([
                Document.Span(frame + " ", .accent), Document.Span(SignOutWords.underWayEverywhere(screen.count), .title, .bold),
            ])
            page.blank()
            page.bar(
                Double(screen.ended) / Double(max(1, screen.count)), SessionsWords.found(screen.ended, of: screen.count), .text,
                bar: .barFilled)
            page.blank()
            for name in screen.underWay { page.row(Document.Span(name.description, .muted)) }
        } else if screen.failedSignOuts.isEmpty {
            page.words([
                Document.Span(glyphs.check + " ", .success, .bold),
                Document.Span(SignOutWords.endedEverywhere(screen.count), .title, .bold),
            ])
        } else {
            page.words([
                Document.Span("! ", .warning, .bold),
                Document.Span(SignOutWords.failedSignOuts(screen.failedSignOuts.count), .title, .bold),
            ])
        }
        guard !screen.failedSignOuts.isEmpty else { return page }
        page.blank()
        for trouble in screen.failedSignOuts {
            page.words([Document.Span(glyphs.cross + " ", .danger), Document.Span(trouble.name.description, .text, .bold)])
            page.words(Words.sentence(trouble.text), indent: 2)
        }
        return page
    }
}
