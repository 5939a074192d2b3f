import AuthModel

/// Every word of the session screen, and of what can be done with a session.
enum SessionWords {
    static let keyRenew = "renew"
    static let keyCopy = "copy token"
    static let keySignIn = "sign in"
    static let keySignOut = "sign out"
    static let keyForget = "forget"
    static let keyReload = "reload"
    static let helpRenew = "fetch new tokens now, whatever the age of these"
    static let helpCopy = "put a fresh access token on the clipboard"
    static let helpSignIn = "sign in again as this account"
    static let helpSignOut = "end the session; you are asked how"
    static let helpForget = "remove the session from this machine, whatever the provider thinks"

    static let identity = "Identity"
    static let tokens = "Tokens"
    static let idClaims = "Claims of the ID token"
    static let accessClaims = "Claims of the access token"
    static let userInfo = "What the provider says of you"
    static let warnings = "Warnings"
    static let timeline = "Timeline"

    static let account = "account"
    static let issuer = "issuer"
    static let subject = "subject"
    static let client = "client"
    static let scopes = "scopes"
    static let apiHosts = "token goes to"
    static let signedIn = "signed in"
    static let renewed = "last renewed"
    static let nextRenewal = "next renewal"
    static let renewableUntil = "renewable"
    static let lastTaken = "last taken"

    static let notPlanned = "none is planned"
    static let onDemand = "when a token is asked for"
    static let cannotRenew = "no: there is nothing to renew with"
    static let canRenew = "yes; the provider names no end"
    static func renewable(until moment: String) -> String { "until \(moment)" }
    static let neverTaken = "never"
    static func taken(by program: String, _ when: String) -> String { "by \(program), \(when)" }
    static let somebody = "a program"

    static let opaque = "opaque: nothing to see inside"
    static func verified(_ algorithm: String, _ key: String?) -> String {
        key.map { "verified with \(algorithm), key \($0)" } ?? "verified with \(algorithm)"
    }
    static func unverified(_ reason: String) -> String { "decoded only, not verified: \(reason)" }
    static func ends(_ moment: String) -> String { "ends \(moment)" }
    static func ended(_ moment: String) -> String { "ended \(moment)" }

    static let noEnd = "the provider names no end"
    static let opening = "Opening the seal."
    static let sealed = "The claims are sealed. Press L to unlock them."
    static let gone = "this session is no longer here"
    static let isRenewing = "a renewal is under way already"
    static let notRenewable = "the provider gave nothing to renew with: sign in again with s"
    static let onlySignInHelps = "the grant is gone: sign in again with s"

    static func renewing(_ name: SessionName) -> String { "renewing \(name)" }
    static func renewedNow(_ name: SessionName) -> String { "\(name) is renewed" }
    static func renewalFailed(_ name: SessionName) -> String { "Renew \(name)" }
    static func copied(_ name: SessionName, _ left: String?) -> String {
        left.map { "the token of \(name) is on the clipboard; it is good for \($0)" } ?? "the token of \(name) is on the clipboard"
    }
    static let noClipboard = "no clipboard can be reached from here: use yett token instead"
    static func copyTitle(_ name: SessionName) -> String { "Copy the token of \(name)" }

    static func forget(_ name: SessionName) -> Confirmation {
        Confirmation(
            title: "Forget \(name)",
            text: [
                "The session and its tokens are removed from this machine. The provider is not told: tokens that somebody has copied stay good until they end.",
                "To have them revoked as well, go back and sign out with o.",
            ],
            yes: "yes, forget it", destination: .signingOut(name, .localOnly))
    }
}
