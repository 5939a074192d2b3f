import AuthModel
import Localization
import TerminalUI

/// An action on a session, from its row or its own screen.
enum SessionAction: Hashable, Sendable {
    case renew
    case copyToken
    case signOut
    case forget
    /// Makes the session the default one of its provider.
    case makeDefault

    /// Returns the result that starts the action.
    func step(for name: SessionName) -> ScreenResult {
        switch self {
        case .renew: ScreenResult(commands: [.renew(name)], notice: Notice(tr("renewing {1}", name)))
        case .copyToken: .run(.copyToken(name))
        case .signOut: .open(.signOutChoice(name))
        case .forget: .open(.confirm(.forgetting(name)))
        case .makeDefault: .run(.makeDefault(name))
        }
    }

    /// Returns the row of the action in a screen's table.
    ///
    /// - Parameters:
    ///   - session: the session; nil for none.
    ///   - missing: the obstacle if there is no session.
    func row<Target>(
        for session: SessionSummary?, missing: String, help: String? = nil, isHinted: Bool = true, in model: AppModel
    ) -> ScreenAction<Target> {
        let obstacle = if let session { obstacle(for: session, in: model) } else { missing as String? }
        func row(_ name: String, _ key: Character, _ label: String, _ standardHelp: String) -> ScreenAction<Target> {
            ScreenAction(
                name, [.character(key)], label: label, help: help ?? standardHelp, isHinted: isHinted, obstacle: obstacle,
                result: session.map { step(for: $0.name) } ?? .none)
        }
        return switch self {
        case .renew: row("renew", "r", SessionWords.keyRenew, tr("fetch new tokens now, even if these are still valid"))
        case .copyToken: row("copy-token", "y", SessionWords.keyCopy, SessionWords.helpCopy)
        case .signOut: row("sign-out", "o", SessionWords.keySignOut, tr("end the session; you choose how"))
        case .forget: row("forget", "x", tr("forget"), SessionWords.helpForget)
        case .makeDefault: row("make-active", "m", SessionWords.keyMakeDefault, SessionWords.helpMakeDefault)
        }
    }

    /// Returns the row of ``makeDefault`` if the provider of `name` has several accounts.
    static func defaultChoice<Target>(of name: SessionName?, _ session: SessionSummary?, missing: String, in model: AppModel)
        -> [ScreenAction<Target>]
    {
        guard let name, model.hasSeveralAccounts(at: name.provider) else { return [] }
        return [makeDefault.row(for: session, missing: missing, isHinted: false, in: model)]
    }

    /// Returns the row that opens the roles of a session, if its provider has any.
    static func roles<Target>(of session: SessionSummary?, _ key: Key, in model: AppModel) -> [ScreenAction<Target>] {
        guard let name = session?.name, model.hasRoles(at: name.provider) else { return [] }
        return [
            ScreenAction(
                "roles", [key], label: RolesWords.key, help: RolesWords.help, obstacle: model.lockObstacle, result: .open(.roles(name)))
        ]
    }

    /// Returns why the action is not available now; nil if it is.
    func obstacle(for session: SessionSummary, in model: AppModel) -> String? {
        let state = model.state(of: session)
        switch self {
        case .renew:
            if model.isLocked { return LockWords.locked }
            if state == .renewing { return SessionWords.isRenewing }
            if state == .revoked || state == .needsSignIn { return SessionWords.onlySignInHelps }
            return session.isRenewable ? nil : tr("this session cannot be renewed: press s to sign in again")
        case .copyToken:
            if model.isLocked { return LockWords.locked }
            return state == .revoked || state == .needsSignIn ? SessionWords.onlySignInHelps : nil
        case .signOut:
            return model.isLocked ? LockWords.lockedSignOut : nil
        case .forget: return nil
        case .makeDefault:
            if model.isLocked { return LockWords.locked }
            return model.isDefault(session.name) ? tr("this is already the default account for {1}", session.name.provider) : nil
        }
    }
}
