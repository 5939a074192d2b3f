import AuthModel
import TerminalUI

extension GuideScreen {
    func title(in world: World) -> String { GuideWords.title }
    func status(in world: World) -> String { world.isLocked ? LockWords.isLocked : "" }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        let hasGate = area.rows >= 20 && area.columns >= 60
        let (gate, body) = area.splitTop(hasGate ? GatePicture.rows + 1 : 0)
        buffer.draw(GatePicture(), in: gate)
        var page = Document()
        let isLow = body.rows < 11
        if !isLow { addSteps(to: &page, world, buffer.glyphs) }
        var marked = 0..<0
        for (index, choice) in Self.choices(in: world).enumerated() {
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
            page.words([Document.Span(GuideWords.fromTheShell + " ", .muted), Document.Span(GuideWords.shellCommand(in: world), .link)])
            page.words(FrontDoorWords.thenComeBack, .muted)
        }
        page.draw(in: body, scroll: Document.scroll(to: marked, height: body.rows), into: &buffer)
    }

    private func addSteps(to page: inout Document, _ world: World, _ glyphs: GlyphSet) {
        let now = Self.stage(in: world)
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
