import AuthModel
import TerminalUI

extension SessionScreen {
    func title(in world: World) -> String { (summary(in: world)?.name ?? name).description }

    func status(in world: World) -> String {
        guard let session = summary(in: world) else { return "" }
        return TimeLeft(session, in: world).sentence
    }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        let parts = SessionPage(screen: self, world: world, glyphs: buffer.glyphs).parts(in: area)
        for part in parts { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
        for part in parts.dropLast() {
            let line = Rect(column: part.area.right, row: area.top, columns: 1, rows: area.rows)
            buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        }
    }
}

/// What the session screen says, as a document.
struct SessionPage {
    let screen: SessionScreen
    let world: World
    var glyphs: GlyphSet = .unicode

    /// The columns of a claim's name and meaning.
    private static let claimWidth = 40

    /// What stands where: the facts, then the tokens and claims; beside each other where there is room for both.
    func parts(in area: Rect) -> [(area: Rect, document: Document)] {
        guard area.columns >= Self.wideColumns else {
            var page = facts
            addContent(to: &page)
            addTimeline(to: &page)
            return [(area, page)]
        }
        let areas = area.split(columns: [.share(2), .share(3)], gap: 1)
        var left = facts
        addTimeline(to: &left)
        var right = Document()
        addContent(to: &right)
        return [(areas[0], left), (areas[1], right)]
    }

    /// How far the longer part can be scrolled.
    func scrollPositions(in size: Size) -> Int {
        parts(in: Rect(size)).map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
    }

    private static let wideColumns = 150

    private var facts: Document {
        var page = Document()
        let session = screen.summary(in: world)
        addRevealed(to: &page)
        if case .loaded(let detail) = screen.content { addIdentity(detail, to: &page) }
        if let session {
            SessionCard(session: session, world: world, glyphs: glyphs).addState(to: &page)
            page.blank()
        } else {
            page.words(Words.sentence(SessionWords.gone), .warning)
        }
        switch screen.content {
        case .loading: page.words(world.isLocked ? SessionWords.sealed : SessionWords.opening, .muted)
        case .failed(let failure):
            page.words(Words.sentence(failure.summary), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        case .loaded(let detail): addTerms(detail, to: &page)
        }
        guard let session else { return page }
        let card = SessionCard(session: session, world: world, glyphs: glyphs)
        card.addTimes(to: &page)
        card.addWarnings(to: &page)
        return page
    }

    /// The token in full, over the whole width so that it can be marked, and how long it stays.
    private func addRevealed(to page: inout Document) {
        guard let revealed = screen.revealed else { return }
        let left = max(.zero, revealed.until - world.now)
        page.words([Document.Span(SessionWords.revealed(Words.span(left)), .warning, .bold)])
        page.verbatim(revealed.token.reveal(), Style(.text))
        page.blank()
    }

    private func addContent(to page: inout Document) {
        guard screen.summary(in: world) != nil, case .loaded(let detail) = screen.content else { return }
        addTokens(detail, to: &page)
        addClaims(detail, to: &page)
    }

    private func addTimeline(to page: inout Document) {
        guard let session = screen.summary(in: world) else { return }
        SessionCard(session: session, world: world, glyphs: glyphs).addTimeline(to: &page)
    }

    private func addIdentity(_ detail: SessionDetail, to page: inout Document) {
        let identity = detail.identity
        let name = identity.displayName ?? identity.defaultLabel
        page.words([Document.Span(name, .title, .bold)])
        if let email = identity.text("email"), email != name { page.words(email, .muted) }
        page.blank()
    }

    private func addTerms(_ detail: SessionDetail, to page: inout Document) {
        page.heading(SessionWords.identity)
        let width = SessionCard.width
        page.term(SessionWords.issuer, detail.identity.issuer, width: width)
        if !detail.identity.subject.isEmpty { page.term(SessionWords.subject, detail.identity.subject, width: width) }
        page.term(SessionWords.client, detail.clientID, width: width)
        if !detail.apiHosts.isEmpty { page.term(SessionWords.apiHosts, detail.apiHosts.joined(separator: ", "), width: width) }
        addActions(detail, to: &page)
    }

    /// Who may do what there: guests first.
    private func addActions(_ detail: SessionDetail, to page: inout Document) {
        guard !detail.actions.isEmpty else { return }
        page.heading(SessionWords.actions)
        func names(_ needsSignIn: Bool) -> String {
            let names = detail.actions.filter { $0.needsSignIn == needsSignIn }.map(\.name)
            return names.isEmpty ? "–" : names.joined(separator: ", ")
        }
        page.term(SessionWords.guestsMay, names(false), width: SessionCard.width)
        page.term(SessionWords.signedInMay, names(true), width: SessionCard.width)
    }

    private func addTokens(_ detail: SessionDetail, to page: inout Document) {
        page.heading(SessionWords.tokens)
        for token in detail.tokens {
            var spans = [Document.Span(token.redacted)]
            if let end = token.expiresAt {
                let words = Words.relative(end, to: world.now)
                spans.append(Document.Span("  " + (end > world.now ? SessionWords.ends(words) : SessionWords.ended(words))))
            }
            page.term(Words.token(token.kind), spans, width: SessionCard.width)
            page.term("", [Self.verification(token.verification, glyphs)], width: SessionCard.width)
        }
    }

    static func verification(_ verification: TokenView.Verification, _ glyphs: GlyphSet) -> Document.Span {
        switch verification {
        case .opaque: Document.Span(SessionWords.opaque, .muted)
        case .verified(let algorithm, let key): Document.Span("\(glyphs.check) " + SessionWords.verified(algorithm, key), .success)
        case .unverified(let reason), .refused(let reason): Document.Span("! " + SessionWords.unverified(reason), .warning)
        }
    }

    private func addClaims(_ detail: SessionDetail, to page: inout Document) {
        let idClaims = detail.tokens.first { $0.kind == .id }?.claims ?? detail.identity.idTokenClaims
        addClaims(SessionWords.idClaims, idClaims, to: &page)
        addClaims(SessionWords.accessClaims, detail.tokens.first { $0.kind == .access }?.claims, to: &page)
        addClaims(SessionWords.userInfo, detail.identity.userInfo, to: &page)
    }

    private func addClaims(_ title: String, _ claims: JSONValue?, to page: inout Document) {
        guard let members = claims?.members, !members.isEmpty else { return }
        page.heading(title)
        for member in members {
            let meaning = ClaimWords.name(member.name).flatMap { $0 == member.name ? nil : " (\($0))" } ?? ""
            page.term(member.name + meaning, ClaimWords.value(member.value, of: member.name, now: world.now), width: Self.claimWidth)
        }
    }
}
