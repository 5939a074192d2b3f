import AuthModel
import Localization

/// The texts of the session screen, and of the actions on a session.
enum SessionWords {
    static var keyRenew: String { tr("renew") }
    static var keyCopy: String { tr("copy token") }
    static var keySignIn: String { tr("sign in") }
    static var keySignOut: String { tr("sign out") }
    static var keyForget: String { tr("forget") }
    static var keyReload: String { tr("reload") }
    static var helpRenew: String { tr("fetch new tokens now, even if these are still valid") }
    static var helpCopy: String { tr("copy a fresh access token to the clipboard") }
    static var helpSignIn: String { tr("sign in again with this account") }
    static var helpSignOut: String { tr("end the session; you choose how") }
    static var helpForget: String { tr("remove the session from this machine only") }

    static var keyActivate: String { tr("make default") }
    static var helpActivate: String { tr("make this the provider's default account") }
    static var answersTo: String { tr("name for tools") }
    static func names(_ name: SessionName, isActive: Bool) -> String {
        isActive ? tr("{1} or {2}", name, name.provider) : name.description
    }
    static func activate(_ name: SessionName) -> String { tr("Make {1} the default account", name) }
    static func nowActive(_ name: SessionName) -> String { tr("default account for {2}: {1}", name, name.provider) }
    static func isActive(_ provider: ProviderName) -> String { tr("this is already the default account for {1}", provider) }

    static var identity: String { tr("Identity") }
    static var lifetime: String { tr("Lifetime") }
    static var use: String { tr("Usage") }
    static var actions: String { tr("Actions") }
    static var capabilities: String { tr("Permissions") }
    static var guestsMay: String { tr("everyone") }
    static var signedInMay: String { tr("signed in") }
    static var tokens: String { tr("Tokens") }
    static var idClaims: String { tr("Claims of the ID token") }
    static var accessClaims: String { tr("Claims of the access token") }
    static var userInfo: String { tr("User information from the provider") }
    static var warnings: String { tr("Warnings") }
    static var history: String { tr("History") }

    static var account: String { tr("account") }
    static var issuer: String { tr("issuer") }
    static var subject: String { tr("subject") }
    static var client: String { tr("client") }
    static var scopes: String { tr("scopes") }
    static var apiHosts: String { tr("token goes to") }
    static var signedIn: String { tr("signed in") }
    static var renewed: String { tr("last renewed") }
    static var nextRenewal: String { tr("next renewal") }
    static var renewableUntil: String { tr("renewable") }
    static var lastUsed: String { tr("last used") }

    static var notPlanned: String { tr("none planned") }
    static var onDemand: String { tr("when a token is requested") }
    static var cannotRenew: String { tr("no: the provider issued no refresh token") }
    static var canRenew: String { tr("yes; expiry unknown") }
    static func renewable(until moment: String) -> String { tr("until {1}", moment) }
    static var neverUsed: String { tr("never") }
    static func taken(by program: String, _ when: String) -> String { tr("by {1}, {2}", program, when) }
    static var aProgram: String { tr("a program") }

    static var opaque: String { tr("opaque: cannot be decoded") }
    static func verified(_ algorithm: String, _ key: String?) -> String {
        key.map { tr("verified with {1}, key {2}", algorithm, $0) } ?? tr("verified with {1}", algorithm)
    }
    static func unverified(_ reason: UserMessage) -> String { tr("decoded only, not verified: {1}", reason.text()) }
    static func ends(_ moment: String) -> String { tr("expires {1}", moment) }
    static func ended(_ moment: String) -> String { tr("expired {1}", moment) }

    static var noEnd: String { tr("expiry unknown") }
    static var opening: String { tr("Loading the tokens.") }
    static var sealed: String { tr("The claims are sealed. Press L to unlock the store.") }
    static var gone: String { tr("this session no longer exists") }
    static var isRenewing: String { tr("a renewal is already in progress") }
    static var notRenewable: String { tr("this session cannot be renewed: press s to sign in again") }
    static var onlySignInHelps: String { tr("this session can no longer be renewed: press s to sign in again") }

    static func renewing(_ name: SessionName) -> String { tr("renewing {1}", name) }
    static func renewedNow(_ name: SessionName) -> String { tr("renewed {1}", name) }
    static func renewalFailed(_ name: SessionName) -> String { tr("Renew {1}", name) }
    static func copied(_ name: SessionName, _ left: String?) -> String {
        let seconds = CopyOutcome.timeOnClipboard.wholeSeconds
        return left.map { tr("copied the token of {1} (cleared in {2} s); it is valid for {3}", name, seconds, $0) }
            ?? tr("copied the token of {1} (cleared in {2} s)", name, seconds)
    }
    static var clipboardCleared: String { tr("the token was cleared from the clipboard") }
    static var noClipboard: String { tr("no clipboard is available: use yett token instead") }
    static var keyReveal: String { tr("reveal") }
    static var keyMask: String { tr("mask") }
    static var helpReveal: String { tr("show the whole access token for 10 seconds") }
    static func revealed(_ left: String) -> String { tr("The access token. It is masked in {1}; press v to mask it now.", left) }
    static func revealTitle(_ name: SessionName) -> String { tr("Show the token of {1}", name) }
    static func copyTitle(_ name: SessionName) -> String { tr("Copy the token of {1}", name) }

    static func forget(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: tr("Forget {1}", name),
            text: [
                tr(
                    "The session and its tokens are removed from this machine. The provider is not notified: copied tokens stay valid until they expire."
                ),
                tr("To revoke them as well, go back and press o to sign out."), ForgetWords.grace,
            ],
            yes: tr("yes, forget it"), destination: .signingOut(name, .localOnly))
    }
}
