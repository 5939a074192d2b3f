import AuthModel
import TerminalUI

extension HelpScreen {
    func title(in model: AppModel) -> String { HelpWords.title }
    func status(in model: AppModel) -> String { subject }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        HelpPage(screen: self, glyphs: buffer.glyphs).document.draw(in: area, scroll: scroll, into: &buffer)
    }
}

/// The help as a document.
struct HelpPage {
    let screen: HelpScreen
    var glyphs: GlyphSet = .unicode

    var document: Document {
        var page = Document()
        page.heading(HelpWords.keysOf(screen.subject))
        for hint in screen.own { add(hint, to: &page) }
        page.heading(HelpWords.everywhere)
        for hint in screen.everywhere { add(hint, to: &page) }
        if screen.hasMouse {
            page.heading(HelpWords.mouse)
            for (action, effect) in HelpWords.mouseActions { page.term(action, effect, width: 20) }
        }
        page.heading(HelpWords.states)
        for state in SessionState.allCases {
            page.term(
                "\(Words.glyph(state, glyphs)) \(Words.state(state))", [Document.Span(Words.meaning(state))], width: 20)
        }
        return page
    }

    private func add(_ hint: KeyHint, to page: inout Document) {
        let keys = hint.keys.map { $0.label(glyphs) }.joined(separator: " ")
        var spans = [Document.Span(hint.label)]
        if let reason = hint.unavailable { spans.append(Document.Span(" (" + HelpWords.notNow(reason) + ")", .muted)) }
        page.term(keys, spans, width: 20, as: .accent)
    }
}
