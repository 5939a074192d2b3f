import AuthModel
import Localization
import TerminalUI

/// The details of a session that need no unsealing: for the panel beside the list, and for the session screen.
struct SessionCard {
    let session: SessionSummary
    let model: AppModel
    var glyphs: GlyphSet = .unicode
    /// Whether times are only relative, for a narrow column.
    var isBrief = false

    /// The width of the terms: the longest one in the current language, and two columns of space.
    static var width: Int {
        [
            SessionWords.issuer, SessionWords.subject, SessionWords.client, SessionWords.apiHosts, SessionWords.signedIn,
            SessionWords.renewed,
            SessionWords.nextRenewal, SessionWords.renewableUntil, SessionWords.lastUsed, SessionWords.scopes, Words.token(.access),
            Words.token(.refresh), Words.token(.id),
        ].reduce(16) { max($0, SafeText.width(of: $1) + 2) }
    }

    /// Adds the state with its meaning, and the time left.
    func addState(to page: inout Document) {
        let state = model.state(of: session)
        page.words(
            [
                Document.Span("\(Words.glyph(state, glyphs)) \(Words.state(state))", Words.role(state), .bold),
                Document.Span("  " + Words.meaning(state), .muted),
            ], hanging: 2)
        let time = TimeLeft(session, in: model)
        if let bar = time.bar { page.bar(bar, time.sentence, time.role) }
    }

    /// Adds the start of the session, its renewals and its end.
    func addLifetime(to page: inout Document) {
        page.term(SessionWords.signedIn, time(session.grantedAt), width: Self.width)
        if session.receivedAt != session.grantedAt {
            page.term(SessionWords.renewed, time(session.receivedAt), width: Self.width)
        }
        page.term(
            SessionWords.nextRenewal,
            session.nextRenewalAt.map { $0 > model.now ? time($0) : SessionsWords.due }
                ?? (session.isRenewable ? SessionWords.onDemand : SessionWords.notPlanned),
            width: Self.width)
        page.term(SessionWords.renewableUntil, renewable, width: Self.width)
    }

    /// Adds the scopes and the last use.
    func addUse(to page: inout Document) {
        page.term(SessionWords.scopes, session.scopes.isEmpty ? SessionsWords.none : session.scopes.wire, width: Self.width)
        page.term(SessionWords.lastUsed, taken, width: Self.width)
    }

    func addWarnings(to page: inout Document) {
        guard !session.warnings.isEmpty else { return }
        page.heading(SessionWords.warnings)
        for warning in session.warnings {
            page.words([Document.Span("! ", .warning, .bold), Document.Span(Words.sentence(warning), .warning)], hanging: 2)
        }
    }

    /// Adds the activity of the session, the newest first.
    func addTimeline(to page: inout Document) {
        let entries = model.activity.reversed().lazy.filter { $0.session == session.name }.prefix(Self.timelineLimit)
        guard !entries.isEmpty else { return }
        page.heading(SessionWords.history)
        for entry in entries {
            let text = entry.details.isEmpty ? "" : "  " + entry.details
            page.term(
                Words.clock(entry.at),
                [Document.Span(ActivityWords.event(entry), entry.role), Document.Span(text, .muted)], width: Self.width)
        }
    }

    private static let timelineLimit = 20

    private var renewable: String {
        guard session.isRenewable else { return SessionWords.cannotRenew }
        return session.refreshExpiresAt.map { SessionWords.renewable(until: time($0)) }
            ?? SessionWords.canRenew
    }

    private var taken: String {
        guard let at = session.lastUsedAt else { return SessionWords.neverUsed }
        return SessionWords.taken(
            by: session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? SessionWords.aProgram, time(at)
        )
    }

    private func time(_ moment: Timestamp) -> String {
        isBrief ? Words.relative(moment, to: model.now) : Words.momentInWords(moment, now: model.now)
    }
}
