import AuthModel
import TerminalAppModel
import TerminalUI

/// Shows what happened, why, and which keys help.
struct ProblemScreen: Screen {
    let problem: Problem
    var scroll = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case retry
        case copy
        case back
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.character("r"), .enter, action: Action.retry, label: ProblemWords.keyRetry),
            KeyBinding(.character("y"), action: .copy, label: ProblemWords.keyCopy, help: ProblemWords.helpCopy),
            KeyBinding(.escape, action: .back, label: CommonWords.keyBack),
        ] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: scrollPositions(in: model) > 1)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        action == .retry && problem.retry == nil ? ProblemWords.noRetry : nil
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        if case .move(let movement) = action {
            scroll = movement.from(scroll, count: scrollPositions(in: model), page: Frame.bodySize(model.size).rows)
            return .none
        }
        if action == .copy { return .run(.copyText(details(at: model.now))) }
        guard action == .retry, let retry = problem.retry else { return .back }
        switch retry {
        case .load: return ScreenResult(commands: [.load], move: .back)
        case .signIn(let request, let typed): return .replace(.signingIn(request, typed: typed))
        case .loadSession(let name): return .replace(.session(name))
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

    private func scrollPositions(in model: AppModel) -> Int { page(glyphs: .unicode).scrollPositions(in: Frame.bodySize(model.size)) }
}

extension Destination {
    static func problem(_ problem: Problem) -> Destination { Destination(ProblemScreen(problem: problem)) }
}
