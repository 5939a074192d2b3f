import AuthModel
import Localization
import TerminalUI

/// The session screen as a fixed card with the identity and the time left, and scrollable documents below it: one part at a time, or on a
/// wide terminal several side by side.
struct SessionPage {
    let screen: SessionScreen
    let model: AppModel
    var glyphs: GlyphSet = .unicode
    /// Whether the page is beside or below the list: with short times, and each value in its column.
    var isPane = false
    /// The width of the document without its margin; 0 if it is unknown.
    var columns = 0
    /// Whether claims are without their meaning, which the inspector has: their values need the space.
    var namesClaimsAlone = false
    /// Whether the graph of the last 24 hours is above the documents, which then do not tell its number again.
    var hasGraph = false

    /// A document with its area, and on a large terminal the box around it.
    struct Part {
        var area: Rect
        var document: Document
        var box: (area: Rect, title: String)?
    }

    /// The areas of the card, the graph and the documents; the card and the graph are empty if they would leave too little space.
    struct Layout {
        var card: Rect
        /// The row with the titles of the parts; nil if the page has all parts below each other, or no space for a row.
        var titles: Rect?
        var graph: Rect
        var parts: [Part]
    }

    /// The minimum width for the tokens beside the details, and for the actions below them.
    private static let wideColumns = 150
    private static let middleColumns = 96
    /// The minimum width for the two halves of the card side by side.
    static let wideCard = 90

    func layout(in area: Rect) -> Layout {
        let hasCard = !model.isPlain && area.rows >= 14 && area.columns >= 60 && screen.summary(in: model) != nil
        let cardRows = (area.columns >= Self.wideCard ? 4 : 5) + moreCardRows(columns: area.columns)
        let (card, below) = area.splitTop(hasCard ? cardRows : 0)
        let inCard = hasCard ? SessionDetailsPane.Tab.titles(inFrameOf: card) : nil
        let hasRow = inCard == nil && hasParts && area.rows >= Self.titleRows
        let (row, body) = below.splitTop(hasRow ? 1 : 0)
        let hasGap = area.columns < Self.middleColumns && (hasCard || hasRow && area.rows >= Self.gapRows)
        let isUse = screen.tab == .use
        let hasRoom = isUse ? area.rows >= Self.useBody : area.columns >= Self.wideColumns && area.rows >= Self.graphBody
        let hasGraph = hasCard && hasRoom && !issued.isEmpty
        let graphRows = isUse ? max(Self.graphRows, area.rows / 3) : Self.graphRows
        let (graph, rest) = body.inset(top: hasGap ? 1 : 0).splitTop(hasGraph ? graphRows : 0)
        let titles = hasRow ? row.inset(columns: area.columns >= 30 ? 1 : 0) : inCard
        var page = self
        page.hasGraph = hasGraph
        return Layout(card: card, titles: titles, graph: graph, parts: page.parts(in: rest, hasCard: hasCard))
    }

    /// Returns the rows that the card needs for a long reason above the key that signs in again.
    private func moreCardRows(columns: Int) -> Int {
        guard let session = screen.summary(in: model), let cure else { return 0 }
        var how = Document()
        how.hasMargin = false
        card(session).addState(to: &how, cure: cure)
        // Inside the box, a wide card has two columns, of which this is the wider one.
        let width = columns >= Self.wideCard ? (columns - 6) * 3 / 5 - 1 : columns - 4
        return min(2, max(0, how.rows(columns: width).count - 2))
    }

    /// The key that signs in again on this screen, or on the list if the page is beside or below it; nil if another action helps.
    var cure: Key? {
        guard !model.isPlain, !model.isLocked, let session = screen.summary(in: model), model.state(of: session).needsNewSignIn else {
            return nil
        }
        let changed = isPane ? model.keys[SessionsScreen.name, "open"] : model.keys[SessionScreen.name, "sign-in"]
        let keys = changed ?? [isPane ? Key.enter : Key.character("s")]
        return keys.first
    }

    /// Whether the page has parts to choose from, and not all of them below each other.
    private var hasParts: Bool { !model.isPlain && screen.summary(in: model) != nil }
    /// The minimum numbers of rows for a row with the titles of the parts, and for an empty one below it.
    private static let titleRows = 4
    private static let gapRows = 12

    /// The activity of the session, if tokens were issued in the last 24 hours.
    private var issued: [Activity] {
        guard let name = screen.summary(in: model)?.name else { return [] }
        let activity = model.activity.filter { $0.session == name }
        return UseHistory(activity, now: model.now)[name].contains { $0 > 0 } ? activity : []
    }

    func drawGraph(in area: Rect, into buffer: inout ScreenBuffer) {
        guard !area.isEmpty else { return }
        SessionsGraph(of: issued, model: model).draw(in: area, key: nil, into: &buffer)
    }

    /// The minimum number of rows for the graph between the card and the documents, and those of the graph with its box and axis.
    private static let graphBody = 50
    /// The same for the usage, of which the graph is the main part.
    private static let useBody = 24
    private static let graphRows = 8

    /// Returns the number of scroll positions of the longer part.
    func scrollPositions(in size: Size) -> Int {
        layout(in: Rect(size)).parts.map { $0.document.scrollPositions(in: $0.area.size) }.max() ?? 1
    }

    /// Returns the documents: the visible part, or for the overview the actions and the tokens too if the area is wide enough.
    private func parts(in area: Rect, hasCard: Bool) -> [Part] {
        let isWide = area.columns >= Self.middleColumns
        var page = self
        page.columns = max(0, area.columns - 2 * Document.margin)
        guard screen.tab == .overview || !hasParts else {
            if !hasCard, area.rows >= Self.headedRows { return page.headed(screen.tab, in: area) }
            if isWide, screen.tab == .tokens, let parts = tokenParts(in: area) { return parts }
            let document = page.document(of: screen.tab, isHigh: false)
            return [isWide ? boxed(document, screen.tab.title, in: area) : Part(area: area, document: document)]
        }
        var left = facts(hasCard: hasCard)
        guard isWide, hasParts else {
            if !hasParts || area.rows >= SessionDetailsPane.highRows {
                page.addContent(to: &left)
                addTimeline(to: &left)
            }
            addActions(to: &left)
            return [Part(area: area, document: left)]
        }
        let hasActionsBelow = area.columns >= Self.wideColumns
        let areas = area.split(columns: hasActionsBelow ? [.share(2), .share(3)] : [.share(1), .share(1)])
        let contents = areas.map(Panel().content)
        var tokens = Document()
        (left.hasMargin, tokens.hasMargin) = (false, false)
        page.columns = contents[1].columns
        page.namesClaimsAlone = !hasActionsBelow
        page.addContent(to: &tokens, isInBox: true)
        // The activity is below what has fewer rows.
        let (leftRows, tokenRows) = (left.rows(columns: contents[0].columns).count, tokens.rows(columns: contents[1].columns).count)
        if tokenRows > 0, tokenRows < leftRows { addTimeline(to: &tokens) } else { addTimeline(to: &left) }
        guard hasActionsBelow else {
            addActions(to: &left)
            return [boxed(left, SessionDetailsPaneWords.overview, in: areas[0]), boxed(tokens, SessionWords.tokens, in: areas[1])]
        }
        var actions = Document()
        addActions(to: &actions, isInBox: true)
        let rows = actions.rows(columns: contents[1].columns).count + 2
        let (top, bottom) = areas[1].splitBottom(min(rows, areas[1].rows / 2))
        return [
            boxed(left, SessionDetailsPaneWords.overview, in: areas[0]), boxed(tokens, SessionWords.tokens, in: top),
            boxed(actions, SessionWords.actions, in: bottom),
        ]
    }

    /// Returns the tokens with their claims beside them; nil if there are none, or while one is shown, which needs the whole width.
    private func tokenParts(in area: Rect) -> [Part]? {
        guard screen.revealed == nil, screen.summary(in: model) != nil, let detail, !detail.tokens.isEmpty else { return nil }
        let areas = area.split(columns: [.share(1), .share(1)])
        let contents = areas.map(Panel().content)
        var (tokens, claims) = (Document(), Document())
        var page = self
        page.columns = contents[0].columns
        page.addTokens(detail, isInBox: true, to: &tokens)
        page.columns = contents[1].columns
        page.namesClaimsAlone = area.columns < Self.wideColumns
        page.addClaims(detail, to: &claims)
        guard !claims.blocks.isEmpty else { return nil }
        return [boxed(tokens, SessionWords.tokens, in: areas[0]), boxed(claims, InspectorWords.claims, in: areas[1])]
    }

    private func boxed(_ document: Document, _ title: String, in area: Rect) -> Part {
        var document = document
        document.hasMargin = false
        return Part(area: Panel().content(of: area), document: document, box: (area, title))
    }

    private func facts(hasCard: Bool) -> Document {
        var page = Document()
        let session = screen.summary(in: model)
        addRevealed(to: &page)
        if let session {
            if !hasCard { addHead(of: session, to: &page) }
        } else {
            page.words(Words.sentence(SessionWords.gone), .warning)
        }
        addContentState(to: &page)
        guard let session else { return page }
        addLifetime(of: session, to: &page)
        addUsage(of: session, to: &page)
        addPrograms(of: session, to: &page)
        card(session).addWarnings(to: &page)
        return page
    }

    /// Adds the identity, or why it cannot be shown.
    func addContentState(to page: inout Document) {
        switch screen.content {
        case .loading where !model.isLocked: page.words(SessionWords.opening, .muted)
        case .loading,
            .failed where model.isLocked:
            page.words(SessionWords.sealed, .muted)
        case .failed(let failure):
            page.words(Words.sentence(failure.message), .danger)
            if let hint = failure.hint { page.words(Words.sentence(hint)) }
        case .loaded(let detail): addIdentity(detail, to: &page)
        }
    }

    /// Adds the names and the hosts that the session answers to, its scopes and its last use.
    func addUse(of session: SessionSummary, to page: inout Document) {
        let names = SessionWords.names(session.name, isDefault: model.isDefault(session.name))
        page.term(SessionWords.nameForTools, names, width: termWidth)
        let hosts = detail.map { $0.apiHosts.isEmpty ? Self.nothing : $0.apiHosts.joined(separator: ", ") }
        page.term(SessionWords.apiHosts, hosts ?? glyphs.ellipsis, width: termWidth)
        card(session).addScopes(to: &page)
        card(session).addLastUse(to: &page)
    }

    /// The details, once they are read.
    var detail: SessionDetail? {
        if case .loaded(let detail) = screen.content { detail } else { nil }
    }

    /// The value of a term that has none.
    static var nothing: String { SessionListWords.none }

    /// The width of the terms.
    var termWidth: Int { screen.summary(in: model).map { card($0).width } ?? 16 }

    func card(_ session: SessionSummary) -> SessionCard {
        SessionCard(session: session, model: model, glyphs: glyphs, times: isPane ? .short : .full)
    }

    /// Adds the card's content, for a terminal without space for the card.
    func addHead(of session: SessionSummary, to page: inout Document) {
        let (name, email) = identity(of: session)
        page.words([Document.Span(name, .title, .bold)])
        if isPane {
            // What is below keeps its place.
            page.row(Document.Span(email, .muted))
        } else {
            if !email.isEmpty { page.words(email, .muted) }
            page.blank()
        }
        card(session).addState(to: &page, reasonIn: isPane ? columns : nil, cure: cure)
        page.blank()
    }

    /// Adds the full token over the whole width, so that it can be selected, and the time until it is hidden.
    func addRevealed(to page: inout Document) {
        guard let revealed = screen.revealed else { return }
        let left = max(.zero, revealed.until - model.now)
        let text = tr("The access token. It is masked in {1}; press v to mask it now.", Words.span(left))
        page.words([Document.Span(text, .warning, .bold)])
        page.verbatim(Document.Span(revealed.token.reveal()))
        page.blank()
    }

    private func addIdentity(_ detail: SessionDetail, to page: inout Document) {
        page.heading(SessionWords.identity)
        let width = termWidth
        page.term(SessionWords.issuer, shown(detail.identity.issuer), width: width)
        if !detail.identity.subject.isEmpty { page.term(SessionWords.subject, detail.identity.subject, width: width) }
        if !detail.clientID.isEmpty { page.term(SessionWords.client, detail.clientID, width: width) }
        addRights(detail, to: &page)
    }

    /// Returns an issuer as the details beside or below the list show it: without `https://` where the whole would be cut or wrapped.
    func shown(_ issuer: String) -> String {
        let scheme = "https://"
        guard isPane, columns > 0, termWidth + SafeText.width(of: issuer) > columns, issuer.hasPrefix(scheme) else { return issuer }
        return String(issuer.dropFirst(scheme.count))
    }

    /// Adds the actions that guests and signed-in users may perform, guests first.
    func addRights(_ detail: SessionDetail, to page: inout Document) {
        guard !detail.actions.isEmpty else { return }
        page.heading(tr("Permissions"))
        func names(_ needsSignIn: Bool) -> String {
            let names = detail.actions.filter { $0.needsSignIn == needsSignIn }.map(\.name)
            return names.isEmpty ? Self.nothing : names.joined(separator: ", ")
        }
        page.term(tr("everyone"), names(false), width: termWidth)
        page.term(tr("signed in"), names(true), width: termWidth)
    }

    private func addTimeline(to page: inout Document) {
        if let session = screen.summary(in: model) { card(session).addTimeline(to: &page) }
    }

    /// Adds the available actions, from the table that decodes the keys, then the others with the reason.
    private func addActions(to page: inout Document, isInBox: Bool = false) {
        // A session that is gone has none.
        guard !model.isPlain, screen.summary(in: model) != nil else { return }
        if !isInBox { page.heading(SessionWords.actions) }
        let bindings = screen.keys(in: model).bindings.filter { SessionScreen.isAboutSession($0.action) && !$0.keys.isEmpty }
        for binding in bindings where binding.unavailable == nil {
            guard let key = binding.keys.first else { continue }
            page.term(key.label(glyphs), [Document.Span(binding.help)], width: 4, as: .key)
            page.mark(as: .key(key))
        }
        // What cannot be done now is one line for each reason.
        let reasons = bindings.compactMap(\.unavailable).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for reason in reasons {
            page.words(HelpWords.notNow(bindings.filter { $0.unavailable == reason }.map(\.label), reason), .muted)
        }
    }

    func drawCard(in area: Rect, into buffer: inout ScreenBuffer) {
        guard !area.isEmpty, let session = screen.summary(in: model) else { return }
        let room = area.columns - 8 - (SessionDetailsPane.Tab.titles(inFrameOf: area)?.columns ?? 0)
        let panel = Panel(FittedText(session.name.description, columns: room, ellipsis: glyphs.ellipsis).text)
        buffer.draw(panel, in: area)
        let inside = panel.content(of: area)
        var (who, how) = (Document(), Document())
        (who.hasMargin, how.hasMargin) = (false, false)
        let (name, email) = identity(of: session)
        let isWide = area.columns >= Self.wideCard
        who.row(Document.Span(name, .title, .bold), Document.Span(isWide || email.isEmpty ? "" : "  " + email, .muted))
        if isWide { who.row(Document.Span(email, .muted)) }
        card(session).addState(to: &how, cure: cure)
        let parts = isWide ? inside.split(columns: [.share(2), .share(3)], gap: 2) : inside.split(rows: [.cells(1), .rest])
        who.draw(in: parts[0], surface: panel.surface, into: &buffer)
        how.draw(in: parts[1], surface: panel.surface, into: &buffer)
    }

    /// Returns the user's name and email address, as far as they are known before the store is unlocked.
    func identity(of session: SessionSummary) -> (name: String, email: String) {
        guard case .loaded(let detail) = screen.content else { return (session.name.account ?? session.name.provider.text, "") }
        let name = detail.userName
        return (name, detail.identity.text("email").flatMap { $0 == name ? nil : $0 } ?? "")
    }
}
