import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension InspectorScreen {
    func title(in model: AppModel) -> String { InspectorWords.title }
    func status(in model: AppModel) -> String { name.description }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let hasTabs = !tokens.isEmpty && area.rows >= 4
        let (top, body) = area.splitTop(hasTabs ? (area.rows >= 8 ? 2 : 1) : 0)
        let margin = area.columns >= 30 ? Document.margin : 0
        buffer.draw(Tabs(tokens.map { Words.token($0.kind) }, selected: selected, surface: .screen), in: top.inset(columns: margin).row(0))
        let parts = InspectorPage(screen: self, model: model, glyphs: buffer.glyphs).parts(in: body)
        for part in parts { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
    }
}

/// The inspector's view of a token, as documents.
struct InspectorPage {
    let screen: InspectorScreen
    let model: AppModel
    var glyphs: GlyphSet = .unicode

    private static let wideColumns = 150
    private static let termWidth = 40

    /// Returns the signature, time and header, then the claims; side by side if the area is wide enough.
    func parts(in area: Rect) -> [(area: Rect, document: Document)] {
        guard let token = screen.token else { return [(area, nothing)] }
        var first = Document()
        addState(of: token, to: &first)
        add(InspectorWords.header, token.header?.members, ClaimWords.headerName, to: &first)
        guard area.columns >= Self.wideColumns else {
            add(InspectorWords.claims, token.claims?.members, ClaimWords.name, to: &first)
            return [(area, first)]
        }
        let areas = area.split(columns: [.share(2), .share(3)], gap: 1)
        var second = Document()
        add(InspectorWords.claims, token.claims?.members, ClaimWords.name, to: &second)
        return [(areas[0], first), (areas[1], second)]
    }

    /// Returns the number of scroll positions of the longer part.
    func scrollPositions(in size: Size) -> Int {
        parts(in: Rect(Size(columns: size.columns, rows: max(1, size.rows - 2)))).map { $0.document.scrollPositions(in: $0.area.size) }
            .max() ?? 1
    }

    private var nothing: Document {
        var page = Document()
        switch screen.content {
        case .loading: page.words(model.isLocked ? SessionWords.sealed : SessionWords.opening, .muted)
        case .loaded: page.words(Words.sentence(InspectorWords.nothingYet), .muted)
        case .failed(let failure):
            page.words(Words.sentence(failure.message), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        }
        return page
    }

    private func addState(of token: TokenView, to page: inout Document) {
        if let revealed = screen.revealed, revealed.kind == token.kind {
            let left = max(.zero, revealed.until - model.now)
            page.words([Document.Span(InspectorWords.revealed(Words.token(token.kind), Words.span(left)), .warning, .bold)])
            page.verbatim(revealed.token.reveal(), Style(.text))
        } else {
            page.words(token.redacted.text())
        }
        page.words([SessionPage.verification(token.verification, glyphs)], hanging: 2)
        if let end = token.expiresAt { addTime(until: end, of: token, to: &page) }
        page.blank()
    }

    /// Adds the remaining time of the token, as a share of its lifetime.
    private func addTime(until end: Timestamp, of token: TokenView, to page: inout Document) {
        let left = end - model.now
        guard left > .zero else { return page.words(Words.sentence(SessionWords.ended(Words.relative(end, to: model.now))), .warning) }
        let begin = token.claims?["iat"]?.double.map { Timestamp(seconds: $0) } ?? model.session(screen.name)?.receivedAt ?? model.now
        let whole = max(.milliseconds(1), end - begin)
        let isShort = left < SessionSummary.freshness
        page.bar(
            min(1, Double(left.wholeMilliseconds) / Double(whole.wholeMilliseconds)), SigningInWords.left(Words.span(left)),
            isShort ? .warning : .text, bar: isShort ? .warning : .barFilled)
    }

    private func add(_ title: String, _ members: [JSONValue.Member]?, _ meaning: (String) -> String?, to page: inout Document) {
        guard let members, !members.isEmpty else { return }
        page.heading(title)
        for member in members {
            let words = meaning(member.name).flatMap { $0 == member.name ? nil : " (\($0))" } ?? ""
            page.term(member.name + words, ClaimWords.value(member.value, of: member.name, now: model.now), width: Self.termWidth)
        }
    }
}
