import AuthModel
import Localization
import TerminalUI

/// The tokens and their claims.
extension SessionPage {
    /// The largest width of a claim's name and description.
    private static let claimWidth = 40
    /// The least width for them on a narrow page.
    private static let leastClaimWidth = 22
    /// The largest width of a claim's name alone, beside or below the list: enough for `preferred_username`.
    private static let claimWidthInPane = 20

    /// - Parameter isInBox: whether the title of the box around the page is that of the tokens.
    func addContent(to page: inout Document, isInBox: Bool = false) {
        guard screen.summary(in: model) != nil, case .loaded(let detail) = screen.content else { return }
        addTokens(detail, isInBox: isInBox, to: &page)
        addClaims(detail, to: &page)
    }

    func addTokens(_ detail: SessionDetail, isInBox: Bool, to page: inout Document) {
        guard !detail.tokens.isEmpty else { return }
        if !isInBox { page.heading(SessionWords.tokens) }
        for token in detail.tokens {
            // Where a row is cut, its end is what one can do without.
            let (start, length) = token.redactedParts(glyphs)
            var spans = [Document.Span(start)]
            if let end = token.expiresAt {
                let words = Words.relative(end, to: model.now)
                let life = end > model.now ? tr("expires {1}", words) : SessionWords.ended(words)
                spans.insert(Document.Span(life + "  "), at: 0)
            }
            var verification = [Self.verification(token.verification, glyphs)]
            // The length is never wrapped: it has the row with space for it, or none.
            if !length.isEmpty, fits(spans + [Document.Span(" " + length)]) {
                spans.append(Document.Span(" " + length))
            } else if !length.isEmpty, fits([Document.Span(length + "  ")] + verification) {
                verification.insert(Document.Span(length + "  ", .muted), at: 0)
            }
            page.term(Words.token(token.kind), spans, width: termWidth)
            page.term("", verification, width: termWidth)
        }
    }

    /// Returns whether a value has space in one row after its term; where the width is unknown, it has.
    private func fits(_ spans: [Document.Span]) -> Bool {
        columns == 0 || termWidth + spans.reduce(0) { $0 + SafeText.width(of: $1.text) } <= columns
    }

    static func verification(_ verification: TokenView.Verification, _ glyphs: GlyphSet) -> Document.Span {
        switch verification {
        case .opaque: Document.Span(tr("opaque: cannot be decoded"), .muted)
        case .verified(let algorithm, let key): Document.Span("\(glyphs.check) " + SessionWords.verified(algorithm, key), .success)
        case .unverified(let reason), .refused(let reason):
            Document.Span("! " + tr("decoded only, not verified: {1}", reason.text()), .warning)
        }
    }

    func addClaims(_ detail: SessionDetail, to page: inout Document) {
        let idClaims = detail.tokens.first { $0.kind == .id }?.claims ?? detail.identity.idTokenClaims
        addClaims(tr("Claims of the ID token"), idClaims, to: &page)
        addClaims(tr("Claims of the access token"), detail.tokens.first { $0.kind == .access }?.claims, to: &page)
        // Beside the list there is no space to say the same twice.
        let known = isPane ? idClaims.members ?? [] : []
        addClaims(SessionWords.userInfo, detail.identity.userInfo, but: known, to: &page)
    }

    private func addClaims(_ title: String, _ claims: JSONValue?, but known: [JSONValue.Member] = [], to page: inout Document) {
        let members = (claims?.members ?? []).filter { member in !known.contains { $0.name == member.name && $0.value == member.value } }
        guard !members.isEmpty else { return }
        page.heading(title)
        let isShort = isPane || namesClaimsAlone
        let most = Self.widthOfClaimNames(in: columns)
        let rows = members.map { member in
            let meaning = isShort ? nil : ClaimWords.name(member.name)
            return (
                name: Self.nameOfClaim(member.name, meaning, columns: most - 2),
                value: ClaimWords.value(member.value, of: member.name, now: model.now)
            )
        }
        // All values begin in one column; a long one is wrapped there.
        let longest = rows.reduce(0) { max($0, SafeText.width(of: $1.name) + 2) }
        let width = isShort ? max(termWidth, min(Self.claimWidthInPane, longest)) : min(most, longest)
        for row in rows { page.term(row.name, row.value, width: width) }
    }

    /// Returns the largest width of the names of claims with their meanings: less than half of a page, so that the values have the most.
    ///
    /// - Parameter columns: the width of the page; 0 if it is unknown.
    static func widthOfClaimNames(in columns: Int) -> Int {
        columns == 0 ? claimWidth : min(claimWidth, max(leastClaimWidth, columns * 9 / 20))
    }

    /// Returns the name of a claim with its meaning, where there is space for both.
    static func nameOfClaim(_ name: String, _ meaning: String?, columns: Int) -> String {
        guard let meaning, meaning != name else { return name }
        let whole = "\(name) (\(meaning))"
        return SafeText.width(of: whole) <= columns ? whole : name
    }
}

extension TokenView {
    /// Returns the first characters of the token, and its length in brackets; the length is empty if the text does not say it.
    func redactedParts(_ glyphs: GlyphSet) -> (start: String, length: String) {
        guard case .text(let text)? = redacted.arguments["text"], case .text(let number)? = redacted.arguments["count"],
            let count = Int(number)
        else { return (redacted.text(), "") }
        return (text + glyphs.ellipsis, plural(count, "[{1} character]", "[{1} characters]"))
    }
}
