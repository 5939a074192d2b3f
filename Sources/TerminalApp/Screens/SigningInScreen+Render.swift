import AuthModel
import TerminalAppModel
import TerminalUI

extension SigningInScreen {
    func title(in model: AppModel) -> String { SigningInWords.title(request) }

    func status(in model: AppModel) -> String { deadline.map { SigningInPage.countdown($0 - model.now) } ?? "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if let question { return draw(question, advice: model.demoAdvice, in: area, into: &buffer) }
        let page = SigningInPage(screen: self, model: model, glyphs: buffer.glyphs)
        if !page.drawWide(in: area, into: &buffer) { page.document.draw(in: area, scroll: scroll, into: &buffer) }
    }
}
