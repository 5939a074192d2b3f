import AuthModel
import TerminalAppModel
import TerminalUI

extension WelcomeScreen {
    func title(in model: AppModel) -> String { WelcomeWords.title }
    func status(in model: AppModel) -> String { session.name.description }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let hasGate = !model.isPlain && area.columns >= Self.gateColumns && area.rows >= GatePicture.rows + 1
        let gate = GatePicture.columns + 2 * Document.margin
        page(in: model, glyphs: buffer.glyphs).draw(in: area.inset(right: hasGate ? gate : 0), scroll: scroll, into: &buffer)
        guard hasGate else { return }
        let place = Rect(
            column: area.right - gate + Document.margin, row: area.top, columns: GatePicture.columns, rows: GatePicture.rows)
        GatePicture(lift: lift(in: model)).drawAlone(in: place, of: &buffer)
    }

    /// The minimum width for the gate beside the text.
    private static let gateColumns = 76

    /// Returns the screen as a document.
    func page(in model: AppModel, glyphs: GlyphSet) -> Document {
        let session = model.session(session.name) ?? session
        var page = Document()
        page.words([
            Document.Span(glyphs.check + " ", .success, .bold),
            Document.Span(WelcomeWords.welcome(session.subject == nil ? nil : session.name.account), .title, .bold),
        ])
        page.words(WelcomeWords.signedIn(session.name.provider))
        page.blank()
        let time = TimeLeft(session, in: model)
        if let bar = time.bar {
            page.bar(bar, time.sentence, time.role)
        } else {
            page.words(Words.sentence(time.sentence), time.role)
        }
        page.blank()
        page.term(WelcomeWords.session, session.name.description, width: 12)
        page.term(WelcomeWords.scopes, session.scopes.isEmpty ? SessionsWords.none : session.scopes.wire, width: 12)
        for warning in session.warnings { page.words(Words.sentence(warning), .warning) }
        page.heading(WelcomeWords.useIt)
        if model.demoAdvice != nil { page.words(WelcomeWords.notInTheDemo) }
        page.row(Document.Span(WelcomeWords.command(session.name), .link), indent: 2)
        return page
    }
}
