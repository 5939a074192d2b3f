import AuthModel
import TerminalAppModel
import TerminalUI

/// A sign-out in progress. It cannot be stopped; closing the screen does not stop it.
struct SigningOutScreen: Screen {
    let name: SessionName
    let mode: SignOutMode

    enum Action: Hashable, Sendable {
        case back
    }

    func bindings(in model: AppModel) -> [KeyBinding<Action>] {
        [KeyBinding(Key.escape, action: Action.back, label: SignOutWords.keyLeave)]
    }

    mutating func perform(_ action: Action, in model: AppModel) -> ScreenResult {
        ScreenResult(move: .home, notice: Notice(SignOutWords.goesOn(name)))
    }

    mutating func receive(_ message: Message, in model: AppModel) -> ScreenResult {
        switch message {
        case .signOutEnded(name, mode, .success(let receipt)): .replace(.receipt(receipt))
        case .signOutEnded(name, mode, .failure(let failure)): .replace(.problem(Problem(SignOutWords.title(name), failure)))
        default: .none
        }
    }

    func needsTicks(in model: AppModel) -> Bool { true }

    var openingCommands: [Command] { [.signOut(name, mode)] }
    var sessionToForget: SessionName? { mode == .localOnly ? name : nil }

    func reports(_ message: Message) -> Bool {
        if case .signOutEnded(name, _, _) = message { true } else { false }
    }
}

extension Destination {
    static func signingOut(_ name: SessionName, _ mode: SignOutMode) -> Destination {
        Destination(SigningOutScreen(name: name, mode: mode))
    }
}
