import AuthModel
import TerminalUI

extension SessionScreen {
    func title(in world: World) -> String { (summary(in: world)?.name ?? name).description }

    func status(in world: World) -> String {
        guard let session = summary(in: world) else { return "" }
        return TimeLeft(session, in: world).sentence
    }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        SessionPage(screen: self, world: world, glyphs: buffer.glyphs).document.draw(in: area, scroll: scroll, into: &buffer)
    }
}

/// What the session screen says, as a document.
struct SessionPage {
    let screen: SessionScreen
    let world: World
    var glyphs: GlyphSet = .unicode

    /// The columns of a claim's name and meaning.
    private static let claimWidth = 40

    var document: Document {
        var page = Document()
        let session = screen.summary(in: world)
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
        if case .loaded(let detail) = screen.content {
            addTokens(detail, to: &page)
            addClaims(detail, to: &page)
        }
        return page
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
        page.term(SessionWords.subject, detail.identity.subject, width: width)
        page.term(SessionWords.client, detail.clientID, width: width)
        if !detail.apiHosts.isEmpty { page.term(SessionWords.apiHosts, detail.apiHosts.joined(separator: ", "), width: width) }
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
            page.term("", [verification(token.verification)], width: SessionCard.width)
        }
    }

    private func verification(_ verification: TokenView.Verification) -> Document.Span {
        switch verification {
        case .opaque: Document.Span(SessionWords.opaque, .muted)
        case .verified(let algorithm, let key): Document.Span("\(glyphs.check) " + SessionWords.verified(algorithm, key), .success)
        case .unverified(let reason): Document.Span("! " + SessionWords.unverified(reason), .warning)
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
