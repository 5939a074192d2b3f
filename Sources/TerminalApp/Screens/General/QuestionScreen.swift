package import AuthModel
import Localization
import TerminalUI

/// Asks whether a program may have a token. It opens above any other screen, so a yes is accepted only after the user could read it.
struct QuestionScreen: TextScreen {
    let question: TokenConsentRequest
    /// The ticks since the screen opened. Keys typed just as it opened are not an answer.
    var ticks = 0

    /// The number of ticks before a yes is accepted. The second tick comes at least one second after the first.
    private static let ticksToRead = 2
    /// The maximum age of the last tick's time.
    private static let maximumTickAge = Duration.seconds(2)

    func actions(in model: AppModel) -> [Action] {
        [
            Action(
                "yes", [.character("y")], label: tr("allow"),
                obstacle: ticks < Self.ticksToRead ? QuestionWords.readFirst : nil, keepsPlace: true, result: answer(true)),
            Action("no", [.character("n"), .escape], label: tr("deny"), result: answer(false)),
        ]
    }

    private func answer(_ allows: Bool) -> ScreenResult {
        ScreenResult(commands: [.answerQuestion(question.id, allows: allows)], move: .back)
    }

    func traits(in model: AppModel) -> ScreenTraits { ScreenTraits(box: card(in: model), needsTicks: true) }

    /// The question times out in plain prompts too.
    var ticksAsPlainPrompts: Bool { true }
    /// Another program still waits for the answer.
    var staysOpenAtHome: Bool { true }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .ticked(let now):
            ticks += 1
            return now < question.deadline ? .none : ScreenResult(move: .back, notice: Notice(QuestionWords.isOver, .warning))
        case .serviceReported(.settled(question.id)):
            // The session service's clock may be ahead of the last tick.
            let isOver = question.deadline - model.now <= Self.maximumTickAge
            return ScreenResult(move: .back, notice: isOver ? Notice(QuestionWords.isOver, .warning) : nil)
        case .serviceWentAway: return .back
        // Restarts the delay, so that the user can read the question before the keys accept a yes.
        case .uncovered:
            ticks = 0
            return .none
        default: return .none
        }
    }

    func title(in model: AppModel) -> String { tr("A program requests a token") }

    func page(in model: AppModel, _ glyphs: GlyphSet) -> Document {
        var page = Document()
        page.words([Document.Span(QuestionWords.heading(question), .title, .bold)])
        page.blank()
        page.words(QuestionWords.program(question))
        if let destination = QuestionWords.destination(question) { page.words(destination) }
        for line in QuestionWords.restrictions(question) { page.words(line) }
        page.blank()
        page.words([Document.Span(QuestionWords.left(question.deadline - model.now), .warning)])
        return page
    }
}

extension Destination {
    static func question(_ question: TokenConsentRequest) -> Destination { Destination(QuestionScreen(question: question)) }
}

/// The texts of the question whether a program gets a token.
package enum QuestionWords {
    package static var readFirst: String { tr("Read it first; y is enabled in a moment") }
    package static var isOver: String { tr("No answer in time: the token was refused") }
    package static var tooLate: String { tr("The request was already answered, or has expired") }

    package static func heading(_ question: TokenConsentRequest) -> String {
        switch question.subject {
        case .list?: return tr("Issue the list of roles of {1}?", question.session)
        case .credentials(let role)?: return tr("Issue only credentials of the role {1} of {2}?", role, question.session)
        case nil: break
        }
        return question.wanted == .id
            ? tr("Issue the ID token of {1}?", question.session) : tr("Issue the access token of {1}?", question.session)
    }

    /// Returns the token's restrictions, if it has fewer rights than the session.
    package static func restrictions(_ question: TokenConsentRequest) -> [String] {
        let scopes = question.restrictions.scopes
        return (scopes.isEmpty ? [] : [tr("It is limited to these scopes: {1}.", scopes.wire)])
            + (question.restrictions.audience.map { [tr("Its audience is {1}.", $0)] } ?? [])
    }

    package static func program(_ question: TokenConsentRequest) -> String {
        if question.restrictions != .session || question.subject != nil {
            return question.process.map { tr("{1} (process {2}) requests it.", question.program, $0) }
                ?? tr("{1} requests it.", question.program)
        }
        guard let process = question.process else {
            return tr("{1} requests it. The token has all session scopes.", question.program)
        }
        return tr("{1} (process {2}) requests it. It carries all rights of this session.", question.program, process)
    }

    package static func destination(_ question: TokenConsentRequest) -> String? {
        // The session service itself knows the role, and the heading has it.
        question.subject != nil ? nil : question.destination.map { tr("According to the program, it is for {1}.", $0) }
    }

    package static func left(_ time: Duration) -> String {
        let seconds = Int(max(0, time.wholeSeconds))
        return plural(seconds, "Denied in {1} second.", "Denied in {1} seconds.")
    }
}
