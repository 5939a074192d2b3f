import AuthModel
import TerminalAppModel
import TerminalUI

extension UnlockScreen {
    func title(in model: AppModel) -> String { isNew ? UnlockWords.newTitle : UnlockWords.title }
    func needsTicks(in model: AppModel) -> Bool { progress == .opening }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        let isLow = area.rows < 12
        // A low terminal shows only the header above: the fields have priority.
        if !isLow {
            page.words([Document.Span(isNew ? UnlockWords.newTitle : UnlockWords.title, .title, .bold)])
            page.words(isNew ? UnlockWords.newHelp : UnlockWords.help, .muted)
            page.blank()
        }
        page.words(UnlockWords.passphrase, focus == .first ? .accent : .muted)
        page.field(first, isFocused: focus == .first)
        page.mark(as: .field(0))
        if isNew {
            if !isLow { page.blank() }
            page.words(UnlockWords.again, focus == .second ? .accent : .muted)
            page.field(second, isFocused: focus == .second)
            page.mark(as: .field(1))
        }
        if area.rows >= 6 { page.blank() }
        switch progress {
        case .typing: break
        case .opening: page.words(UnlockWords.opening, .info)
        case .refused(let reason, let hint):
            page.words(Words.sentence(reason), .danger)
            if let hint { page.words(hint) }
        }
        // If both fields do not fit, the focused one is visible.
        page.draw(in: area, scroll: focus == .second ? 2 : 0, into: &buffer)
    }
}
