import AuthModel
import Localization
import TerminalUI

/// Guides a user without a provider and a session to the first session.
struct GuideScreen: ListScreen {
    var selected = 0

    /// The choices that are available now.
    enum Choice: Equatable, Sendable {
        case demo
        case addProvider
        /// Signs in at a provider that was added.
        case signIn(ProviderName)
    }

    /// The steps to the first session.
    enum Stage: Int, CaseIterable, Sendable {
        case provider
        case signIn
        case use
    }

    static func stage(in model: AppModel) -> Stage { model.providers?.isEmpty == false ? .signIn : .provider }

    static func choices(in model: AppModel) -> [Choice] {
        let providers = (model.providers ?? []).map { Choice.signIn($0.name) }
        let ways: [Choice] = (model.offersDemo ? [.demo] : []) + (model.presets == nil ? [] : [.addProvider])
        return providers + (providers.isEmpty ? ways : ways.filter { $0 != .demo })
    }

    func selection(in model: AppModel) -> Choice? {
        let choices = Self.choices(in: model)
        return choices.indices.contains(selected) ? choices[selected] : nil
    }

    func actions(in model: AppModel) -> [Action] {
        let choices = Self.choices(in: model)
        let choice = selection(in: model)
        let isSignIn = if case .signIn = choice { true } else { false }
        return [
            Action(
                "choose", [.enter, .right, .character("l"), .character("s")], label: CommonWords.keyChoose, help: HomeWords.helpChoose,
                obstacle: choice == nil ? HomeWords.nothingToChoose : isSignIn ? model.lockObstacle : nil,
                result: {
                    switch choice {
                    case .demo: .run(.startDemo)
                    case .addProvider: .open(.addProvider)
                    case .signIn(let name): .open(.signingIn(SignInRequest(provider: name)))
                    case nil: .none
                    }
                }()),
            Action(
                "demo", [.character("d")], label: tr("demo"), help: tr("start the demo; you return here when it ends"),
                isHinted: Self.stage(in: model) == .provider, obstacle: model.offersDemo ? nil : GuideWords.noDemo,
                result: .run(.startDemo)),
            AddProviderScreen.action(in: model),
            Action(
                "reload", [.character("R"), .character("r")], label: CommonWords.keyReload, help: HomeWords.helpReload, isHinted: false,
                result: .run(.reload)),
            ActivityScreen.action(isHinted: false),
        ]
            + Movement.actions(
                label: CommonWords.keyMove, tabMoves: true, obstacle: choices.isEmpty ? HomeWords.nothingToChoose : nil
            ) { $0.selected = $1.from($0.selected, count: choices.count, page: choices.count) }
    }

    /// The guide stays after a provider is added, until there is a session, because the setup is only half done.
    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(selectedRow: selected, staysFirst: !model.hasSessions, allowsProblemAbove: true)
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        // Selects the provider that was just added.
        case .providerAdded(_, .success): selected = 0
        case .loaded: selected = min(selected, max(0, Self.choices(in: model).count - 1))
        default: break
        }
        return .none
    }

    static func home(in model: AppModel) -> GuideScreen? { model.hasNothing ? GuideScreen() : nil }
    static func examples(of session: SessionName, in model: AppModel) -> [GuideScreen] { [GuideScreen()] }

    func title(in model: AppModel) -> String { tr("Get started") }
    func status(in model: AppModel) -> String { model.isLocked ? LockWords.isLocked : "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let area = area.middle(columns: Self.pageSize.columns, rows: Self.pageSize.rows)
        let hasGate = area.rows >= 20 && area.columns >= 60
        let (gate, body) = area.splitTop(hasGate ? GatePicture.rows + 1 : 0)
        buffer.draw(GatePicture(), in: gate)
        var page = Document()
        let isLow = body.rows < 11
        if !isLow { addSteps(to: &page, model, buffer.glyphs) }
        var marked = 0..<0
        for (index, choice) in Self.choices(in: model).enumerated() {
            let isMarked = index == selected
            let first = page.rows(columns: body.columns).count
            page.choice([Document.Span(GuideWords.choice(choice), .text, .bold)], isChosen: isMarked, buffer.glyphs)
            page.mark(as: .row(index))
            page.words(GuideWords.meaning(of: choice), .muted, indent: 4)
            page.mark(as: .row(index))
            if isMarked { marked = first..<page.rows(columns: body.columns).count }
        }
        if !isLow {
            page.blank()
            page.words([Document.Span(tr("From the shell:") + " ", .muted), Document.Span(GuideWords.shellCommand(in: model), .accent)])
            // The least useful line is the one that a usual terminal has no row for.
            if page.rows(columns: body.columns).count < body.rows {
                page.words(tr("Changes made in another window appear here automatically."), .muted)
            }
        }
        // What is below the choices has no key of its own.
        if selected == Self.choices(in: model).count - 1 { marked = marked.lowerBound..<page.rows(columns: body.columns).count }
        page.draw(in: body, scroll: Document.scroll(to: marked, height: body.rows), into: &buffer)
    }

    /// The size of the whole guide.
    private static let pageSize = Size(columns: 84, rows: 24)

    private func addSteps(to page: inout Document, _ model: AppModel, _ glyphs: GlyphSet) {
        let now = Self.stage(in: model)
        page.words(
            now == .provider
                ? tr("No provider is configured yet. Three steps lead to your first session:")
                : tr("The provider is configured. Two steps remain to your first session:"))
        page.blank()
        for stage in Stage.allCases {
            let (sign, role): (String, Role) =
                stage.rawValue < now.rawValue ? (glyphs.check, .success) : stage == now ? (glyphs.disc, .accent) : (glyphs.circle, .muted)
            page.row(
                Document.Span("\(sign) \(stage.rawValue + 1)  ", role),
                Document.Span(GuideWords.step(stage), stage == now ? .title : .muted, stage == now ? .bold : []))
        }
        page.blank()
    }
}

/// The texts of the guide to the first session.
enum GuideWords {
    static func shellCommand(in model: AppModel) -> String {
        model.providers?.first.map { "yett login \($0.name)" } ?? "yett demo, yett providers add URL"
    }

    static var noDemo: String { tr("the demo is already running, or not available here") }

    static func step(_ stage: GuideScreen.Stage) -> String {
        switch stage {
        case .provider: tr("Choose where to sign in")
        case .signIn: tr("Sign in with your own browser")
        case .use: tr("Let your tools use its tokens")
        }
    }

    static func choice(_ choice: GuideScreen.Choice) -> String {
        switch choice {
        case .demo: tr("Try the demo")
        case .addProvider: AddProviderWords.title
        case .signIn(let name): SigningInWords.title(SignInRequest(provider: name))
        }
    }

    static func meaning(of choice: GuideScreen.Choice) -> String {
        switch choice {
        case .demo: tr("Try everything in a minute, offline. Nothing is saved.")
        case .addProvider: tr("Your own service: its address, and an existing or a new client.")
        case .signIn: tr("Your browser opens, and Yett waits here until you have signed in.")
        }
    }
}
