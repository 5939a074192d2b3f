import AuthModel
import Localization
import TerminalUI

/// A preview of a setting, below its details on a high terminal: a sample of the app, the sessions of a provider, or the latest activity.
struct SettingsPreview {
    let row: SettingsScreen.Row
    /// The language of the sample; nil for that of the app.
    let language: Language?
    let model: AppModel

    func draw(in area: Rect, into buffer: inout ScreenBuffer) {
        switch row {
        case .provider(let name, _): draw(name, in: area, into: &buffer)
        case .setting(let setting):
            switch setting.id {
            case .theme, .language, .guestPrompt, .mouse, .motion:
                Language.$current.withValue(language ?? model.language) { drawSample(in: area, into: &buffer) }
            case .browser(let provider), .isPrivate(let provider), .policy(let provider): draw(provider, in: area, into: &buffer)
            case .blockedProgram(let path):
                drawActivity({ CallingProgram(of: $0)?.file == path }, in: area, into: &buffer)
            case .seal, .lockAfter, .idleExit, .notify: drawActivity({ _ in true }, in: area, into: &buffer)
            }
        }
    }

    private func drawActivity(_ isShown: (Activity) -> Bool, in area: Rect, into buffer: inout ScreenBuffer) {
        LatestActivity(entries: model.activity.filter(isShown), model: model).draw(in: area, key: nil, into: &buffer)
    }

    // MARK: A provider

    /// Draws the sessions of a provider, and their activity.
    private func draw(_ provider: ProviderName, in area: Rect, into buffer: inout ScreenBuffer) {
        let sessions = (model.sessions ?? []).filter { $0.name.provider == provider }
        let (top, bottom) = area.splitTop(min(max(1, sessions.count) + SettingsLayout.frame.rows, area.rows / 2))
        let panel = Panel(SessionListWords.title, surface: .screen)
        buffer.draw(panel, in: top)
        let inside = panel.content(of: top)
        if sessions.isEmpty { buffer.write(Words.sentence(tr("not signed in")), in: inside.row(0), style: Style(.muted)) }
        let states = SessionState.allCases.reduce(8) { max($0, SafeText.width(of: Words.state($1))) } + 2
        let columns = [
            TableColumn("", minimum: states, importance: 5), TableColumn("", minimum: 12, share: 1, importance: 6),
            TableColumn("", minimum: 11, alignment: .right, importance: 4), TableColumn("", minimum: 10, share: 1, importance: 2),
            TableColumn("", minimum: UseHistory.parts, importance: 3),
        ]
        let glyphs = buffer.glyphs
        let uses = UseHistory(model.activity, now: model.now)
        buffer.draw(
            Table(
                columns: columns, count: min(sessions.count, inside.rows), hasHeader: false
            ) { index in
                let session = sessions[index]
                let state = model.state(of: session)
                let time = TimeLeft(session, in: model)
                return [
                    .text("\(Words.glyph(state, glyphs)) \(Words.state(state))", Style(Words.role(state))),
                    .text(session.name.account ?? session.name.provider.text),
                    .text(time.isOver ? "" : time.column, Style(time.role)),
                    time.isOver ? .text("") : time.bar.map { .bar($0) } ?? .text(""),
                    .spans(UseHistory.picture(uses[session.name], glyphs)),
                ]
            }, in: inside)
        drawActivity({ $0.session?.provider == provider }, in: bottom, into: &buffer)
    }

    // MARK: The appearance

    /// The minimum width for the states beside the other samples.
    private static let columnsForSides = 90
    /// The rows of the graph of the last day, and the minimum rows of the activity below it.
    private static let (graphRows, mostGraphRows, activityRows) = (8, 14, 6)

    /// Draws a sample of what a theme and a language change: states, times left, keys, and below them the last day and the latest activity.
    private func drawSample(in area: Rect, into buffer: inout ScreenBuffer) {
        let panel = Panel(tr("Preview"), surface: .screen)
        let isWide = panel.content(of: area).columns >= Self.columnsForSides
        func sides(_ area: Rect) -> [Rect] {
            panel.content(of: area).split(columns: isWide ? [.share(3), .share(2)] : [.rest], gap: 2)
        }
        var pages = [stateSample(buffer.glyphs), otherSamples(buffer.glyphs)]
        if !isWide {
            let others = pages.removeLast()
            pages[0].blank()
            pages[0].blocks += others.blocks
        }
        let needed = zip(pages, sides(area)).reduce(0) { max($0, $1.0.rows(columns: $1.1.columns).count) } + SettingsLayout.frame.rows
        let hasGraph = area.rows - needed >= Self.graphRows
        let (top, below) = hasGraph ? area.splitTop(needed) : (area, Rect(Size.zero))
        buffer.draw(panel, in: top)
        for (page, side) in zip(pages, sides(top)) { page.draw(in: side, into: &buffer) }
        guard hasGraph else { return }
        let hasActivity = below.rows >= Self.mostGraphRows + Self.activityRows
        let (graph, activity) = below.splitTop(hasActivity ? Self.mostGraphRows : below.rows)
        SessionsGraph(of: model.activity, model: model).draw(in: graph, key: nil, into: &buffer)
        if hasActivity { drawActivity({ _ in true }, in: activity, into: &buffer) }
    }

    private func stateSample(_ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.hasMargin = false
        let width = SessionState.allCases.reduce(0) { max($0, SafeText.width(of: Words.state($1))) } + 4
        for state in SessionState.allCases {
            page.term(
                "\(Words.glyph(state, glyphs)) \(Words.state(state))", [Document.Span(Words.meaning(state), .muted)], width: width,
                as: Words.role(state))
        }
        return page
    }

    /// The times left of the bars, from calm to urgent.
    private static let timesLeft: [Duration] = [.seconds(86_400), .seconds(7200), .seconds(600), .seconds(45)]

    private func otherSamples(_ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.hasMargin = false
        for left in Self.timesLeft {
            let bar = Bar(TimeLeft.share(of: left), style: Style(.barFilled, tone: .ofShare(TimeLeft.calm(left))))
            page.bar(bar, SigningInWords.left(Words.roughSpan(left)), .text)
        }
        page.blank()
        let keys: [(key: Key, label: String)] = [
            (.enter, SessionListWords.keyOpen), (.character("s"), CommonWords.keySignIn), (.character("y"), SessionWords.keyCopy),
        ]
        page.words(keys.flatMap { [Document.Span($0.key.label(glyphs), .key), Document.Span(" \($0.label)  ", .muted)] })
        page.words("https://id.example.org", .link)
        page.blank()
        page.button(Words.capitalized(SettingsWords.keyKeep), isFocused: true, note: SettingsWords.keyLeave)
        return page
    }
}
