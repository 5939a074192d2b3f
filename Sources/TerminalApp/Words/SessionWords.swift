import AuthModel

/// The texts of the session screen, and of the actions on a session.
enum SessionWords {
    static var keyRenew: String { tr("renew") }
    static var keyCopy: String { tr("copy token") }
    static var keySignIn: String { tr("sign in") }
    static var keySignOut: String { tr("sign out") }
    static var keyForget: String { tr("forget") }
    static var keyReload: String { tr("reload") }
    static var helpRenew: String { tr("fetch new tokens now, whatever the age of these") }
    static var helpCopy: String { tr("put a fresh access token on the clipboard") }
    static var helpSignIn: String { tr("sign in again as this account") }
    static var helpSignOut: String { tr("end the session; you are asked how") }
    static var helpForget: String { tr("remove the session from this machine, whatever the provider thinks") }

    static var keyActivate: String { tr("make active") }
    static var helpActivate: String { tr("let the provider's name alone stand for this account") }
    static var answersTo: String { tr("tools call it") }
    static func names(_ name: SessionName, isActive: Bool) -> String {
        isActive ? tr("{1}, or {2} alone", name, name.provider) : name.description
    }
    static func activate(_ name: SessionName) -> String { tr("Make {1} the active account", name) }
    static func nowActive(_ name: SessionName) -> String { tr("{2} alone means {1} now", name, name.provider) }
    static func isActive(_ provider: ProviderName) -> String { tr("{1} alone means this account already", provider) }

    static var identity: String { tr("Identity") }
    static var lifetime: String { tr("Lifetime") }
    static var use: String { tr("What it is for") }
    static var actions: String { tr("What you can do") }
    static var capabilities: String { tr("Who may do what there") }
    static var guestsMay: String { tr("anybody") }
    static var signedInMay: String { tr("signed in") }
    static var tokens: String { tr("Tokens") }
    static var idClaims: String { tr("Claims of the ID token") }
    static var accessClaims: String { tr("Claims of the access token") }
    static var userInfo: String { tr("What the provider says of you") }
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
    static var lastUsed: String { tr("last taken") }

    static var notPlanned: String { tr("none is planned") }
    static var onDemand: String { tr("when a token is asked for") }
    static var cannotRenew: String { tr("no: there is nothing to renew with") }
    static var canRenew: String { tr("yes; the provider names no end") }
    static func renewable(until moment: String) -> String { tr("until {1}", moment) }
    static var neverUsed: String { tr("never") }
    static func taken(by program: String, _ when: String) -> String { tr("by {1}, {2}", program, when) }
    static var somebody: String { tr("a program") }

    static var opaque: String { tr("opaque: nothing to see inside") }
    static func verified(_ algorithm: String, _ key: String?) -> String {
        key.map { tr("verified with {1}, key {2}", algorithm, $0) } ?? tr("verified with {1}", algorithm)
    }
    static func unverified(_ reason: String) -> String { tr("decoded only, not verified: {1}", told(reason)) }
    static func ends(_ moment: String) -> String { tr("ends {1}", moment) }
    static func ended(_ moment: String) -> String { tr("ended {1}", moment) }

    static var noEnd: String { tr("the provider names no end") }
    static var opening: String { tr("Opening the seal.") }
    static var sealed: String { tr("The claims are sealed. Press L to unlock them.") }
    static var gone: String { tr("this session is no longer here") }
    static var isRenewing: String { tr("a renewal is under way already") }
    static var notRenewable: String { tr("the provider gave nothing to renew with: sign in again with s") }
    static var onlySignInHelps: String { tr("the grant is gone: sign in again with s") }

    static func renewing(_ name: SessionName) -> String { tr("renewing {1}", name) }
    static func renewedNow(_ name: SessionName) -> String { tr("{1} is renewed", name) }
    static func renewalFailed(_ name: SessionName) -> String { tr("Renew {1}", name) }
    static func copied(_ name: SessionName, _ left: String?) -> String {
        let seconds = CopyOutcome.timeOnClipboard.wholeSeconds
        return left.map { tr("the token of {1} is on the clipboard for {2} s; it is valid for {3}", name, seconds, $0) }
            ?? tr("the token of {1} is on the clipboard for {2} s", name, seconds)
    }
    static var clipboardCleared: String { tr("the token was cleared from the clipboard") }
    static var noClipboard: String { tr("no clipboard can be reached from here: use yett token instead") }
    static var keyReveal: String { tr("reveal") }
    static var keyMask: String { tr("mask") }
    static var helpReveal: String { tr("show the whole access token for ten seconds") }
    static func revealed(_ left: String) -> String { tr("The access token. It is masked again in {1}; v masks it now.", left) }
    static func revealTitle(_ name: SessionName) -> String { tr("Show the token of {1}", name) }
    static func copyTitle(_ name: SessionName) -> String { tr("Copy the token of {1}", name) }

    static func forget(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: tr("Forget {1}", name),
            text: [
                tr(
                    "The session and its tokens are removed from this machine. The provider is not told: tokens that somebody has copied stay good until they end."
                ),
                tr("To have them revoked as well, go back and sign out with o."), ForgetWords.grace,
            ],
            yes: tr("yes, forget it"), destination: .signingOut(name, .localOnly))
    }
}
