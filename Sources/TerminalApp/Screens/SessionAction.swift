import AuthModel
import TerminalUI

/// What can be wanted of a session, from its row and from its own screen alike.
enum SessionAction: Hashable, Sendable {
    case renew
    case copyToken
    case signOut
    case forget
    /// That the provider's name alone stands for it.
    case makeActive

    /// How it is begun.
    func step(for name: SessionName) -> ScreenResult {
        switch self {
        case .renew: ScreenResult(commands: [.renew(name)], notice: Notice(SessionWords.renewing(name)))
        case .copyToken: .run(.copyToken(name))
        case .signOut: .open(.signOutChoice(name))
        case .forget: .open(.confirm(SessionWords.forget(name)))
        case .makeActive: .run(.activate(name))
        }
    }
}

extension SessionAction {
    /// The key for ``makeActive``, where there is something to choose.
    static func activation<Action>(of name: SessionName, _ action: Action, in model: AppModel) -> [KeyBinding<Action>] {
        guard model.hasSeveralAccounts(at: name.provider) else { return [] }
        return [
            KeyBinding(
                Key.character("m"), action: action, label: SessionWords.keyActivate, help: SessionWords.helpActivate, isHinted: false)
        ]
    }
}

/// Why something cannot be wanted of a session now.
enum SessionActionObstacle {
    static func to(_ wish: SessionAction?, _ session: SessionSummary, in model: AppModel) -> String? {
        guard let wish else { return nil }
        let state = model.state(of: session)
        switch wish {
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
