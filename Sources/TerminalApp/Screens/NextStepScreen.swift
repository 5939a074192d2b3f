import AuthModel
import Localization
import TerminalUI

/// Shows the user's next step after a sign-up, or if no sign-in is needed.
struct NextStepScreen: Screen {
    let step: NextStep
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let positions = page(glyphs: .unicode).scrollPositions(in: FloatingBox.cardSize(in: model))
        let scrolling: [Action] = Movement.scrolling(\.scroll, positions: positions, isHinted: positions > 1, in: model)
        func back(_ keys: [Key]) -> Action { Action("back", keys, label: CommonWords.keyBack, result: .back) }
        guard let request = step.signIn else { return [back([.enter, .escape])] + scrolling }
        let page = step.authenticator.map { page in
            [
                Action(
                    "open-page", [.character("o")], label: NextStepWords.keyOpen, help: NextStepWords.helpOpen,
                    result: .run(.openBrowser(page, request.provider))),
                Action(
                    "copy", [.character("c")], label: SigningInWords.keyCopy, help: SigningInWords.helpCopy,
                    result: .run(.copyText(page.text))),
            ]
        }
        let signIn = Action(
            "sign-in", [.enter], label: HomeWords.keySignIn, obstacle: model.lockObstacle, result: .replace(.signingIn(request)))
        return [signIn] + (page ?? []) + [back([.escape])] + scrolling
    }

    func traits(in model: AppModel) -> ScreenTraits {
        ScreenTraits(box: .card(page(glyphs: .unicode), in: model))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .browserAnswered(step.authenticator, let outcome) = message else { return .none }
        switch outcome {
        case .opened: return .say(NextStepWords.isOpen, .good)
        case .noBrowser: return .say(NextStepWords.noBrowser, .warning)
        case .failed(let reason): return .say(SigningInWords.browserFailed(reason), .warning)
        }
    }
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
        page.isInCard = true
        page.words([
            Document.Span(glyphs.check + " ", .success, .bold), Document.Span(Words.sentence(step.outcome.message), .title, .bold),
        ])
        page.blank()
        if let accountPage = step.accountPage {
            page.verbatim(.link(accountPage))
            page.blank()
        }
        guard let authenticator = step.authenticator else {
            if let hint = step.outcome.hint { page.words(Words.sentence(hint)) }
            return page
        }
        page.words(NextStepWords.getIt)
        page.verbatim(.link(authenticator))
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
