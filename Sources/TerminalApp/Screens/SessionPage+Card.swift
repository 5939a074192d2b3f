import AuthModel
import TerminalAppModel
import TerminalUI

extension SessionPage {
    func drawCard(in area: Rect, into buffer: inout ScreenBuffer) {
        guard !area.isEmpty, let session = screen.summary(in: model) else { return }
        let panel = Panel(model.provider(session.name.provider)?.address ?? session.name.provider.text)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        var (who, how) = (Document(), Document())
        (who.hasMargin, how.hasMargin) = (false, false)
        let (name, email) = identity(of: session)
        let isWide = area.columns >= Self.wideCard
        who.row(Document.Span(name, .title, .bold), Document.Span(isWide || email.isEmpty ? "" : "  " + email, .muted))
        if isWide { who.row(Document.Span(email, .muted)) }
        SessionCard(session: session, model: model, glyphs: glyphs).addState(to: &how)
        let parts = isWide ? inside.split(columns: [.share(2), .share(3)], gap: 2) : inside.split(rows: [.cells(1), .rest])
        who.draw(in: parts[0], surface: panel.surface, into: &buffer)
        how.draw(in: parts[1], surface: panel.surface, into: &buffer)
    }

    /// Returns the user's name and email address, as far as they are known before the store is unlocked.
    func identity(of session: SessionSummary) -> (name: String, email: String) {
        guard case .loaded(let detail) = screen.content else { return (session.name.account ?? session.name.provider.text, "") }
        let name = detail.identity.displayName ?? detail.identity.defaultLabel
        return (name, detail.identity.text("email").flatMap { $0 == name ? nil : $0 } ?? "")
    }
}
