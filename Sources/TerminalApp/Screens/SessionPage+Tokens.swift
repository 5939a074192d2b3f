import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

/// The tokens and their claims.
extension SessionPage {
    /// The width of a claim's name and description.
    private static let claimWidth = 40

    func addContent(to page: inout Document) {
        guard screen.summary(in: model) != nil, case .loaded(let detail) = screen.content else { return }
        addTokens(detail, to: &page)
        addClaims(detail, to: &page)
    }

    private func addTokens(_ detail: SessionDetail, to page: inout Document) {
        page.heading(SessionWords.tokens)
        for token in detail.tokens {
            var spans = [Document.Span(token.redacted.text())]
            if let end = token.expiresAt {
                let words = Words.relative(end, to: model.now)
                spans.append(Document.Span("  " + (end > model.now ? SessionWords.ends(words) : SessionWords.ended(words))))
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
            page.term(member.name + meaning, ClaimWords.value(member.value, of: member.name, now: model.now), width: Self.claimWidth)
        }
    }
}
