import AuthModel
import Localization
import TerminalUI

/// Lists the keys of the previous screen and the global keys, from the tables that decode them.
struct HelpScreen: Screen {
    /// The name of the screen that the keys belong to.
    let subject: String
    let own: [KeyHint]
    let everywhere: [KeyHint]
    /// Whether the app uses the mouse.
    var hasMouse = false
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        [Action("back", [.escape, .enter, .left, .character("h")], label: CommonWords.keyBack, result: .back)]
            + Movement.scrolling(\.scroll, positions: document().scrollPositions(in: Frame.bodySize(model.size)), in: model)
    }
}

extension HelpScreen {
    /// Opens the help of the screen below.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> HelpScreen {
            HelpScreen(
                subject: context.current.title(in: context.model), own: context.current.keyHelp(in: context.model),
                everywhere: context.globalKeys.help, hasMouse: context.model.usesMouse)
        }
    }
}

extension Destination {
    static let help = Destination(HelpScreen.Request())
}

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

/// The texts of the help screen.
package enum HelpWords {
    package static var mouse: String { tr("Mouse") }
    package static var mouseActions: [(action: String, effect: String)] {
        [
            (tr("click"), tr("selects a row or a field; a second click chooses the row")),
            (tr("click on a key"), tr("presses that key, in the bottom line")), (tr("wheel"), tr("moves or scrolls")),
            (tr("drag with Shift"), tr("selects text to copy")),
        ]
    }
    package static var title: String { tr("Help") }
    package static func keysOf(_ subject: String) -> String { tr("Keys here: {1}", subject) }
    package static var everywhere: String { tr("Keys everywhere") }
    package static var states: String { tr("What the states mean") }
    package static var bars: String { tr("What the bars mean") }
    package static var timeLeft: String { tr("time left, from a minute to a day; about each tenth of the bar doubles it") }
    package static var nextRenewal: String { tr("when the session is renewed") }
    package static var uses: String { tr("tokens issued in the last 24 hours, the newest at the right") }
    /// Returns the reason without the advice after its colon, which is shown when the key is pressed.
    package static func notNow(_ reason: String) -> String { tr("not now: {1}", reason.split(separator: ": ", maxSplits: 1).first ?? "") }
}
