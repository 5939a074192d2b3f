import AuthModel
import TerminalUI

extension ConfirmScreen {
    func title(in world: World) -> String { confirmation.title }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(confirmation.title + "?", .title, .bold)])
        for text in confirmation.text {
            page.blank()
            page.words(text)
        }
        page.blank()
        let pointer = buffer.glyphs.pointer + " "
        for (text, isMarked, role) in [(CommonWords.no, !isYesMarked, Role.text), (confirmation.yes, isYesMarked, Role.danger)] {
            page.row(Document.Span(isMarked ? pointer : "  ", .accent), Document.Span(text, role, isMarked ? [.bold, .reverse] : []))
        }
        page.draw(in: area, into: &buffer)
    }
}
