import AuthModel
import TerminalUI

/// Asks whether a program may have a token. It comes over whatever is open, so a yes needs a person who has seen it.
struct QuestionScreen: Screen {
    let question: HandOutQuestion
    /// The ticks since it was opened: what was being typed when it came is no answer.
    var ticks = 0

    enum Action: Hashable, Sendable {
        case yes
        case no
    }

    /// The second tick comes a second after the first at the earliest.
    private static let ticksToRead = 2
    /// How old the time of the last tick may be.
    private static let tickAndMore = Duration.seconds(2)

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.character("y"), action: Action.yes, label: QuestionWords.yes),
            KeyBinding(.character("n"), .escape, action: .no, label: QuestionWords.no),
        ]
    }

    func obstacle(to action: Action, in world: World) -> String? {
        action == .yes && ticks < Self.ticksToRead ? QuestionWords.readFirst : nil
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        Step(commands: [.answerQuestion(question.id, allows: action == .yes)], move: .back)
    }

    mutating func receive(_ message: Message, in world: World) -> Step {
        switch message {
        case .ticked(let now):
            ticks += 1
            return now < question.deadline ? .none : Step(move: .back, notice: Notice(QuestionWords.isOver, .warning))
        case .keeperReported(.settled(question.id)):
            // The keeper's clock may be ahead of the last tick.
            let isOver = question.deadline - world.now <= Self.tickAndMore
            return Step(move: .back, notice: isOver ? Notice(QuestionWords.isOver, .warning) : nil)
        case .keeperWentAway: return .back
        default: return .none
        }
    }

    func title(in world: World) -> String { QuestionWords.title }
    func isTimed(in world: World) -> Bool { true }

    func render(in world: World, area: Rect, into buffer: inout ScreenBuffer) {
        var page = Document()
        page.words([Document.Span(QuestionWords.heading(question), .title, .bold)])
        page.blank()
        page.words(QuestionWords.program(question))
        for line in QuestionWords.terms(question) { page.words(line) }
        page.blank()
        page.words([Document.Span(QuestionWords.left(question.deadline - world.now), .warning)])
        page.draw(in: area, into: &buffer)
    }
}
