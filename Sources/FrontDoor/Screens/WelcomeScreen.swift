import AuthModel
import TerminalUI

/// A sign-in that went through: who, where, until when.
struct WelcomeScreen: Screen {
    let session: SessionSummary
    var scroll = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case home
        case inspect
        case copyToken
        case copyCommand
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, .escape, action: Action.home, label: WelcomeWords.keyHome),
            KeyBinding(.character("i"), action: .inspect, label: WelcomeWords.keyInspect),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.character("c"), action: .copyCommand, label: WelcomeWords.keyCopyCommand),
        ] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: scrollPositions(in: world) > 1)
    }

    func obstacle(to action: Action, in world: World) -> String? {
        switch action {
        case .home, .move, .copyCommand: nil
        case .inspect, .copyToken: world.isLocked ? LockWords.locked : nil
        }
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .move(let movement):
            scroll = movement.from(scroll, count: scrollPositions(in: world), page: Frame.bodySize(world.size).rows)
            return .none
        case .home: return .home
        case .inspect: return .replace(.session(session.name))
        case .copyCommand: return .run(.copyText(WelcomeWords.command(session.name)))
        case .copyToken: return SessionWish.copyToken.step(for: session.name)
        }
    }

    private func scrollPositions(in world: World) -> Int {
        page(in: world, glyphs: .unicode).scrollPositions(in: Frame.bodySize(world.size))
    }

    func isTimed(in world: World) -> Bool { session.accessExpiresAt != nil }
}
