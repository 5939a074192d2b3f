import AuthModel
import TerminalAppModel
import TerminalUI

extension ConfirmScreen {
    func title(in model: AppModel) -> String { confirmation.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(CommonWords.question(confirmation.title), .title, .bold)])
        for text in confirmation.text {
            page.blank()
            page.words(text)
        }
        page.blank()
        var answers = Document()
        let pointer = buffer.glyphs.pointer + " "
        for (text, isMarked, role) in [(CommonWords.no, !isYesSelected, Role.text), (confirmation.yes, isYesSelected, Role.danger)] {
            answers.row(Document.Span(isMarked ? pointer : "  ", .accent), Document.Span(text, role, isMarked ? [.bold, .reverse] : []))
            answers.mark(as: .row(answers.blocks.count - 1))
        }
        // If the space is too small, the text is cut instead of the answers, so that they are always visible.
        let (top, bottom) = area.splitTop(min(page.rows(columns: area.columns).count, max(0, area.rows - answers.blocks.count)))
        page.draw(in: top, into: &buffer)
        answers.draw(in: bottom, into: &buffer)
    }
}
