import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension GuideScreen {
    func title(in model: AppModel) -> String { GuideWords.title }
    func status(in model: AppModel) -> String { model.isLocked ? LockWords.isLocked : "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
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
            page.row(
                Document.Span(isMarked ? buffer.glyphs.pointer + " " : "  ", .accent),
                Document.Span(GuideWords.choice(choice), isMarked ? .accent : .text, isMarked ? [.bold, .reverse] : .bold))
            page.mark(as: .row(index))
            page.words(GuideWords.meaning(of: choice), .muted, indent: 4)
            page.mark(as: .row(index))
            if isMarked { marked = first..<page.rows(columns: body.columns).count }
        }
        if !isLow {
            page.blank()
            page.words([Document.Span(GuideWords.fromTheShell + " ", .muted), Document.Span(GuideWords.shellCommand(in: model), .link)])
            page.words(HomeWords.addedElsewhere, .muted)
        }
        page.draw(in: body, scroll: Document.scroll(to: marked, height: body.rows), into: &buffer)
    }

    private func addSteps(to page: inout Document, _ model: AppModel, _ glyphs: GlyphSet) {
        let now = Self.stage(in: model)
        page.words(now == .provider ? GuideWords.intro : GuideWords.goOn)
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

extension GuideWords {
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
        case .demo: tr("Try everything in a minute, offline, with test providers. Nothing is saved.")
        case .addProvider: tr("Your own service: its address, and an existing or a new client.")
        case .signIn: tr("Your browser opens, and Yett waits here until you have signed in.")
        }
    }
}
