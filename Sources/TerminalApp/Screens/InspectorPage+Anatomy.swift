import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension InspectorPage {
    private typealias Span = Document.Span

    /// The minimum width for the line with the times.
    private static let rulerColumns = 50
    private static let longestRuler = 100

    /// Adds the token in its three parts, its verification, its times, its scopes and its changes.
    func addAnatomy(of token: TokenView, width: Int, to page: inout Document) {
        if let revealed = screen.revealed, revealed.kind == token.kind {
            let left = max(.zero, revealed.until - model.now)
            page.words([Span(InspectorWords.revealed(Words.token(token.kind), Words.span(left)), .warning, .bold)])
            page.verbatim(revealed.token.reveal(), Style(.text))
        } else {
            page.words(redacted(token))
        }
        addVerification(of: token, to: &page)
        addTimes(of: token, width: width, to: &page)
        addScopes(of: token, width: width, to: &page)
        addChanges(of: token, to: &page)
        if token.kind == .refresh, let session = model.session(screen.name) {
            page.heading(SessionWords.lifetime)
            SessionCard(session: session, model: model, glyphs: glyphs).addLifetime(to: &page)
        }
    }

    /// Returns the first characters of a token; of a JWT, with its three parts.
    private func redacted(_ token: TokenView) -> [Span] {
        guard token.header != nil else { return [Span(token.redacted.text())] }
        // The payload and the signature are never shown.
        let hidden = String(repeating: glyphs.mask, count: 8)
        var start = token.redacted.text()
        var length: [Span] = []
        if case .text(let text)? = token.redacted.arguments["text"], case .text(let count)? = token.redacted.arguments["count"],
            let count = Int(count)
        {
            start = text + glyphs.ellipsis
            length = [Span("  " + InspectorWords.characters(count), .muted)]
        }
        return [Span(start, .info), Span("."), Span(hidden, .success), Span("."), Span(hidden, .muted)] + length
    }

    private func addVerification(of token: TokenView, to page: inout Document) {
        var isOpaque = token.verification == .opaque
        if case .unverified(let reason) = token.verification, token.header == nil, token.claimCount > 0 {
            isOpaque = true
            page.words(Words.sentence(reason))
        }
        guard isOpaque, token.header == nil else {
            let isJWT = token.header != nil
            let title = isJWT ? [Span(InspectorWords.signature + "  ", .muted, .bold)] : []
            return page.words(title + [SessionPage.verification(token.verification, glyphs)], hanging: 2)
        }
        switch token.kind {
        case .refresh: page.words(InspectorWords.opaqueRefreshToken, .muted)
        case .access, .id: page.words(InspectorWords.opaque, .muted)
        }
        if token.kind == .access, screen.parts.isEmpty { page.words(InspectorWords.noUserInfo, .muted) }
    }

    /// Adds the token's times on one line, with the remaining time.
    private func addTimes(of token: TokenView, width: Int, to page: inout Document) {
        guard let end = token.expiresAt else { return }
        let left = end - model.now
        let issued = claimTime("iat", of: token) ?? model.session(screen.name)?.receivedAt ?? model.now
        let isShort = left < SessionSummary.freshness
        if left <= .zero { page.words(Words.sentence(SessionWords.ended(Words.relative(end, to: model.now))), .warning) }
        guard width >= Self.rulerColumns, !model.isPlain else {
            guard left > .zero else { return }
            let whole = max(.milliseconds(1), end - issued)
            return page.bar(
                min(1, Double(left.wholeMilliseconds) / Double(whole.wholeMilliseconds)), SigningInWords.left(Words.span(left)),
                isShort ? .warning : .text, bar: isShort ? .warning : .barFilled)
        }
        let words = left > .zero ? "  " + SigningInWords.left(Words.span(left)) : ""
        let columns = min(Self.longestRuler, width - SafeText.width(of: words))
        let ruler = TimeRuler(marks(of: token, until: end), columns: columns)
        page.blocks.append(
            .row(line(ruler, role: isShort ? .warning : .barFilled) + [Span(words, isShort ? .warning : .text)], indent: 0))
        for row in 0...(ruler.labels.map(\.row).max() ?? 0) { page.blocks.append(.row(labels(of: ruler, row: row), indent: 0)) }
    }

    /// Returns the times of a token with labels; `nbf` and `iat` are often the same.
    private func marks(of token: TokenView, until end: Timestamp) -> [TimeRuler.Mark] {
        let (begin, issued) = (claimTime("nbf", of: token), claimTime("iat", of: token))
        func label(_ name: String, _ at: Timestamp) -> TimeRuler.Mark {
            TimeRuler.Mark("\(name) \(Words.relative(at, to: model.now))", at: at)
        }
        var marks = [TimeRuler.Mark(InspectorWords.now, at: model.now, isNow: true), label("exp", end)]
        switch (begin, issued) {
        case (let begin?, let issued?) where begin == issued: marks.append(label("nbf, iat", issued))
        case (let begin, let issued):
            if let begin { marks.append(label("nbf", begin)) }
            if let issued { marks.append(label("iat", issued)) }
            if begin == nil, issued == nil, let session = model.session(screen.name) {
                marks.append(label(InspectorWords.received, session.receivedAt))
            }
        }
        return marks
    }

    /// Returns the line of a ruler; the part from now to the end is filled.
    private func line(_ ruler: TimeRuler, role: Role) -> [Span] {
        let now = ruler.now ?? ruler.columns
        return (0..<ruler.columns).map { column in
            if column == now { return Span(glyphs.barMark, .accent, .bold) }
            if ruler.marks.contains(column) { return Span(glyphs.barMark, .text) }
            let isLeft = column > now && column < (ruler.marks.last ?? 0)
            return isLeft ? Span(glyphs.barFilled, role) : Span(glyphs.barEmpty, .barEmpty)
        }
    }

    private func labels(of ruler: TimeRuler, row: Int) -> [Span] {
        var spans: [Span] = []
        var column = 0
        for label in ruler.labels where label.row == row {
            spans.append(Span(String(repeating: " ", count: max(0, label.column - column))))
            spans.append(label.isNow ? Span(label.text, .accent, .bold) : Span(label.text, .muted))
            column = label.column + SafeText.width(of: label.text)
        }
        return spans
    }

    private func claimTime(_ name: String, of token: TokenView) -> Timestamp? {
        token.claims?[name]?.double.flatMap { $0 >= 0 ? Timestamp(seconds: $0) : nil }
    }

    /// Adds the scopes as chips, in as many rows as they need.
    private func addScopes(of token: TokenView, width: Int, to page: inout Document) {
        var scopes = TokenChanges.scopes(of: token.claims)
        if scopes.isEmpty, token.kind == .access {
            scopes = model.session(screen.name)?.scopes.values ?? []
        }
        guard !scopes.isEmpty else { return }
        page.blank()
        let title = SessionWords.scopes + "  "
        let indent = SafeText.width(of: title)
        var row = [Span(title, .muted)]
        var column = indent
        for scope in scopes {
            let text = " \(scope) "
            let columns = SafeText.width(of: text)
            if column > indent, column + columns > width {
                page.blocks.append(.row(row, indent: 0))
                row = [Span(String(repeating: " ", count: indent))]
                column = indent
            }
            var chip = Span(text)
            chip.style = Style(.text, on: .field)
            row += [chip, Span(" ")]
            column += columns + 1
        }
        page.blocks.append(.row(row, indent: 0))
    }

    /// Adds what is different since the last renewal.
    private func addChanges(of token: TokenView, to page: inout Document) {
        guard let old = token.formerClaims, let new = token.claims else { return }
        page.heading(InspectorWords.sinceRenewal)
        let changes = TokenChanges(from: old, to: new).changes
        guard !changes.isEmpty else { return page.words(InspectorWords.onlyTimes, .muted) }
        page.words(
            changes.map { change in
                switch change {
                case .added(let name): Span("+\(name)  ", .success)
                case .removed(let name): Span((glyphs == .ascii ? "-" : "−") + name + "  ", .warning)
                case .changed(let name): Span("~\(name)  ", .info)
                }
            })
    }
}
