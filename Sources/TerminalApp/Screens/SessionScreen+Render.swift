import AuthModel
import TerminalAppModel
import TerminalUI

extension SessionScreen {
    func title(in model: AppModel) -> String { (summary(in: model)?.name ?? name).description }

    func status(in model: AppModel) -> String {
        guard let session = summary(in: model) else { return "" }
        return TimeLeft(session, in: model).sentence
    }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        let page = SessionPage(screen: self, model: model, glyphs: buffer.glyphs)
        let layout = page.layout(in: area)
        page.drawCard(in: layout.card.inset(columns: 1), into: &buffer)
        for part in layout.parts { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
        for part in layout.parts.dropLast() {
            let line = Rect(column: part.area.right, row: part.area.top, columns: 1, rows: part.area.rows)
            buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        }
    }
}
