import AuthModel
import TerminalUI

extension SigningInScreen {
    func title(in world: World) -> String { SigningInWords.title(request) }

    func status(in world: World) -> String { deadline.map { SigningInPage.countdown($0 - world.now) } ?? "" }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        if let question { return draw(question, advice: world.demoAdvice, in: area, into: &buffer) }
        let page = SigningInPage(screen: self, world: world, glyphs: buffer.glyphs)
        if !page.drawWide(in: area, into: &buffer) { page.document.draw(in: area, scroll: scroll, into: &buffer) }
    }
}
