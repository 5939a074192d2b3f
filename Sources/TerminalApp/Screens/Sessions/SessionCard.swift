import AuthModel
import Localization
import TerminalUI

/// The details of a session that need no unsealing: for the panel beside the list, and for the session screen.
struct SessionCard {
    let session: SessionSummary
    let model: AppModel
    var glyphs: GlyphSet = .unicode
    var times = Times.full
    /// The width of the column that the card is in, if it is narrow.
    var columns = Int.max

    /// The form of the times in a card.
    enum Times: Equatable, Sendable {
        /// Whole texts.
        case full
        /// One row for each value.
        case short
        /// Only relative, for a narrow column.
        case relative
    }

    /// The width of the terms: that of the longest one, but in the details beside the list at most 18.
    var width: Int { times == .full ? Self.longest : min(Self.mostInPane, Self.longest) }

    private static let mostInPane = 18

    /// The width of the longest term in the current language, with two columns of space.
    private static var longest: Int {
        [
            SessionWords.issuer, SessionWords.subject, SessionWords.client, SessionWords.nameForTools, SessionWords.apiHosts,
            SessionWords.signedIn, SessionWords.renewed, SessionDetailsPaneWords.lastDay, SessionWords.nextRenewal,
            SessionWords.renewableUntil,
            SessionWords.lastUsed, SessionWords.scopes, Words.token(.access), Words.token(.refresh),
            Words.token(.id),
        ].reduce(0) { max($0, SafeText.width(of: $1) + 2) }
    }

    /// Adds the state with its meaning, and the time left.
    ///
    /// - Parameters:
    ///   - whole: the width in which the reason why the user is needed has the row of the bar, which would say the same as the state.
    ///   - cure: the key that signs in again; it has the row of the bar, which would be empty.
    func addState(to page: inout Document, reasonIn whole: Int? = nil, cure: Key? = nil) {
        let state = model.state(of: session)
        let name = Document.Span("\(Words.glyph(state, glyphs)) \(Words.state(state))", Words.role(state), .bold)
        // Why the user is needed says more than what the state means.
        let why = reason
        let meaning = Document.Span(why ?? Words.meaning(state), .muted)
        if times == .full {
            page.words([name, Document.Span("  "), meaning], hanging: 2)
        } else {
            page.row(name)
            if let why, let whole, SafeText.width(of: why) > whole {
                page.words([meaning])
                if let cure { add(cure, to: &page) }
                return
            }
            // Beside the list, a longer meaning moves nothing.
            page.row(meaning)
        }
        if let cure { return add(cure, to: &page) }
        let time = TimeLeft(session, in: model)
        if let bar = time.bar { page.bar(bar, time.sentence, time.role) }
    }

    /// Adds the key that signs in again, which a click presses too, and when the session ended.
    private func add(_ cure: Key, to page: inout Document) {
        let sentence = TimeLeft(session, in: model).sentence
        let ended = sentence == Words.state(model.state(of: session)) ? "" : "  " + sentence
        page.row(
            Document.Span(cure.label(glyphs), .key, .bold), Document.Span("  " + SessionWords.signInAgain, .text, .bold),
            Document.Span(ended, .muted))
        page.mark(as: .key(cure))
    }

    /// The reason why the user is needed, from the activity; nil if it is unknown, or if the user is not needed.
    private var reason: String? {
        guard model.state(of: session).needsAction else { return nil }
        let failure = model.activity.last {
            $0.session == session.name && $0.kind == .renewalFailed && $0.at >= session.receivedAt
        }
        return failure.flatMap { $0.details.isEmpty ? nil : Words.sentence($0.details) }
    }

    /// Adds the start of the session, its renewals and its end.
    func addLifetime(to page: inout Document) {
        page.term(SessionWords.signedIn, time(session.grantedAt), width: width)
        let isRenewed = session.receivedAt != session.grantedAt
        page.term(SessionWords.renewed, isRenewed ? time(session.receivedAt) : SessionListWords.never, width: width)
        page.term(
            SessionWords.nextRenewal,
            session.nextRenewalAt.map { $0 > model.now ? time($0) : SessionListWords.due }
                ?? (session.isRenewable ? onDemand : tr("none planned")),
            width: width)
        page.term(SessionWords.renewableUntil, renewable, width: width)
    }

    /// When a session that renews without a plan is renewed; in a narrow column, as short as in the list.
    private var onDemand: String {
        width + SafeText.width(of: SessionWords.onDemand) > columns ? SessionListWords.onDemand : SessionWords.onDemand
    }

    func addScopes(to page: inout Document) {
        page.term(SessionWords.scopes, session.scopes.isEmpty ? SessionListWords.none : session.scopes.wire, width: width)
    }

    func addLastUse(to page: inout Document) { page.term(SessionWords.lastUsed, lastUse, width: width) }

    func addWarnings(to page: inout Document) {
        // Beside the list, the state tells the whole reason.
        let told = times == .full ? nil : reason
        let warnings = session.warnings.map { Words.sentence($0.text()) }.filter { $0 != told }
        guard !warnings.isEmpty else { return }
        page.heading(tr("Warnings"))
        for warning in warnings {
            page.words([Document.Span("! ", .warning, .bold), Document.Span(warning, .warning)], hanging: 2)
        }
    }

    /// Adds the activity of the session, the newest first.
    ///
    /// - Parameter ofPrograms: whether only the entries about a program are added.
    func addTimeline(to page: inout Document, hasTitle: Bool = true, ofPrograms: Bool = false) {
        let entries = model.activity.filter { $0.session == session.name && (!ofPrograms || CallingProgram(of: $0) != nil) }
        let lines = FoldedActivity.newest(entries, limit: Self.timelineLimit)
        guard !lines.isEmpty else { return }
        if hasTitle { page.heading(ActivityWords.title) }
        ActivityRows(lines, in: model).add(to: &page, glyphs, details: \.newest.details)
    }

    private static let timelineLimit = 20

    private var renewable: String {
        guard session.isRenewable else {
            guard times == .full else { return SessionListWords.neverRenews }
            return model.state(of: session).needsAction ? tr("no: the session has ended") : tr("no: the provider issued no refresh token")
        }
        return session.refreshExpiresAt.map { tr("until {1}", time($0)) } ?? tr("yes, no known end")
    }

    private var lastUse: String {
        guard let at = session.lastUsedAt else { return SessionListWords.never }
        let program = session.lastUsedBy.map { CallingProgram(caller: $0).name } ?? SessionWords.aProgram
        return tr("by {1}, {2}", program, time(at))
    }

    private func time(_ moment: Timestamp) -> String {
        let isToday = Words.date(moment) == Words.date(model.now)
        return switch times {
        case .full: Words.timeInWords(moment, now: model.now)
        // The date of another day says how far away it is.
        case .short: isToday ? Words.timeInWords(moment, now: model.now) : Words.time(moment, now: model.now)
        case .relative: Words.relative(moment, to: model.now)
        }
    }
}
