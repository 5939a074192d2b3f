import AuthModel
import TerminalUI

/// A sign-in that went through: who, where, until when.
struct WelcomeScreen: Screen {
    let session: SessionSummary

    enum Action: Hashable, Sendable {
        case home
        case inspect
        case copyToken
    }

    func bindings(in world: World) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, .escape, action: Action.home, label: WelcomeWords.keyHome),
            KeyBinding(.character("i"), action: .inspect, label: WelcomeWords.keyInspect),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
        ]
    }

    func obstacle(to action: Action, in world: World) -> String? {
        action != .home && world.isLocked ? LockWords.locked : nil
    }

    mutating func perform(_ action: Action, in world: World) -> Step {
        switch action {
        case .home: .home
        case .inspect: .replace(.session(session.name))
        case .copyToken: SessionWish.copyToken.step(for: session.name)
        }
    }

    func isTimed(in world: World) -> Bool { session.accessExpiresAt != nil }
}
