import AuthModel
import Localization
import TerminalUI

/// Shows the user's next step after a sign-up, or if no sign-in is needed.
struct NextStepScreen: TextScreen {
    let step: NextStep
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let positions = scrollPositions(in: model)
        let scrolling: [Action] = Movement.scrolling(\.scroll, positions: positions, isHinted: positions > 1, in: model)
        func back(_ keys: [Key]) -> Action { Action("back", keys, label: CommonWords.keyBack, result: .back) }
        guard let request = step.signIn else { return [back([.enter, .escape])] + scrolling }
        let page = step.authenticator.map { page in
            [
                Action(
                    "open-page", [.character("o")], label: tr("open page"), help: tr("open the page where you can get the authenticator"),
                    result: .run(.openBrowser(page, request.provider))),
                Action(
                    "copy", [.character("c")], label: SigningInWords.keyCopy, help: SigningInWords.helpCopy,
                    result: .run(.copyText(page.text))),
            ]
        }
        let signIn = Action(
            "sign-in", [.enter], label: CommonWords.keySignIn, obstacle: model.lockObstacle, result: .replace(.signingIn(request)))
        return [signIn] + (page ?? []) + [back([.escape])] + scrolling
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        guard case .browserAnswered(step.authenticator, let outcome) = message else { return .none }
        switch outcome {
        case .opened: return .say(tr("the page is open in your browser"), .good)
        case .noBrowser: return .say(tr("no browser was found: press c to copy the address"), .warning)
        case .failed(let reason): return .say(SigningInWords.browserFailed(reason), .warning)
        }
    }

    func title(in model: AppModel) -> String { step.title }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
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
        page.words(tr("You sign in with an authenticator. If you have none yet, get it here:"))
        page.verbatim(.link(authenticator))
        page.blank()
        page.words(tr("When your account is ready, press Enter to sign in."), .muted)
        return page
    }
}

extension Destination {
    static func nextStep(_ step: NextStep) -> Destination { Destination(NextStepScreen(step: step)) }
}

/// The user's next step after a flow that succeeded without a session.
struct NextStep: Equatable, Sendable {
    /// The requested action, as a heading: `Sign up at acme`.
    var title: String
    /// The result, and the next step.
    var outcome: NoSession
    /// The page for creating the account, at providers that have one.
    var accountPage: WebURL?
    /// The page for installing the authenticator, if that is the next step.
    var authenticator: WebURL?
    /// The request for signing in afterwards; nil if no sign-in is needed.
    var signIn: SignInRequest?

    init(_ request: SignInRequest, _ outcome: NoSession, accountPage: WebURL?, authenticator: WebURL?) {
        title = SigningInWords.title(request)
        self.outcome = outcome
        let isAccountRequested = outcome.reason == .accountRequested
        self.accountPage = isAccountRequested ? accountPage : nil
        self.authenticator = isAccountRequested ? authenticator : nil
        signIn = isAccountRequested ? SignInRequest(provider: request.provider) : nil
    }
}
