import AuthModel
import TerminalAppModel
import TerminalUI

/// An action on a session, from its row or its own screen.
enum SessionAction: Hashable, Sendable {
    case renew
    case copyToken
    case signOut
    case forget
    /// Makes the session the default one of its provider.
    case makeActive

    /// Returns the result that starts the action.
    func step(for name: SessionName) -> ScreenResult {
        switch self {
        case .renew: ScreenResult(commands: [.renew(name)], notice: Notice(SessionWords.renewing(name)))
        case .copyToken: .run(.copyToken(name))
        case .signOut: .open(.signOutChoice(name))
        case .forget: .open(.confirm(.forgetting(name)))
        case .makeActive: .run(.activate(name))
        }
    }
}

extension SessionAction {
    /// Returns the key for ``makeActive`` if the provider has several accounts.
    static func activation<Action>(of name: SessionName, _ action: Action, in model: AppModel) -> [KeyBinding<Action>] {
        guard model.hasSeveralAccounts(at: name.provider) else { return [] }
        return [
            KeyBinding(
                Key.character("m"), action: action, label: SessionWords.keyActivate, help: SessionWords.helpActivate, isHinted: false)
        ]
    }
}

/// Why an action on a session is not available now.
enum SessionActionObstacle {
    static func to(_ action: SessionAction?, _ session: SessionSummary, in model: AppModel) -> String? {
        guard let action else { return nil }
        let state = model.state(of: session)
        switch action {
        case .renew:
            if model.isLocked { return LockWords.locked }
            if state == .renewing { return SessionWords.isRenewing }
            if state == .revoked || state == .needsSignIn { return SessionWords.onlySignInHelps }
            return session.isRenewable ? nil : SessionWords.notRenewable
        case .copyToken:
            if model.isLocked { return LockWords.locked }
            return state == .revoked || state == .needsSignIn ? SessionWords.onlySignInHelps : nil
        case .signOut:
            return model.isLocked ? LockWords.lockedSignOut : nil
        case .forget: return nil
        case .makeActive:
            if model.isLocked { return LockWords.locked }
            return model.isActive(session.name) ? SessionWords.isActive(session.name.provider) : nil
        }
    }
}
