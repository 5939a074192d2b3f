import AuthModel
import TerminalUI

/// Says what the person does next, after an account was asked for or where nobody has to sign in.
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

    func bindings(in world: World) -> [KeyBinding<Action>] {
        let back = KeyBinding(Key.escape, action: Action.back, label: CommonWords.keyBack)
        let scrolling = Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: scrollPositions(in: world) > 1)
        guard step.signIn != nil else { return [KeyBinding(.enter, .escape, action: .back, label: CommonWords.keyBack)] + scrolling }
        let page =
            step.authenticator == nil
            ? []
            : [
                KeyBinding(
                    Key.character("o"), action: Action.openPage, label: NextStepWords.keyOpen, help: NextStepWords.helpOpen),
                KeyBinding(.character("c"), action: .copy, label: SigningInWords.keyCopy, help: SigningInWords.helpCopy),
            ]
        return [KeyBinding(Key.enter, action: Action.signIn, label: FrontDoorWords.keySignIn)] + page + [back] + scrolling
    }

    func obstacle(to action: Action, in world: World) -> String? {
        action == .signIn && world.isLocked ? LockWords.locked : nil
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .signIn: return step.signIn.map { .replace(.signingIn($0)) } ?? .back
        case .openPage:
            guard let page = step.authenticator, let provider = step.signIn?.provider else { return .none }
            return .run(.openBrowser(page, provider))
        case .copy: return step.authenticator.map { .run(.copyText($0.text)) } ?? .none
        case .back: return .back
        case .move(let movement):
            scroll = movement.from(scroll, count: scrollPositions(in: world), page: Frame.bodySize(world.size).rows)
            return .none
        }
    }

    mutating func receive(_ message: Message, in world: World) -> Step {
        guard case .browserAnswered(step.authenticator, let outcome) = message else { return .none }
        switch outcome {
        case .opened: return .say(NextStepWords.isOpen, .good)
        case .noBrowser: return .say(NextStepWords.noBrowser, .warning)
        case .failed(let reason): return .say(SigningInWords.browserFailed(reason), .warning)
        }
    }

    private func scrollPositions(in world: World) -> Int { page(glyphs: .unicode).scrollPositions(in: Frame.bodySize(world.size)) }
}
