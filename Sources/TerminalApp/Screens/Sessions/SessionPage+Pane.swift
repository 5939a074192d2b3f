import AuthModel
import Localization
import TerminalUI

/// The parts of the details, beside or below the list and on the page of the session.
extension SessionPage {
    /// - Parameter isHigh: whether there is space for the other parts below the overview.
    func document(of tab: SessionDetailsPane.Tab, isHigh: Bool) -> Document {
        var page = isPane ? Self.paneDocument : Document()
        addRevealed(to: &page)
        guard let session = screen.summary(in: model) else { return page }
        let card = card(session)
        let rows = page.blocks.count
        switch tab {
        case .overview:
            addHead(of: session, to: &page)
            // The sections that every session has, with the same rows.
            addIdentityRows(to: &page)
            addLifetime(of: session, to: &page)
            addUsage(of: session, to: &page)
            card.addWarnings(to: &page)
            guard isHigh else { break }
            addPrograms(of: session, to: &page)
            addContent(to: &page)
            card.addTimeline(to: &page)
        case .tokens:
            // Nothing below has a place to keep.
            page.cutsTerms = false
            // The title of the part says what it is.
            addContent(to: &page, isInBox: true)
            if page.blocks.count == rows { addContentState(to: &page) }
        case .activity:
            card.addTimeline(to: &page, hasTitle: false)
            if page.blocks.count == rows { page.words(SessionDetailsPaneWords.noActivity, .muted) }
        case .use:
            addUse(of: session, to: &page)
            if !hasGraph { addHistory(of: session, to: &page) }
            if isPane { addPrograms(of: session, to: &page) } else { addProgramBars(of: session, to: &page) }
            card.addTimeline(to: &page, ofPrograms: true)
        }
        return page
    }

    /// Returns a part other than the overview below the state of the session, which stays while the part is scrolled.
    func headed(_ tab: SessionDetailsPane.Tab, in area: Rect) -> [Part] {
        let body = document(of: tab, isHigh: false)
        guard area.rows >= Self.headedRows, let session = screen.summary(in: model) else { return [Part(area: area, document: body)] }
        var head = isPane ? Self.paneDocument : Document()
        if area.rows >= Self.highHeadRows {
            let (name, email) = identity(of: session)
            head.row(Document.Span(name, .title, .bold), Document.Span(email.isEmpty ? "" : "  " + email, .muted))
        }
        SessionCard(session: session, model: model, glyphs: glyphs).addState(to: &head, cure: cure)
        let (top, rest) = area.splitTop(min(head.rows(columns: area.columns).count, area.rows / 2))
        return [Part(area: top, document: head), Part(area: rest.inset(top: 1), document: body)]
    }

    /// The minimum number of rows for the state above a part, and for the name of the user too.
    static let headedRows = 8
    private static let highHeadRows = 14

    private static var paneDocument: Document {
        var page = Document()
        (page.hasMargin, page.cutsTerms) = (false, true)
        return page
    }

    /// Returns the same sections for a wide area: who is signed in, until when, and how the session is used, with the warnings.
    ///
    /// - Parameter timeColumns: the width for the state and the times.
    func factsInColumns(timeColumns: Int) -> (who: Document, times: Document, usage: Document) {
        var (who, times, usage) = (Self.paneDocument, Self.paneDocument, Self.paneDocument)
        guard let session = screen.summary(in: model) else { return (who, times, usage) }
        let (name, email) = identity(of: session)
        who.row(Document.Span(name, .title, .bold))
        who.row(Document.Span(email, .muted))
        card(session).addState(to: &times, reasonIn: timeColumns, cure: cure)
        // The headings of both columns are in one row.
        let rows = max(Self.headRows, times.rows(columns: timeColumns).count)
        while who.blocks.count < rows { who.row() }
        while times.rows(columns: timeColumns).count < rows { times.row() }
        addIdentityRows(to: &who)
        addLifetime(of: session, to: &times)
        addUsage(of: session, to: &usage)
        card(session).addWarnings(to: &usage)
        return (who, times, usage)
    }

    /// The rows of the state, its meaning and the time left.
    private static let headRows = 3

    func addLifetime(of session: SessionSummary, to page: inout Document) {
        page.heading(SessionWords.lifetime)
        card(session).addLifetime(to: &page)
    }

    func addUsage(of session: SessionSummary, to page: inout Document) {
        page.heading(SessionWords.use)
        addUse(of: session, to: &page)
        // Read line by line, a picture says nothing.
        if !model.isPlain { addHistory(of: session, to: &page) }
    }

    private func addIdentityRows(to page: inout Document) {
        switch screen.content {
        case .loaded: break
        // The rows stand for themselves until they are read, so that nothing moves then.
        case .loading where !model.isLocked: break
        case .loading, .failed: addContentState(to: &page)
        }
        page.heading(SessionWords.identity)
        let unknown = glyphs.ellipsis
        func add(_ term: String, _ value: String?) {
            page.term(term, value.map { $0.isEmpty ? Self.nothing : $0 } ?? unknown, width: termWidth)
        }
        add(SessionWords.issuer, detail.map { shown($0.identity.issuer) })
        add(SessionWords.subject, detail?.identity.subject)
        add(SessionWords.client, detail?.clientID)
        if let detail { addRights(detail, to: &page) }
    }

    /// Returns what follows the overview as two columns: the programs and the tokens, and the history, with the claims below one of them.
    func highOverviewInColumns() -> [Document] {
        var (left, right) = (Self.paneDocument, Self.paneDocument)
        // They are at the end, so that a value of several rows moves nothing that every session has.
        (left.cutsTerms, right.cutsTerms) = (false, false)
        if let session = screen.summary(in: model) {
            addPrograms(of: session, to: &left)
            card(session).addTimeline(to: &right)
            guard let detail else { return [left, right] }
            addTokens(detail, isInBox: false, to: &left)
            // The claims are in the column that has fewer rows.
            if left.rows(columns: columns).count > right.rows(columns: columns).count {
                addClaims(detail, to: &right)
            } else {
                addClaims(detail, to: &left)
            }
        }
        return [left, right]
    }

    /// Returns what follows the overview of a session that has neither programs nor tokens beside its history: below each other, over the
    /// whole width; nil for another session.
    func highOverviewInOneColumn() -> Document? {
        guard let session = screen.summary(in: model), let detail else { return nil }
        var page = Self.paneDocument
        page.cutsTerms = false
        addPrograms(of: session, to: &page)
        guard page.blocks.isEmpty, detail.tokens.isEmpty else { return nil }
        addClaims(detail, to: &page)
        card(session).addTimeline(to: &page)
        return page
    }

    /// Returns the overview as two columns: who is signed in and until when, and how the session is used.
    func overviewInColumns() -> [Document] {
        var (left, right) = (Self.paneDocument, Self.paneDocument)
        guard let session = screen.summary(in: model) else { return [left, right] }
        let card = SessionCard(session: session, model: model, glyphs: glyphs, times: .relative, columns: columns)
        addHead(of: session, to: &left)
        addContentState(to: &left)
        card.addWarnings(to: &left)
        card.addLifetime(to: &right)
        right.blank()
        card.addLastUse(to: &right)
        addHistory(of: session, to: &right)
        // Last, because they have several rows where there is space.
        card.addScopes(to: &right)
        addPrograms(of: session, to: &right, isBrief: true)
        return [left, right]
    }

    /// Adds the running bridges, and the programs that used the session's tokens, the last one first.
    ///
    /// - Parameter isBrief: whether the time of the last use is left out, so that a program has one row in half of a small screen.
    func addPrograms(of session: SessionSummary, to page: inout Document, isBrief: Bool = false) {
        addBridges(of: session, to: &page, isBrief: isBrief)
        let programs = ProgramUse.grouped(model.activity.lazy.filter { $0.session == session.name })
        // Read line by line, a picture says nothing.
        guard !programs.isEmpty, !model.isPlain else { return }
        page.heading(SessionDetailsPaneWords.programs)
        let longest = programs.reduce(0) { max($0, SafeText.width(of: $1.program.name)) } + 2
        // In a narrow column the number is more useful than a place below the other values.
        let isNarrow = isPane && !isBrief && columns < termWidth + UseHistory.parts + Self.programNote
        let width = isNarrow ? min(termWidth, longest) : termWidth
        for use in programs.prefix(Self.programLimit) {
            let history = use.recent(until: model.now)
            let note = "  ×\(history.reduce(0, +))" + (isBrief ? "" : ", \(Words.relative(use.last, to: model.now))")
            page.term(use.program.name, picture(of: history) + [Document.Span(note, .muted)], width: width)
        }
    }

    /// Adds the running bridges, and each program with a bar for its tokens of the last 24 hours, their number, and its times.
    private func addProgramBars(of session: SessionSummary, to page: inout Document) {
        let programs = Array(ProgramUse.grouped(model.activity.lazy.filter { $0.session == session.name }).prefix(Self.programLimit))
        let counts = programs.map { $0.recent(until: model.now).reduce(0, +) }
        let notes = zip(programs, counts).map { use, count in
            [
                "×\(count)", Words.relative(use.last, to: model.now), ActivityWords.inTotal(use.tokens),
                ActivityWords.firstUse(Words.relative(use.first, to: model.now)),
            ]
        }
        let widths = (0..<4).map { column in notes.reduce(0) { max($0, SafeText.width(of: $1[column]) + 2) } }
        let room = columns - termWidth - widths.reduce(0, +)
        guard room >= Self.leastBar else { return addPrograms(of: session, to: &page) }
        addBridges(of: session, to: &page, isBrief: false)
        guard let most = counts.max() else { return }
        page.heading(SessionDetailsPaneWords.programs)
        for (index, use) in programs.enumerated() {
            let filled = counts[index] > 0 ? max(1, room * counts[index] / max(1, most)) : 0
            let note = zip(notes[index], widths).map { text, width in
                "  " + text + String(repeating: " ", count: max(0, width - 2 - SafeText.width(of: text)))
            }
            let spans = [
                Document.Span(String(repeating: glyphs.barFilled, count: filled), .info),
                Document.Span(String(repeating: glyphs.barEmpty, count: room - filled), .barEmpty),
                Document.Span(note.joined(), .muted),
            ]
            page.term(use.program.name, spans, width: termWidth)
        }
    }

    /// The minimum width of a program's bar.
    private static let leastBar = 10
    private static let programLimit = 20
    /// The columns for the number of tokens of a program and the time of its last use.
    private static let programNote = 17

    /// Adds the uses in the last 24 hours as a picture.
    func addHistory(of session: SessionSummary, to page: inout Document) {
        let history = UseHistory(model.activity, now: model.now)[session.name]
        let note = Document.Span("  " + ActivityWords.tokens(history.reduce(0, +)), .muted)
        page.term(SessionDetailsPaneWords.lastDay, picture(of: history) + [note], width: termWidth)
    }

    private func picture(of history: [Int]) -> [Document.Span] { UseHistory.picture(history, glyphs) }
}

/// The running bridges to MCP servers.
extension SessionPage {
    private static let bridgeLimit = 20

    /// Adds a row for each running bridge that uses the session: its client, its server, its last call and the next renewal.
    ///
    /// - Parameter isBrief: whether only the client and the server are named.
    private func addBridges(of session: SessionSummary, to page: inout Document, isBrief: Bool) {
        let bridges = model.bridges(of: session.name)
        guard !bridges.isEmpty else { return }
        page.heading(tr("Bridges"))
        for bridge in bridges.prefix(Self.bridgeLimit) {
            var spans = [Document.Span(bridge.place)]
            if !isBrief { spans.append(Document.Span("  " + times(of: bridge, session).joined(separator: ", "), .muted)) }
            page.term(CallingProgram(caller: bridge.client).name, spans, width: termWidth)
        }
        if bridges.count > Self.bridgeLimit {
            page.row(Document.Span(tr("and {1} more", bridges.count - Self.bridgeLimit), .muted))
        }
    }

    private func times(of bridge: RunningBridge, _ session: SessionSummary) -> [String] {
        let call = bridge.lastCall.map { tr("last call {1}", Words.relative($0, to: model.now)) } ?? tr("no call yet")
        let renewal = session.nextRenewalAt.map {
            tr("next renewal {1}", $0 > model.now ? Words.relative($0, to: model.now) : SessionListWords.due)
        }
        return [call] + [renewal].compactMap(\.self)
    }
}
