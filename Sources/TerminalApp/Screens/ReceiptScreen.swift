import AuthModel
import TerminalUI

/// The result of a sign-out, step by step.
struct ReceiptScreen: Screen {
    private(set) var receipt: SignOutReceipt
    var browser: BrowserOutcome?
    var scroll = 0

    enum Action: Hashable, Sendable {
        case home
        case open
        case copy
        case copyDetails
        case move(Movement)
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        let page = [
            KeyBinding(Key.character("b"), action: Action.open, label: SigningInWords.keyOpen, isHinted: receipt.browserURL != nil),
            KeyBinding(.character("c"), action: .copy, label: SigningInWords.keyCopy, isHinted: receipt.browserURL != nil),
        ]
        return [KeyBinding(.enter, .escape, action: .home, label: CommonWords.keyDone)] + page
            + [KeyBinding(.character("y"), action: .copyDetails, label: ProblemWords.keyCopy, help: ProblemWords.helpCopy)]
            + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: false)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .home, .move, .copyDetails: nil
        case .open, .copy: receipt.browserURL == nil ? SignOutWords.noBrowserPage : nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .home: return .home
        // The URL opened with the receipt can be used only once.
        case .open: return receipt.shownURL.map { .run(.openBrowser($0, receipt.session.provider)) } ?? .none
        case .copy: return receipt.shownURL.map { .run(.copyText($0.text)) } ?? .none
        case .copyDetails: return .run(.copyText(details(at: model.now)))
        case .move(let movement):
            let positions = document().scrollPositions(in: Frame.bodySize(model.size))
            scroll = movement.from(scroll, count: positions, page: Frame.bodySize(model.size).rows)
            return .none
        }
    }

    /// Returns a text for the user's notes: each step with its outcome.
    private func details(at moment: Timestamp) -> String {
        let steps = receipt.entries.map { "\(Words.signOutStep($0.step)): \(SignOutWords.outcome($0.outcome))" }
        return ([SignOutWords.outcome(receipt)] + steps + ["\(Words.program), \(moment)"]).joined(separator: "\n")
    }

    init(receipt: SignOutReceipt) {
        self.receipt = receipt
    }

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
