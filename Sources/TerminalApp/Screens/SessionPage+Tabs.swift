import AuthModel
import TerminalAppModel
import TerminalUI

/// The parts of the details beside or below the list.
extension SessionPage {
    /// - Parameter isHigh: whether there is space for the other parts below the overview.
    func document(of tab: SessionPane.Tab, isHigh: Bool) -> Document {
        var page = Document()
        page.hasMargin = false
        guard let session = screen.summary(in: model) else { return page }
        let card = SessionCard(session: session, model: model, glyphs: glyphs)
        switch tab {
        case .overview:
            addHead(of: session, to: &page)
            addContentState(to: &page)
            page.heading(SessionWords.lifetime)
            card.addLifetime(to: &page)
            page.heading(SessionWords.use)
            addUse(of: session, to: &page)
            addHistory(of: session, to: &page)
            card.addWarnings(to: &page)
            guard isHigh else { break }
            addPrograms(of: session, to: &page)
            addContent(to: &page)
            card.addTimeline(to: &page)
        case .tokens:
            addContent(to: &page)
            if page.blocks.isEmpty { addContentState(to: &page) }
        case .activity:
            card.addTimeline(to: &page)
            if page.blocks.isEmpty { page.words(SessionPaneWords.noActivity, .muted) }
        case .use:
            addUse(of: session, to: &page)
            addHistory(of: session, to: &page)
            addPrograms(of: session, to: &page)
        }
        return page
    }

    /// Returns the overview as two columns: who is signed in and until when, and how the session is used.
    func overviewInColumns() -> [Document] {
        var (left, right) = (Document(), Document())
        (left.hasMargin, right.hasMargin) = (false, false)
        guard let session = screen.summary(in: model) else { return [left, right] }
        let card = SessionCard(session: session, model: model, glyphs: glyphs, isBrief: true)
        addHead(of: session, to: &left)
        addContentState(to: &left)
        card.addWarnings(to: &left)
        card.addLifetime(to: &right)
        right.blank()
        card.addUse(to: &right)
        addHistory(of: session, to: &right)
        addPrograms(of: session, to: &right, isBrief: true)
        return [left, right]
    }

    /// Adds the programs that used the session's tokens, the last one first.
    ///
    /// - Parameter isBrief: whether the time of the last use is left out, so that a program has one row in half of a small screen.
    private func addPrograms(of session: SessionSummary, to page: inout Document, isBrief: Bool = false) {
        let programs = ProgramUse.grouped(model.activity.lazy.filter { $0.session == session.name })
        guard !programs.isEmpty else { return }
        page.heading(SessionPaneWords.programs)
        for use in programs.prefix(Self.programLimit) {
            let history = use.recent(until: model.now, parts: UseHistory.parts)
            page.term(
                use.program.name,
                Sparkline(history, style: Style(.info)).spans(glyphs).map { Document.Span($0.text, $0.style.role) }
                    + [Document.Span("  ×\(use.issued.count)" + (isBrief ? "" : ", \(Words.relative(use.last, to: model.now))"), .muted)],
                width: SessionCard.width)
        }
    }

    private static let programLimit = 20

    /// Adds the uses in the last 24 hours as a picture.
    private func addHistory(of session: SessionSummary, to page: inout Document) {
        let history = UseHistory(model.activity, now: model.now)[session.name]
        page.term(
            SessionPaneWords.lastDay,
            Sparkline(history, style: Style(.info)).spans(glyphs).map { Document.Span($0.text, $0.style.role) } + [
                Document.Span("  " + ActivityWords.tokens(history.reduce(0, +)), .muted)
            ], width: SessionCard.width)
    }
}
