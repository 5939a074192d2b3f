package import AuthModel
import Localization
import TerminalUI

/// Shows what happened, why, and which keys help.
struct ProblemScreen: TextScreen {
    let problem: Problem
    var scroll = 0

    func actions(in model: AppModel) -> [Action] {
        let positions = scrollPositions(in: model)
        return [
            Action(
                "retry", [.character("r"), .enter], label: keyRetry, result: retry),
            Action(
                "copy", [.character("y")], label: ProblemWords.keyCopy, help: ProblemWords.helpCopy,
                result: .run(.copyText(details(at: model.now)))),
            Action("back", [.escape], label: CommonWords.keyBack, result: .back),
        ] + Movement.scrolling(\.scroll, positions: positions, isHinted: positions > 1, in: model)
    }

    private var keyRetry: String {
        guard case .signIn(let request, _) = problem.retry, request.purpose == .signIn, let account = request.account else {
            return ProblemWords.keyRetry
        }
        return tr("sign in again as {1}", account)
    }

    private var retry: ScreenResult {
        switch problem.retry {
        case .load: ScreenResult(commands: [.load], move: .back)
        case .signIn(let request, let typed): .replace(.signingIn(request, typed: typed))
        case .loadSession(let name): .replace(.session(name))
        case .run(let commands): ScreenResult(commands: commands, move: .back)
        case .press(let key): ScreenResult(move: .press(key))
        }
    }

    /// Returns details for a support request. Failures contain no secrets.
    private func details(at moment: Timestamp) -> String {
        let failure = problem.failure
        return [
            ProblemWords.didNotWork(problem.title), Words.sentence(failure.message), ProblemWords.kind(failure.kind),
            failure.hint.map(Words.sentence), "\(Words.program), \(moment)",
        ].compactMap(\.self).joined(separator: "\n")
    }

    func title(in model: AppModel) -> String { tr("Problem") }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([
            Document.Span(glyphs.cross + " ", .danger, .bold), Document.Span(ProblemWords.didNotWork(problem.title), .title, .bold),
        ])
        page.blank()
        page.words(tr("What happened"), .muted)
        page.words(Words.sentence(problem.failure.message), indent: 2)
        page.blank()
        page.words(tr("What to do"), .muted)
        if let hint = problem.failure.hint { page.words(Words.sentence(hint), indent: 2) }
        page.words(tr("Press r to try again, or Esc to go back."), indent: 2)
        page.blank()
        addSteps(to: &page, glyphs: glyphs)
        page.words(tr("Kind of problem"), .muted)
        page.words(ProblemWords.kind(problem.failure.kind), problem.failure.kind == .security ? .danger : .text, indent: 2)
        if case .signIn = problem.retry {
            page.blank()
            page.words(tr("Your existing sessions are unchanged."), .muted)
        }
        return page
    }

    /// Adds the steps of the sign-in up to the one that failed.
    private func addSteps(to page: inout Document, glyphs: GlyphSet) {
        let begun = problem.steps.filter { $0.progress != .pending }
        for line in begun {
            let title = line.step.title.text()
            switch line.progress {
            case .done(let took):
                page.timed(
                    [Document.Span("  \(glyphs.check) ", .success), Document.Span(title, .muted)],
                    Document.Span(Words.stepSpan(took), .muted), column: SigningInPage.timeColumn)
            case .running, .pending, .failed:
                page.row(Document.Span("  \(glyphs.cross) ", .danger, .bold), Document.Span(title, .text, .bold))
            }
        }
        page.blank()
    }
}

extension Destination {
    static func problem(_ problem: Problem) -> Destination { Destination(ProblemScreen(problem: problem)) }
}

/// The texts of the problem screen.
package enum ProblemWords {
    package static func didNotWork(_ what: String) -> String { tr("Failed: {1}", what) }
    package static var keyCopy: String { tr("copy details") }
    package static var helpCopy: String { tr("copy this text to the clipboard; it contains no secrets") }
    package static var keyRetry: String { tr("try again") }

    package static func kind(_ kind: AuthFailure.Kind) -> String {
        switch kind {
        case .bug: tr("A bug in Yett, or an unexpected failure.")
        case .configuration: tr("Fix the configuration, the store or this machine first.")
        case .cancelled: tr("Cancelled.")
        case .timedOut: tr("Timed out waiting for an answer.")
        case .denied(let code): code.map { tr("The provider denied the request ({1}).", $0) } ?? tr("The provider denied the request.")
        case .signInAgain: tr("The session can no longer be renewed. Sign in again.")
        case .unavailable(let wait):
            wait.map { tr("A network or server problem. The server asks to wait {1}.", Words.span($0)) }
                ?? tr("A network or server problem; it may be temporary.")
        case .security: tr("Refused: a security check failed.")
        case .notSignedIn: tr("This session does not exist.")
        case .alreadySignedIn: tr("This session already exists.")
        case .usage: tr("The request is not valid.")
        }
    }
}

/// The content of the problem screen: the failed action, the reason, and the retry.
struct Problem: Equatable, Sendable {
    /// The failed action, as a heading: `Sign in to work`.
    var title: String
    var failure: AuthFailure
    /// The action of the retry key.
    var retry: Retry
    /// The steps of the sign-in that failed, the last started one being the one that failed; empty for other actions.
    var steps: [SigningInScreen.StepLine] = []

    enum Retry: Equatable, Sendable {
        case load
        /// `typed`: the user's earlier answers, which fill the forms again.
        case signIn(SignInRequest, typed: SignInForm.Answers = [:])
        case loadSession(SessionName)
        /// Performs commands whose results the screens below show.
        case run([Command])
        /// Presses a key on the screen below.
        case press(Key)
    }

    init(_ title: String, _ failure: AuthFailure, retry: Retry) {
        self.title = title
        self.failure = failure
        self.retry = retry
    }
}
