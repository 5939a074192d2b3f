import AuthModel
import TerminalAppModel

/// An action on a session that the palette offers.
enum PaletteSessionAction: CaseIterable, Hashable, Sendable {
    case open
    case inspect
    case renew
    case copyToken
    case signIn
    case signOut
    case forget

    func title(_ name: SessionName) -> String { title("\(name)") }

    /// The action's text without the session's name, for the search.
    var words: String { title("") }

    private func title(_ name: String) -> String {
        switch self {
        case .open: PaletteWords.open(name)
        case .inspect: PaletteWords.inspect(name)
        case .renew: PaletteWords.renew(name)
        case .copyToken: PaletteWords.copyToken(name)
        case .signIn: PaletteWords.signIn(name)
        case .signOut: PaletteWords.signOut(name)
        case .forget: PaletteWords.forget(name)
        }
    }

    /// Returns the result that starts the action and closes the palette.
    func step(for name: SessionName, in model: AppModel) -> ScreenResult {
        switch self {
        case .open: return .replace(.session(name))
        case .inspect: return .replace(.inspector(name))
        case .signIn: return .replace(.signingIn(model.signInRequest(for: name)))
        case .renew, .copyToken, .signOut, .forget:
            var step = sessionAction?.step(for: name) ?? .none
            if case .open(let destination) = step.move { step.move = .replace(destination) } else { step.move = .back }
            return step
        }
    }

    /// Returns why the action is not available now; nil if it is.
    func obstacle(_ session: SessionSummary, in model: AppModel) -> String? {
        sessionAction == nil && model.isLocked ? LockWords.locked : SessionActionObstacle.to(sessionAction, session, in: model)
    }

    private var sessionAction: SessionAction? {
        switch self {
        case .open, .inspect, .signIn: nil
        case .renew: .renew
        case .copyToken: .copyToken
        case .signOut: .signOut
        case .forget: .forget
        }
    }
}
