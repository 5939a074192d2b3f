import AuthModel
import TerminalAppModel
import TerminalUI

extension SigningInScreen {
    func title(in model: AppModel) -> String { SigningInWords.title(request) }

    func isAnimated(in model: AppModel) -> Bool {
        question == nil && steps.contains { if case .running = $0.progress { true } else { false } }
    }

    func status(in model: AppModel) -> String { deadline.map { SigningInPage.countdown($0 - model.now) } ?? "" }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        if let question { return draw(question, advice: model.demoAdvice, in: area, into: &buffer) }
        let page = SigningInPage(screen: self, model: model, glyphs: buffer.glyphs)
        if let layout = SigningInLayout(page, in: area) {
            layout.draw(into: &buffer)
        } else {
            page.document.draw(in: area, scroll: scroll, into: &buffer)
        }
    }
}
