import AuthModel
import TerminalAppModel
import TerminalUI

extension SignOutScreen {
    func title(in model: AppModel) -> String { SignOutWords.title(name) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(SignOutWords.question(name), .title, .bold)])
        page.blank()
        var scroll = 0
        for (index, mode) in choices(in: model).enumerated() {
            let choice = SignOutWords.choice(mode, for: name, in: model)
            let isMarked = index == selected
            let first = page.rows(columns: area.columns).count
            page.row(
                Document.Span(isMarked ? buffer.glyphs.pointer + " " : "  ", .accent), Document.Span("\(index + 1)  ", .key),
                Document.Span(choice.title, .text, isMarked ? [.bold, .reverse] : .bold))
            page.mark(as: .row(index))
            page.words(choice.meaning, .muted, indent: 5)
            page.mark(as: .row(index))
            // Keeps the selected choice visible, or at least its first row.
            if isMarked { scroll = min(first, max(0, page.rows(columns: area.columns).count - area.rows)) }
            if area.rows >= 12 { page.blank() }
        }
        page.draw(in: area, scroll: scroll, into: &buffer)
    }
}

extension SigningOutScreen {
    func title(in model: AppModel) -> String { SignOutWords.title(name) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        let frame = Spinner.frame(at: model.now.milliseconds, glyphs: buffer.glyphs)
        page.words([Document.Span(frame + " ", .accent), Document.Span(SignOutWords.underWay(name), .title, .bold)])
        page.blank()
        page.words(SignOutWords.underWayHint, .muted)
        page.draw(in: area, into: &buffer)
    }
}
