import AuthModel
import Localization
import TerminalUI

/// The result of a sign-out, step by step.
struct ReceiptScreen: Screen {
    private(set) var receipt: SignOutReceipt
    var browser: BrowserOutcome?
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let hasPage = receipt.browserURL != nil
        let noPage = hasPage ? nil : tr("no page to open: you did not choose to end the browser's session")
        return [
            Action("home", [.enter, .escape], label: CommonWords.keyDone, result: .home),
            // The URL opened with the receipt can be used only once.
            Action(
                "open", [.character("b")], label: SigningInWords.keyOpen, isHinted: hasPage, obstacle: noPage,
                result: receipt.shownURL.map { .run(.openBrowser($0, receipt.session.provider)) } ?? .none),
            Action(
                "copy", [.character("c")], label: SigningInWords.keyCopy, isHinted: hasPage, obstacle: noPage,
                result: receipt.shownURL.map { .run(.copyText($0.text)) } ?? .none),
            Action(
                "copy-details", [.character("y")], label: ProblemWords.keyCopy, help: ProblemWords.helpCopy,
                result: .run(.copyText(details(at: model.now)))),
        ]
            + Movement.scrolling(
                \.scroll, positions: document().scrollPositions(in: FloatingBox.cardSize(in: model)), isHinted: false, in: model)
    }

    /// Returns a text for the user's notes: each step with its outcome.
    private func details(at moment: Timestamp) -> String {
        let steps = receipt.entries.map { "\(Words.signOutStep($0.step)): \(SignOutWords.outcome($0.outcome))" }
        return ([SignOutWords.outcome(receipt)] + steps + ["\(Words.program), \(moment)"]).joined(separator: "\n")
    }

    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(box: .card(document(), in: model)) }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        if case .browserReturned(let id, let outcome) = message, id == receipt.browserReturn?.id {
            receipt.record(.endBrowserSession, outcome)
        }
        if case .browserAnswered(let url, let outcome) = message, [receipt.browserURL, receipt.shownURL].contains(url) {
            browser = outcome
        }
        return .none
    }
}

extension Destination {
    static func receipt(_ receipt: SignOutReceipt) -> Destination { Destination(ReceiptScreen(receipt: receipt)) }
}

extension ReceiptScreen {
    func title(in model: AppModel) -> String { tr("Receipt") }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        document(buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the receipt as a document.
    func document(_ glyphs: GlyphSet = .unicode) -> Document {
        var page = Document()
        page.isInCard = true
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
        case .failed, .noBrowser: page.words(tr("Open this page in your browser to end its own session:"), .warning)
        case .opened, nil: page.words(tr("Your browser opens this page to end its own session:"))
        }
        page.verbatim(.link(url))
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
