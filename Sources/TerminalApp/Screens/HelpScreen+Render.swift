import AuthModel
import TerminalAppModel
import TerminalUI

extension HelpScreen {
    func title(in model: AppModel) -> String { HelpWords.title }
    func status(in model: AppModel) -> String { subject }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        document(buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the help as a document.
    func document(_ glyphs: GlyphSet = .unicode) -> Document {
        var page = Document()
        page.heading(HelpWords.keysOf(subject))
        for hint in own { add(hint, to: &page, glyphs) }
        page.heading(HelpWords.everywhere)
        for hint in everywhere { add(hint, to: &page, glyphs) }
        if hasMouse {
            page.heading(HelpWords.mouse)
            for (action, effect) in HelpWords.mouseActions { page.term(action, effect, width: 20) }
        }
        page.heading(HelpWords.states)
        for state in SessionState.allCases {
            page.term(
                "\(Words.glyph(state, glyphs)) \(Words.state(state))", [Document.Span(Words.meaning(state))], width: 20)
        }
        page.heading(HelpWords.bars)
        page.term(glyphs.barFilled + glyphs.barFilled + glyphs.barEmpty, [Document.Span(HelpWords.timeLeft)], width: 20)
        page.term(glyphs.barMark, [Document.Span(HelpWords.nextRenewal)], width: 20)
        page.term(glyphs.sparks.prefix(3).joined(), [Document.Span(HelpWords.uses)], width: 20)
        return page
    }

    private func add(_ hint: KeyHint, to page: inout Document, _ glyphs: GlyphSet) {
        let keys = hint.keys.map { $0.label(glyphs) }.joined(separator: ", ")
        var spans = [Document.Span(hint.label)]
        if let reason = hint.unavailable { spans.append(Document.Span(" (" + HelpWords.notNow(reason) + ")", .muted)) }
        page.term(keys, spans, width: 20, as: .accent)
    }
}
