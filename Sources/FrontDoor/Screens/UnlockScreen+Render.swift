import AuthModel
import TerminalUI

extension UnlockScreen {
    func title(in world: World) -> String { isNew ? UnlockWords.newTitle : UnlockWords.title }
    func isTimed(in world: World) -> Bool { progress == .opening }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(isNew ? UnlockWords.newTitle : UnlockWords.title, .title, .bold)])
        if area.rows >= 12 {
            page.words(isNew ? UnlockWords.newHelp : UnlockWords.help, .muted)
            page.blank()
        }
        page.words(UnlockWords.passphrase, focus == .first ? .accent : .muted)
        page.field(first, isFocused: focus == .first)
        if isNew {
            if area.rows >= 12 { page.blank() }
            page.words(UnlockWords.again, focus == .second ? .accent : .muted)
            page.field(second, isFocused: focus == .second)
        }
        page.blank()
        switch progress {
        case .typing: break
        case .opening: page.words(UnlockWords.opening, .info)
        case .refused(let reason, let hint):
            page.words(Words.sentence(reason), .danger)
            if let hint { page.words(hint) }
        }
        page.draw(in: area, into: &buffer)
    }
}
