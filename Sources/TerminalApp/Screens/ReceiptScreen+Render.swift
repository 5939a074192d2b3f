import AuthModel
import TerminalAppModel
import TerminalUI

extension ReceiptScreen {
    func title(in model: AppModel) -> String { SignOutWords.receiptTitle }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        document(buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the receipt as a document.
    func document(_ glyphs: GlyphSet = .unicode) -> Document {
        var page = Document()
        let isComplete = receipt.isComplete
        page.words([
            Document.Span((isComplete ? glyphs.check : "!") + " ", isComplete ? .success : .warning, .bold),
            Document.Span(SignOutWords.outcome(receipt), .title, .bold),
        ])
        page.blank()
        for entry in receipt.entries { add(entry, to: &page, glyphs) }
        guard let url = receipt.shownURL else { return page }
        page.blank()
        switch browser {
        case .failed, .noBrowser: page.words(SignOutWords.browserDidNotOpen, .warning)
        case .opened, nil: page.words(SignOutWords.browserOpens)
        }
        page.verbatim(url.text, Style(.link))
        return page
    }

    private func add(_ entry: SignOutReceipt.Entry, to page: inout Document, _ glyphs: GlyphSet) {
        let (sign, role): (String, Role) =
            switch entry.outcome {
            case .done: (glyphs.check, .success)
            case .skipped: (glyphs == .ascii ? "." : "·", .muted)
            case .unconfirmed: ("?", .warning)
            case .failed: (glyphs.cross, .danger)
            }
        page.term("\(sign) \(Words.signOutStep(entry.step))", SignOutWords.outcome(entry.outcome), role, width: 34)
    }
}
