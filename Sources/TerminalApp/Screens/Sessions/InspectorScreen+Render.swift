import AuthModel
import Localization
import TerminalUI

extension InspectorScreen {
    func title(in model: AppModel) -> String { InspectorWords.title }
    func status(in model: AppModel) -> String { name.description }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let page = InspectorPage(screen: self, model: model, glyphs: buffer.glyphs)
        let (top, body) = page.split(area)
        let row = top.inset(columns: area.columns >= 30 ? Document.margin : 0).row(0)
        if model.isPlain, let token {
            buffer.draw(Tabs([Words.token(token.kind)], selected: 0, surface: .screen), in: row)
        } else {
            titles.draw(in: row, into: &buffer)
        }
        page.panels(in: body)?.draw(self, in: model, into: &buffer)
        for part in page.parts(in: body) {
            part.document.draw(in: part.area, scroll: part.scroll(of: self), into: &buffer)
        }
    }
}

/// The inspector's view of a token, as documents.
struct InspectorPage {
    /// A document with its place, and its lines that can be selected.
    struct Part {
        var area: Rect
        var document: Document
        /// The index of the block of each claim, by the index of the claim.
        var lines: [Int: Int] = [:]

        /// Returns the first visible row: that of the screen, or the nearest one that shows the selected claim. The first claim shows the
        /// top.
        func scroll(of screen: InspectorScreen) -> Int {
            guard !screen.claims.isEmpty else { return screen.scroll }
            guard screen.selectedClaim > 0, let block = lines[screen.selectedClaim] else { return 0 }
            func rows(to end: Int) -> Int {
                var part = document
                part.blocks = Array(document.blocks.prefix(end))
                return part.rows(columns: area.columns).count
            }
            let top = rows(to: block)
            let first = min(max(screen.scroll, rows(to: block + 1) - area.rows), top)
            return max(0, min(first, rows(to: document.blocks.count) - area.rows))
        }
    }

    let screen: InspectorScreen
    let model: AppModel
    var glyphs: GlyphSet = .unicode

    /// The columns of the corners beside the titles in a frame.
    static let frameColumns = 4

    /// Returns the rows of the titles above the page, which are empty if the titles are in a frame, and the area below.
    func split(_ area: Rect) -> (top: Rect, rest: Rect) {
        let panels = screen.token.flatMap { _ in
            InspectorPanels(in: area, hasClaims: !screen.parts.isEmpty, isPlain: model.isPlain)
        }
        let isFramed = panels.flatMap { screen.titles.place(inFrameOf: $0.token, beside: Self.frameColumns) } != nil
        return area.splitTop(isFramed || screen.tokens.isEmpty || area.rows < 4 ? 0 : area.rows < 8 ? 1 : 2)
    }

    /// Returns the token's state, times and header, then the claims; side by side if the area is wide enough.
    func parts(in area: Rect) -> [Part] {
        guard let panels = panels(in: area) else { return documents(in: [area], hasMargin: true) }
        return documents(in: panels.contents, hasMargin: false)
    }

    /// Returns the boxes around the documents; nil if the area is too small for them, or there is no token.
    func panels(in area: Rect) -> InspectorPanels? {
        guard screen.token != nil,
            var panels = InspectorPanels(in: area, hasClaims: !screen.parts.isEmpty, isPlain: model.isPlain)
        else { return nil }
        let contents = documents(in: panels.contents, hasMargin: false)
        panels.addSession(below: contents.map { $0.document.rows(columns: $0.area.columns).count }.max() ?? 0)
        return panels
    }

    private func documents(in areas: [Rect], hasMargin: Bool) -> [Part] {
        guard let token = screen.token else { return [Part(area: areas[0], document: nothing)] }
        var pages = areas.map { Part(area: $0, document: Document()) }
        for index in pages.indices { pages[index].document.hasMargin = hasMargin }
        addAnatomy(of: token, width: areas[0].columns - (hasMargin ? 2 * Document.margin : 0), to: &pages[0].document)
        var index = 0
        for part in screen.parts {
            let page = part.kind == .header ? 0 : pages.count - 1
            add(part, from: index, to: &pages[page])
            index += part.members.count
        }
        return pages
    }

    /// Returns the number of scroll positions of the longer part.
    func scrollPositions(in size: Size) -> Int {
        parts(below: size).map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
    }

    /// Returns the first visible row of the part with the selected claim.
    func scroll(in size: Size) -> Int {
        parts(below: size).first { $0.lines[screen.selectedClaim] != nil }?.scroll(of: screen) ?? 0
    }

    private func parts(below size: Size) -> [Part] {
        let body = split(Rect(size)).rest
        return parts(in: Rect(Size(columns: size.columns, rows: max(1, body.rows))))
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

    /// Adds the members of a part, each of which can be selected and copied.
    private func add(_ part: TokenPart, from first: Int, to page: inout Part) {
        page.document.blank()
        page.document.row(Document.Span(part.title, part.role, .bold))
        let columns = page.area.columns - (page.document.hasMargin ? 2 * Document.margin : 0)
        // The pointer is before the name, and a gap after it.
        let most = SessionPage.widthOfClaimNames(in: columns)
        let names = part.members.map { SessionPage.nameOfClaim($0.name, part.meaning(of: $0), columns: most - 4) }
        let width = min(most, 4 + names.reduce(0) { max($0, SafeText.width(of: $1)) })
        for (offset, member) in part.members.enumerated() {
            let index = first + offset
            let isSelected = index == screen.selectedClaim
            let pointer = Table.pointer(isSelected, glyphs).text
            let value = ClaimWords.value(member.value, of: member.name, now: model.now)
            let name = pointer + names[offset]
            page.document.term(
                name, [Document.Span(value, .text, isSelected ? .bold : [])], width: width, as: isSelected ? .accent : .muted)
            if isSelected { page.document.choose() }
            page.document.mark(as: .row(index))
            page.lines[index] = page.document.blocks.count - 1
        }
    }
}

extension InspectorPage {
    private typealias Span = Document.Span

    /// The minimum width for the line with the times.
    private static let rulerColumns = 50
    private static let longestRuler = 100

    /// Adds the token in its three parts, its verification, its times, its scopes and its changes.
    func addAnatomy(of token: TokenView, width: Int, to page: inout Document) {
        if let revealed = screen.revealed, revealed.kind == token.kind {
            let left = max(.zero, revealed.until - model.now)
            let text = tr("The {1}. It is masked in {2}; press v to mask it now.", Words.token(token.kind), Words.span(left))
            page.words([Span(text, .warning, .bold)])
            page.verbatim(Document.Span(revealed.token.reveal()))
        } else {
            page.words(redacted(token))
        }
        addVerification(of: token, to: &page)
        addTimes(of: token, width: width, to: &page)
        addScopes(of: token, width: width, to: &page)
        addChanges(of: token, to: &page)
        // The box of the session has it.
        if token.kind == .refresh, page.hasMargin, let session = model.session(screen.name) {
            page.heading(SessionWords.lifetime)
            SessionCard(session: session, model: model, glyphs: glyphs).addLifetime(to: &page)
        }
    }

    /// Returns the first characters of a token; of a JWT, with its three parts.
    private func redacted(_ token: TokenView) -> [Span] {
        guard token.header != nil else { return [Span(token.redacted.text())] }
        // The payload and the signature are never shown.
        let hidden = String(repeating: glyphs.mask, count: 8)
        let (start, count) = token.redactedParts(glyphs)
        let length = count.isEmpty ? [] : [Span("  " + count, .muted)]
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
            let title = isJWT ? [Span(tr("Signature") + "  ", .muted, .bold)] : []
            return page.words(title + [SessionPage.verification(token.verification, glyphs)], hanging: 2)
        }
        switch token.kind {
        case .refresh:
            page.words(tr("Only the provider can read a refresh token, and it never leaves the session service."), .muted)
        case .access, .id: page.words(InspectorWords.opaque, .muted)
        }
        if token.kind == .access, screen.parts.isEmpty { page.words(InspectorWords.noUserInfo, .muted) }
    }

    /// Adds the token's times on one line, with the remaining time.
    private func addTimes(of token: TokenView, width: Int, to page: inout Document) {
        guard let end = token.expiresAt else { return }
        let left = end - model.now
        let issued = claimTime("iat", of: token) ?? model.session(screen.name)?.receivedAt ?? model.now
        // What is renewed in time asks for nothing, and an ID token has done its work.
        let isShort = token.kind == .access && model.session(screen.name).map { model.state(of: $0) } == .expiring
        if left <= .zero {
            let moment = Words.relative(end, to: model.now)
            token.kind == .id
                ? page.words(Words.sentence(tr("Expired {1}; it only proved the sign-in.", moment)), .muted)
                : page.words(Words.sentence(SessionWords.ended(moment)), .warning)
        }
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
        var marks = [TimeRuler.Mark(TimelineWords.now, at: model.now, isNow: true), label("exp", end)]
        switch (begin, issued) {
        case (let begin?, let issued?) where begin == issued: marks.append(label("nbf, iat", issued))
        case (let begin, let issued):
            if let begin { marks.append(label("nbf", begin)) }
            if let issued { marks.append(label("iat", issued)) }
            if begin == nil, issued == nil, let session = model.session(screen.name) {
                marks.append(label(tr("received"), session.receivedAt))
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
