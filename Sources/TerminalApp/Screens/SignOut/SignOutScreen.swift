package import AuthModel
import Localization
import TerminalUI

/// Asks how to end a session.
struct SignOutScreen: ListScreen {
    let name: SessionName
    var selected = 0

    /// Returns the choices that the provider supports, the default first. If the session was made from a signed-in session of another
    /// provider, that one can end with it.
    func choices(in model: AppModel) -> [SignOutMode] {
        let provider = model.provider(name.provider)
        let base = provider?.base?.provider
        let hasBase = model.sessions?.contains { $0.name.provider == base && $0.recordedState != .guest } ?? false
        return (provider?.revokes == false ? [] : [.revoke]) + (hasBase ? [.withBase] : [])
            + (provider?.hasBrowserSession == false ? [] : [.endBrowserSession]) + [.localOnly]
    }

    func actions(in model: AppModel) -> [Action] {
        let choices = choices(in: model)
        let chosen = choices[min(max(0, selected), choices.count - 1)]
        return [
            Action(
                "choose", [.enter], label: SignOutWords.key(chosen), result: .replace(.signingOut(name, chosen)))
        ]
            + choices.enumerated().map { index, mode in
                Action(
                    "number-\(index)", [.character(Character(String(index + 1)))],
                    label: SignOutWords.choice(mode, for: name, in: model).title, isHinted: false, result: .replace(.signingOut(name, mode))
                )
            }
            + [Action("back", [.escape, .left, .character("h"), .character("n")], label: tr("stay signed in"), result: .back)]
            + Movement.actions(label: CommonWords.keyMove, isHinted: !FloatingBox.hasSpace(in: model), tabMoves: true) {
                $0.selected = $1.from($0.selected, count: choices.count, page: choices.count)
            }
    }

    func traits(in model: AppModel) -> ScreenTraits {
        let size = FloatingBox.cardSize(in: model)
        return ScreenTraits(selectedRow: selected, box: .card(page(in: model, size: size, .unicode).page, in: model))
    }

    static func examples(of session: SessionName, in model: AppModel) -> [SignOutScreen] { [SignOutScreen(name: session)] }

    func title(in model: AppModel) -> String { SignOutWords.title(name) }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        // Whether there is space between the choices depends on the terminal, because the height of a card depends on its text.
        let rows = FloatingBox.hasSpace(in: model) ? FloatingBox.cardSize(in: model).rows : area.rows
        let (page, marked) = page(in: model, size: Size(columns: area.columns, rows: rows), buffer.glyphs)
        // Keeps the selected choice visible, or at least its first row.
        page.draw(in: area, scroll: min(marked.lowerBound, max(0, marked.upperBound - area.rows)), into: &buffer)
    }

    /// Returns the question with its choices, and the rows of the selected one.
    ///
    /// - Parameter size: the largest size of the page.
    private func page(in model: AppModel, size: Size, _ glyphs: GlyphSet) -> (page: Document, marked: Range<Int>) {
        var page = Document()
        page.words([Document.Span(tr("How do you want to sign out of {1}?", name), .title, .bold)])
        page.blank()
        var marked = 0..<0
        for (index, mode) in choices(in: model).enumerated() {
            let choice = SignOutWords.choice(mode, for: name, in: model)
            let isMarked = index == selected
            let first = page.rows(columns: size.columns).count
            page.choice(
                [Document.Span("\(index + 1)  ", .key), Document.Span(choice.title, .text, .bold)], isChosen: isMarked, glyphs)
            page.mark(as: .row(index))
            page.words(choice.meaning, .muted, indent: 5)
            page.mark(as: .row(index))
            if isMarked { marked = first..<page.rows(columns: size.columns).count }
            if size.rows >= 12, index < choices(in: model).count - 1 { page.blank() }
        }
        return (page, marked)
    }
}

extension Destination {
    static func signOutChoice(_ name: SessionName) -> Destination { Destination(SignOutScreen(name: name)) }
}

/// A sign-out in progress. It cannot be stopped; closing the screen does not stop it.
struct SigningOutScreen: TextScreen {
    let name: SessionName
    let mode: SignOutMode

    func actions(in model: AppModel) -> [Action] {
        [
            Action(
                "back", [.escape], label: tr("run in background"),
                result: ScreenResult(move: .home, notice: Notice(tr("the sign-out of {1} continues in the background", name))))
        ]
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(
            box: card(in: model), needsTicks: true, openingCommands: [.signOut(name, mode)], reportedSignOuts: [name])
    }

    var sessionToForget: SessionName? { mode == .localOnly ? name : nil }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .signOutEnded(name, mode, .success(let receipt)): .replace(.receipt(receipt))
        case .signOutEnded(name, mode, .failure(let failure)):
            .replace(.problem(Problem(SignOutWords.title(name), failure, retry: .run([.signOut(name, mode)]))))
        default: .none
        }
    }

    func title(in model: AppModel) -> String { SignOutWords.title(name) }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        let frame = Spinner.frame(at: model.now.milliseconds, glyphs: glyphs)
        page.words([Document.Span(frame + " ", .accent), Document.Span(tr("Signing out of {1}.", name), .title, .bold)])
        page.blank()
        page.words(tr("The provider may take a few seconds. The session is forgotten here in any case."), .muted)
        return page
    }
}

extension Destination {
    static func signingOut(_ name: SessionName, _ mode: SignOutMode) -> Destination {
        Destination(SigningOutScreen(name: name, mode: mode))
    }
}

/// The result of a sign-out, step by step.
struct ReceiptScreen: TextScreen {
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
            + Movement.scrolling(\.scroll, positions: scrollPositions(in: model), isHinted: false, in: model)
    }

    /// Returns a text for the user's notes: each step with its outcome.
    private func details(at moment: Timestamp) -> String {
        let steps = receipt.entries.map { "\(Words.signOutStep($0.step)): \(SignOutWords.outcome($0.outcome))" }
        return ([SignOutWords.outcome(receipt)] + steps + ["\(Words.program), \(moment)"]).joined(separator: "\n")
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

    func title(in model: AppModel) -> String { tr("Receipt") }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
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

extension Destination {
    static func receipt(_ receipt: SignOutReceipt) -> Destination { Destination(ReceiptScreen(receipt: receipt)) }
}

/// The texts for ending a session: the question, the progress, the receipt.
package enum SignOutWords {
    package static func title(_ name: SessionName) -> String { tr("Sign out of {1}", name) }
    package static func choice(_ mode: SignOutMode, for name: SessionName, in model: AppModel) -> (title: String, meaning: String) {
        switch mode {
        case .withBase:
            (
                tr("Revoke and forget, and sign out of {1} as well", model.provider(name.provider)?.base?.provider.text ?? ""),
                tr("This session was created from the session there: its user vouched for you.")
            )
        case .revoke: (tr("Revoke and forget"), tr("Revokes the tokens at the provider, then removes them here."))
        case .endBrowserSession:
            (tr("Revoke, forget, and end the browser's session"), tr("Also signs your browser out at the provider."))
        case .localOnly: (tr("Forget here only"), tr("The provider is not told. Copied tokens stay valid until they expire."))
        }
    }
    package static var everywhere: String { tr("Sign out everywhere") }
    package static var keyEverywhere: String { tr("sign out everywhere") }
    package static var helpEverywhere: String { tr("end every session; asks for confirmation once") }
    /// Returns why a sign-out is incomplete.
    package static func trouble(_ receipt: SignOutReceipt) -> String {
        for case .failed(let reason, let isQueued) in receipt.entries.map(\.outcome) { return failed(reason, isQueued: isQueued) }
        return ended(receipt)
    }

    /// Returns what Enter does.
    package static func key(_ mode: SignOutMode) -> String {
        switch mode {
        case .revoke: tr("revoke and forget")
        case .withBase: tr("sign out of both")
        case .endBrowserSession: tr("revoke and end browser session")
        case .localOnly: tr("forget here only")
        }
    }

    package static func outcome(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return tr("{1} was forgotten here, but some steps at the provider failed.", receipt.session) }
        return receipt.isProviderNotified
            ? tr("You are signed out of {1}.", receipt.session)
            : tr("{1} was forgotten here. The provider was not notified.", receipt.session)
    }
    package static func outcome(_ outcome: SignOutReceipt.Outcome) -> String {
        switch outcome {
        case .done: tr("done")
        case .skipped(let reason): tr("skipped: {1}", reason.text())
        case .unconfirmed(let reason): tr("not confirmed: {1}", reason.text())
        case .failed(let reason, let isQueued): failed(reason, isQueued: isQueued)
        }
    }
    package static func failed(_ reason: UserMessage, isQueued: Bool) -> String {
        tr("failed: {1}", reason.text()) + (isQueued ? tr("; it will be retried") : "")
    }
    package static func ended(_ receipt: SignOutReceipt) -> String {
        guard receipt.isComplete else { return tr("{1} was forgotten here; some steps at the provider failed", receipt.session) }
        return receipt.isProviderNotified
            ? tr("signed out of {1}", receipt.session) : tr("{1} was forgotten here; the provider was not notified", receipt.session)
    }
}
