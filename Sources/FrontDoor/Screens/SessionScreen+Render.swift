import AuthModel
import TerminalUI

extension SessionScreen {
    func title(in world: World) -> String { (summary(in: world)?.name ?? name).description }

    func status(in world: World) -> String {
        guard let session = summary(in: world) else { return "" }
        return TimeLeft(session, in: world).sentence
    }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        let page = SessionPage(screen: self, world: world, glyphs: buffer.glyphs)
        let layout = page.layout(in: area)
        page.drawCard(in: layout.card.inset(columns: 1), into: &buffer)
        for part in layout.parts { part.document.draw(in: part.area, scroll: scroll, into: &buffer) }
        for part in layout.parts.dropLast() {
            let line = Rect(column: part.area.right, row: part.area.top, columns: 1, rows: part.area.rows)
            buffer.fill(line, with: buffer.glyphs.vertical, style: Style(.border))
        }
    }
}
