import AuthModel
import TerminalAppModel
import TerminalUI

/// Lists the keys of the previous screen and the global keys, from the tables that decode them.
struct HelpScreen: Screen {
    /// The name of the screen that the keys belong to.
    let subject: String
    let own: [KeyHint]
    let everywhere: [KeyHint]
    /// Whether the app uses the mouse.
    var hasMouse = false
    var scroll = 0

    enum Action: Hashable, Sendable {
        case move(Movement)
        case back
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [KeyBinding(Key.escape, .enter, .left, .character("h"), action: Action.back, label: CommonWords.keyBack)]
            + Movement.bindings(Action.move, label: CommonWords.keyScroll)
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        switch action {
        case .back: return .back
        case .move(let movement):
            let positions = document().scrollPositions(in: Frame.bodySize(model.size))
            scroll = movement.from(scroll, count: positions, page: Frame.bodySize(model.size).rows)
            return .none
        }
    }
}

extension HelpScreen {
    /// Opens the help of the screen below.
    struct Request: ScreenRequest {
        func screen(in context: inout OpeningContext) -> HelpScreen {
            HelpScreen(
                subject: context.current.title(in: context.model), own: context.current.keyHelp(in: context.model),
                everywhere: context.globalKeys.help, hasMouse: context.model.usesMouse)
        }
    }
}

extension Destination {
    static let help = Destination(HelpScreen.Request())
}
