import AuthModel
import Localization
import TerminalUI

/// Lists the keys of the previous screen and the global keys, from the tables that decode them, grouped by what they are about.
struct HelpScreen: Screen {
    /// The name of the screen that the keys belong to.
    let subject: String
    let own: [KeyBinding<String>]
    let everywhere: [KeyBinding<String>]
    /// The own keys of the other screens that are used most, for a terminal with space for them.
    var elsewhere: [OtherScreen] = []
    /// Whether the app uses the mouse.
    var hasMouse = false
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let size = Frame.bodySize(model.size)
        let pages = columns(in: Rect(size)) ?? [(Rect(size), document())]
        return [Action("back", [.escape, .enter, .left, .character("h")], label: CommonWords.keyBack, result: .back)]
            + Movement.scrolling(\.scroll, positions: pages.map { $1.scrollPositions(in: $0.size) }.max() ?? 1, in: model)
    }

    /// The keys of a screen other than the one that the help is about.
    struct OtherScreen: Equatable, Sendable {
        let title: String
        let keys: [KeyBinding<String>]

        /// The screens in the order of the page.
        private static var screens: [(type: any Screen.Type, title: String)] {
            [
                (SessionScreen.self, SessionListWords.session), (ActivityScreen.self, ActivityWords.title),
                (TimelineScreen.self, TimelineWords.title), (InspectorScreen.self, InspectorWords.title),
                (SettingsScreen.self, SettingsWords.title),
            ]
        }

        /// Returns the screens with the keys that are not in the help already.
        static func list(beside known: [KeyBinding<String>], in model: AppModel) -> [OtherScreen] {
            guard let session = model.sessions?.first?.name else { return [] }
            let actions = Set(known.map(\.action))
            return screens.compactMap { type, title in
                let keys = keys(of: type, session, model).filter { !actions.contains($0.action) && !$0.isMovement }
                return keys.isEmpty ? nil : OtherScreen(title: title, keys: keys)
            }
        }

        private static func keys<S: Screen>(of type: S.Type, _ session: SessionName, _ model: AppModel) -> [KeyBinding<String>] {
            type.examples(of: session, in: model).first?.keys(in: model).merged ?? []
        }
    }

    /// Opens the help of the screen below.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> HelpScreen {
            let own = context.current.keys(in: context.model)
            let everywhere = context.globalKeys.below(own).merged
            return HelpScreen(
                subject: context.current.title(in: context.model), own: own.merged, everywhere: everywhere,
                elsewhere: OtherScreen.list(beside: own.merged + everywhere, in: context.model), hasMouse: context.model.usesMouse)
        }
    }

    /// The subjects of keys, in the order of the page; each with the actions that belong to it on every screen.
    private enum Topic: CaseIterable {
        case signIn, sessions, tokens, providers, agent, machine

        var title: String {
            switch self {
            case .signIn: Words.purpose(.signIn)
            case .sessions: SessionListWords.title
            case .tokens: tr("Tokens and tools")
            case .providers: SettingsWords.providers
            case .agent: tr("Agent")
            case .machine: tr("This machine")
            }
        }

        var actions: Set<String> {
            switch self {
            case .signIn: ["sign-in", "sign-up", "request-device-code"]
            case .sessions:
                ["next-urgent", "renew", "sign-out", "sign-out-everywhere", "forget", "make-active", "undo", "switcher"]
            case .tokens: ["inspect", "copy-token", "reveal", "activity", "timeline"]
            case .providers: ["add-provider"]
            case .agent: ["lock"]
            case .machine: ["theme", "settings", "demo"]
            }
        }
    }

    func title(in model: AppModel) -> String { tr("Help") }
    func status(in model: AppModel) -> String { subject }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        for (column, page) in columns(in: area, buffer.glyphs) ?? [(area, document(buffer.glyphs))] {
            page.draw(in: column, scroll: scroll, into: &buffer)
        }
    }

    /// Returns the help as a document.
    func document(_ glyphs: GlyphSet = .unicode) -> Document {
        var page = Document()
        for section in sections(glyphs) {
            page.blank()
            page.blocks += section.blocks
        }
        return page
    }

    /// Returns the help in columns, with the keys of other screens if all of it fits; nil on a narrow terminal.
    private func columns(in area: Rect, _ glyphs: GlyphSet = .unicode) -> [(Rect, Document)]? {
        let count = min(3, area.columns / Self.columnWidth)
        guard count > 1 else { return nil }
        let places = area.split(columns: Array(repeating: .share(1), count: count))
        let own = sections(glyphs)
        let more = Self.pages(of: own + elsewhere.map { keys($0.title, $0.keys, glyphs, hasReasons: false) }, in: places)
        let fits = zip(places, more).allSatisfy { $1.scrollPositions(in: $0.size) == 1 }
        return Array(zip(places, fits ? more : Self.pages(of: own, in: places)))
    }

    /// Divides sections among columns.
    private static func pages(of sections: [Document], in places: [Rect]) -> [Document] {
        let count = places.count
        var pages = [Document()]
        func rows(_ page: Document) -> Int { page.rows(columns: places[pages.count - 1].columns).count }
        let whole = sections.reduce(0) { $0 + $1.rows(columns: places[0].columns).count + 1 }
        for section in sections {
            // A section stays whole, and a column ends where its share of the rows is reached.
            if rows(pages[pages.count - 1]) + rows(section) / 2 > whole / count, pages.count < count { pages.append(Document()) }
            pages[pages.count - 1].blank()
            pages[pages.count - 1].blocks += section.blocks
        }
        return pages
    }

    /// The minimum width of a column: the keys, and a description in a row or two.
    private static let columnWidth = 60

    private func sections(_ glyphs: GlyphSet) -> [Document] {
        let moves = own.filter(\.isMovement)
        let byTopic = Set(Topic.allCases.flatMap(\.actions))
        let others = own.filter { !byTopic.contains($0.action) && !moves.contains($0) }
        let topics = Topic.allCases.map { topic in
            keys(topic.title, (own + everywhere).filter { topic.actions.contains($0.action) }, glyphs)
        }
        let here = keys(tr("Keys here: {1}", subject), others, glyphs)
        let all =
            [here] + topics
            + [
                keys(tr("Moving"), moves, glyphs),
                keys(tr("Keys everywhere"), everywhere.filter { !byTopic.contains($0.action) }, glyphs),
            ]
        return all.filter { !$0.blocks.isEmpty } + explanations(glyphs)
    }

    /// - Parameter hasReasons: whether a key that does not work now says why.
    private func keys(_ title: String, _ bindings: [KeyBinding<String>], _ glyphs: GlyphSet, hasReasons: Bool = true) -> Document {
        var page = Document()
        guard !bindings.isEmpty else { return page }
        page.heading(title)
        var former: String?
        for binding in bindings {
            let keys = binding.keys.map { $0.label(glyphs) }.joined(separator: ", ")
            let reason = binding.unavailable
            // A reason that the key above has, too, is not said again.
            defer { former = reason }
            var spans = [Document.Span(binding.help, reason == nil ? .text : .muted)]
            if hasReasons, let reason, reason != former { spans.append(Document.Span(" (" + HelpWords.notNow(reason) + ")", .muted)) }
            page.term(keys, spans, width: Self.termWidth, as: .accent)
        }
        return page
    }

    private static let termWidth = 20

    /// Returns what the mouse does, and what the signs mean.
    private func explanations(_ glyphs: GlyphSet) -> [Document] {
        var (mouse, states, bars) = (Document(), Document(), Document())
        if hasMouse {
            mouse.heading(tr("Mouse"))
            for (action, effect) in HelpWords.mouseActions { mouse.term(action, effect, width: Self.termWidth) }
        }
        states.heading(tr("What the states mean"))
        for state in SessionState.allCases {
            states.term(
                "\(Words.glyph(state, glyphs)) \(Words.state(state))", [Document.Span(Words.meaning(state))], width: Self.termWidth,
                as: Words.role(state))
        }
        bars.heading(tr("What the bars mean"))
        bars.term(
            glyphs.barFilled + glyphs.barFilled + glyphs.barEmpty,
            [Document.Span(tr("time left, from a minute to a day; about each tenth of the bar doubles it"))], width: Self.termWidth)
        bars.term(glyphs.barMark, [Document.Span(tr("when the session is renewed"))], width: Self.termWidth)
        bars.term(
            glyphs.sparks.prefix(3).joined(), [Document.Span(tr("tokens issued in the last 24 hours, the newest at the right"))],
            width: Self.termWidth)
        bars.term(glyphs.star, [Document.Span(tr("the provider's default account"))], width: Self.termWidth)
        return [mouse, states, bars].filter { !$0.blocks.isEmpty }
    }
}

extension Destination {
    static let help = Destination(HelpScreen.Request())
}

/// The texts of the help screen.
package enum HelpWords {
    package static var mouseActions: [(action: String, effect: String)] {
        [
            (tr("click"), tr("selects a row or a field; a second click chooses the row")),
            (tr("click on a key"), tr("presses that key, in the bottom line")), (tr("wheel"), tr("moves or scrolls")),
            (tr("drag with Shift"), tr("selects text to copy")),
        ]
    }
    /// Returns the reason without the advice after its colon, which is shown when the key is pressed.
    package static func notNow(_ reason: String) -> String { tr("not now: {1}", reason.split(separator: ": ", maxSplits: 1).first ?? "") }
    /// Returns the same for several actions with one reason.
    package static func notNow(_ actions: [String], _ reason: String) -> String {
        tr("not now: {1} ({2})", actions.joined(separator: ", "), reason.split(separator: ": ", maxSplits: 1).first ?? "")
    }
}
