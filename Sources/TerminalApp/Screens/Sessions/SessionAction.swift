package import AuthModel
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
        case .renew: ScreenResult(commands: [.renew(name)], notice: Notice(SessionWords.renewing(name)))
        case .copyToken: .run(.copyToken(name))
        case .signOut: .open(.signOutChoice(name))
        case .forget: .open(.confirm(.forgetting(name)))
        case .makeDefault: .run(.makeDefault(name))
        }
    }
}

extension SessionAction {
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
            return model.isDefault(session.name) ? SessionWords.isDefault(session.name.provider) : nil
        }
    }
}

/// The texts of the session screen, and of the actions on a session.
package enum SessionWords {
    package static var keyRenew: String { tr("renew") }
    package static var keyCopy: String { tr("copy token") }
    package static var keySignIn: String { tr("sign in") }
    package static var keySignOut: String { tr("sign out") }
    package static var keyReload: String { tr("reload") }
    package static var helpCopy: String { tr("copy a fresh access token to the clipboard") }
    package static var helpSignIn: String { tr("sign in again with this account") }
    package static var helpForget: String { tr("remove the session from this machine only") }

    package static var keyMakeDefault: String { tr("make default") }
    package static var helpMakeDefault: String { tr("make this the provider's default account") }
    package static var answersTo: String { tr("name for tools") }
    package static func names(_ name: SessionName, isDefault: Bool) -> String {
        isDefault ? tr("{1} or {2}", name, name.provider) : name.description
    }
    package static func makeDefault(_ name: SessionName) -> String { tr("Make {1} the default account", name) }
    package static func nowActive(_ name: SessionName) -> String { tr("default account for {2}: {1}", name, name.provider) }
    package static func isDefault(_ provider: ProviderName) -> String { tr("this is already the default account for {1}", provider) }

    package static var identity: String { tr("Identity") }
    package static var lifetime: String { tr("Lifetime") }
    package static var use: String { tr("Usage") }
    package static var actions: String { tr("Actions") }
    package static var tokens: String { tr("Tokens") }
    package static var userInfo: String { tr("User information from the provider") }

    package static var account: String { tr("account") }
    package static var issuer: String { tr("issuer") }
    package static var subject: String { tr("subject") }
    package static var client: String { tr("client") }
    package static var scopes: String { tr("scopes") }
    package static var apiHosts: String { tr("token goes to") }
    package static var signedIn: String { tr("signed in") }
    package static var renewed: String { tr("last renewed") }
    package static var nextRenewal: String { tr("next renewal") }
    package static var renewableUntil: String { tr("renewable") }
    package static var lastUsed: String { tr("last used") }

    package static var onDemand: String { tr("when a token is requested") }
    package static func renewable(until moment: String) -> String { tr("until {1}", moment) }
    package static func taken(by program: String, _ when: String) -> String { tr("by {1}, {2}", program, when) }
    package static var aProgram: String { tr("a program") }

    package static var opaque: String { tr("opaque: cannot be decoded") }
    package static func verified(_ algorithm: String, _ key: String?) -> String {
        key.map { tr("verified with {1}, key {2}", algorithm, $0) } ?? tr("verified with {1}", algorithm)
    }
    package static func unverified(_ reason: UserMessage) -> String { tr("decoded only, not verified: {1}", reason.text()) }
    package static func ends(_ moment: String) -> String { tr("expires {1}", moment) }
    package static func ended(_ moment: String) -> String { tr("expired {1}", moment) }

    package static var opening: String { tr("Loading the tokens.") }
    package static var sealed: String { tr("The claims are sealed. Press L to unlock the store.") }
    package static var gone: String { tr("this session no longer exists") }
    package static var isRenewing: String { tr("a renewal is already in progress") }
    package static var onlySignInHelps: String { tr("this session can no longer be renewed: press s to sign in again") }

    package static func renewing(_ name: SessionName) -> String { tr("renewing {1}", name) }
    package static func renewedNow(_ name: SessionName) -> String { tr("renewed {1}", name) }
    package static func renewalEnded(_ name: SessionName, _ reason: UserMessage) -> String {
        tr("could not renew {1}: {2}", name, reason.text())
    }
    package static func copied(_ name: SessionName, _ left: String?) -> String {
        let seconds = CopyOutcome.timeOnClipboard.wholeSeconds
        return left.map { tr("copied the token of {1} (cleared in {2} s); it is valid for {3}", name, seconds, $0) }
            ?? tr("copied the token of {1} (cleared in {2} s)", name, seconds)
    }
    package static var keyReveal: String { tr("reveal") }
    package static var keyMask: String { tr("mask") }
    package static func revealed(_ left: String) -> String { tr("The access token. It is masked in {1}; press v to mask it now.", left) }
    package static func revealTitle(_ name: SessionName) -> String { tr("Show the token of {1}", name) }
    package static func copyTitle(_ name: SessionName) -> String { tr("Copy the token of {1}", name) }
}
