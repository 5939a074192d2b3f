import AuthModel
import Localization
import TerminalUI

/// Shows the user's next step after a sign-up, or if no sign-in is needed.
struct NextStepScreen: Screen {
    let step: NextStep
    var scroll = 0

    enum Action: Hashable, Sendable {
        case signIn
        case openPage
        case copy
        case back
        case move(Movement)
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        let back = KeyBinding(Key.escape, action: Action.back, label: CommonWords.keyBack)
        let scrolling = Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: scrollPositions(in: model) > 1)
        guard step.signIn != nil else { return [KeyBinding(.enter, .escape, action: .back, label: CommonWords.keyBack)] + scrolling }
        let page =
            step.authenticator == nil
            ? []
            : [
                KeyBinding(
                    Key.character("o"), action: Action.openPage, label: NextStepWords.keyOpen, help: NextStepWords.helpOpen),
                KeyBinding(.character("c"), action: .copy, label: SigningInWords.keyCopy, help: SigningInWords.helpCopy),
            ]
        return [KeyBinding(Key.enter, action: Action.signIn, label: HomeWords.keySignIn)] + page + [back] + scrolling
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        action == .signIn && model.isLocked ? LockWords.locked : nil
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .signIn: return step.signIn.map { .replace(.signingIn($0)) } ?? .back
        case .openPage:
            guard let page = step.authenticator, let provider = step.signIn?.provider else { return .none }
            return .run(.openBrowser(page, provider))
        case .copy: return step.authenticator.map { .run(.copyText($0.text)) } ?? .none
        case .back: return .back
        case .move(let movement):
            scroll = movement.from(scroll, count: scrollPositions(in: model), page: Frame.bodySize(model.size).rows)
            return .none
        }
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .browserAnswered(step.authenticator, let outcome) = message else { return .none }
        switch outcome {
        case .opened: return .say(NextStepWords.isOpen, .good)
        case .noBrowser: return .say(NextStepWords.noBrowser, .warning)
        case .failed(let reason): return .say(SigningInWords.browserFailed(reason), .warning)
        }
    }

    private func scrollPositions(in model: AppModel) -> Int { page(glyphs: .unicode).scrollPositions(in: Frame.bodySize(model.size)) }
}

extension Destination {
    static func nextStep(_ step: NextStep) -> Destination { Destination(NextStepScreen(step: step)) }
}

extension NextStepScreen {
    func title(in model: AppModel) -> String { step.title }

    func render(in model: AppModel, area: Rect, into buffer: inout ScreenBuffer) {
        page(glyphs: buffer.glyphs).draw(in: area, scroll: scroll, into: &buffer)
    }

    /// Returns the screen as a document.
    func page(glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([
            Document.Span(glyphs.check + " ", .success, .bold), Document.Span(Words.sentence(step.outcome.message), .title, .bold),
        ])
        page.blank()
        if let accountPage = step.accountPage {
            page.verbatim(accountPage.text, Style(.link))
            page.blank()
        }
        guard let authenticator = step.authenticator else {
            if let hint = step.outcome.hint { page.words(Words.sentence(hint)) }
            return page
        }
        page.words(NextStepWords.getIt)
        page.verbatim(authenticator.text, Style(.link))
        page.blank()
        page.words(NextStepWords.thenSignIn, .muted)
        return page
    }
}

/// The texts of the next-step screen.
package enum NextStepWords {
    package static var getIt: String { tr("You sign in with an authenticator. If you have none yet, get it here:") }
    package static var thenSignIn: String { tr("When your account is ready, press Enter to sign in.") }
    package static var keyOpen: String { tr("open page") }
    package static var helpOpen: String { tr("open the page where you can get the authenticator") }
    package static var isOpen: String { tr("the page is open in your browser") }
    package static var noBrowser: String { tr("no browser was found: press c to copy the address") }
}
