import AuthModel
import TerminalAppModel
import TerminalUI

/// Shows a successful sign-in: the account, the provider, the expiry.
struct WelcomeScreen: Screen {
    let session: SessionSummary
    /// When the screen opened.
    let openedAt: Timestamp
    var scroll = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case home
        case inspect
        case copyToken
        case copyCommand
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [
            KeyBinding(Key.enter, .escape, action: Action.home, label: WelcomeWords.keyHome),
            KeyBinding(.character("i"), action: .inspect, label: WelcomeWords.keyInspect),
            KeyBinding(.character("y"), action: .copyToken, label: SessionWords.keyCopy, help: SessionWords.helpCopy),
            KeyBinding(.character("c"), action: .copyCommand, label: WelcomeWords.keyCopyCommand),
        ] + Movement.bindings(Action.move, label: CommonWords.keyScroll, isHinted: scrollPositions(in: model) > 1)
    }

    func obstacle(to action: Action, in model: AppModel) -> String? {
        switch action {
        case .home, .move, .copyCommand: nil
        case .inspect, .copyToken: model.isLocked ? LockWords.locked : nil
        }
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .move(let movement):
            scroll = movement.from(scroll, count: scrollPositions(in: model), page: Frame.bodySize(model.size).rows)
            return .none
        case .home: return ScreenResult(move: .home, highlighted: session.name)
        case .inspect: return .replace(.session(session.name))
        case .copyCommand: return .run(.copyText(WelcomeWords.command(session.name)))
        case .copyToken: return SessionAction.copyToken.step(for: session.name)
        }
    }

    private func scrollPositions(in model: AppModel) -> Int {
        page(in: model, glyphs: .unicode).scrollPositions(in: Frame.bodySize(model.size))
    }

    /// How long the gate takes to lift.
    private static let liftTime = Duration.milliseconds(400)

    func isAnimated(in model: AppModel) -> Bool { model.motion == .full && model.now - openedAt < Self.liftTime }

    /// Returns by how many rows the gate is lifted now; where nothing moves, it is open at once.
    func lift(in model: AppModel) -> Int {
        guard isAnimated(in: model) else { return GatePicture.height }
        let time = max(0, (model.now - openedAt).wholeMilliseconds)
        return Int(time * Int64(GatePicture.height) / Self.liftTime.wholeMilliseconds)
    }

    func needsTicks(in model: AppModel) -> Bool { session.accessExpiresAt != nil }

    var allowsProblemAbove: Bool { true }
}

extension WelcomeScreen {
    /// Opens the screen after a sign-in.
    struct Request: ScreenRequest {
        var session: SessionSummary

        func screen(in context: inout OpeningContext) -> WelcomeScreen { WelcomeScreen(session: session, openedAt: context.model.now) }
    }
}

extension Destination {
    static func welcome(_ session: SessionSummary) -> Destination { Destination(WelcomeScreen.Request(session: session)) }
}
