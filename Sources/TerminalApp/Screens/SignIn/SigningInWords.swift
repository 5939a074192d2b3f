package import AuthModel
import Localization

/// The texts of the signing-in screen and its paste form.
package enum SigningInWords {
    package static func title(_ request: SignInRequest) -> String {
        switch (request.purpose, request.account) {
        case (.signIn, nil): tr("Sign in to {1}", request.provider)
        case (.signIn, let account?): tr("Sign in to {1} as {2}", request.provider, account)
        case (.signUp, _): tr("Sign up at {1}", request.provider)
        case (.recover, _): tr("Recover an account at {1}", request.provider)
        }
    }

    package static var browserOpening: String { tr("Your browser is opening. Sign in there; this screen updates itself.") }
    package static var signInThere: String { tr("Sign in with your browser. This screen updates itself.") }
    package static func browserFailed(_ reason: UserMessage) -> String { tr("The browser did not start: {1}.", reason.text()) }

    package static var anyMethod: String { tr("Use any method below. The first to succeed signs you in.") }
    package static var otherMethods: String { tr("Other sign-in methods") }
    package static var typeCode: String { tr(" and type the code ") }
    package static var onlyIfYours: String { tr("Only do this if you started this sign-in. Never enter a code sent to you.") }
    package static func orPaste(isCode: Bool) -> String {
        isCode
            ? tr("Then p: paste the code that the page shows. Never give it to a website.")
            : tr("Or press p to paste the callback URL from the browser. Never give it to a website.")
    }

    package static var signInAt: String { tr("You sign in at") }
    package static var address: String { tr("Sign-in URL") }
    package static func scan(_ host: String) -> String { tr("Scan it with your phone to sign in at {1}.", host) }
    package static func tooSmallForCode(columns: Int, rows: Int) -> String {
        tr("Too small for a QR code: it needs {1} columns and {2} rows.", columns, rows)
    }
    /// The place of a URL that stands whole below the facts.
    package static var inFullBelow: String { tr("in full below") }
    package static var callbackURL: String { tr("Callback URL") }

    package static var asksFor: String { tr("Asks for") }
    /// Returns the meaning of a scope (OIDC Core sections 5.4 and 11); nil for one that the provider defines.
    package static func meaning(ofScope scope: String) -> String? {
        switch scope {
        case "openid": tr("who you are")
        case "profile": tr("your name and picture")
        case "email": tr("your e-mail address")
        case "address": tr("your postal address")
        case "phone": tr("your phone number")
        case "groups": tr("the groups you are in")
        case "offline_access": tr("stay signed in while you are away")
        default: nil
        }
    }
    /// The protection that each parameter of the URL gives (RFC 7636, RFC 6749 section 10.12, OIDC Core section 15.5.2).
    package static var protections: [(parameter: String, meaning: String)] {
        [
            ("code_challenge", tr("PKCE: the code is worthless to anyone else")),
            ("state", tr("state: an answer to another sign-in is ignored")),
            ("nonce", tr("nonce: an ID token of another sign-in is refused")),
        ]
    }

    package static func left(_ time: String) -> String { tr("{1} left", time) }
    package static var cancelled: String { tr("sign-in cancelled; no session was added") }

    package static var noBrowser: String { tr("No browser was found.") }
    package static var noURLYet: String { tr("no URL yet: waiting for the provider") }
    package static var browserIsOpening: String { tr("the browser is already opening") }

    package static func pasteTitle(isCode: Bool) -> String { isCode ? tr("Paste the code") : tr("Paste the callback URL") }
    package static func pasteHelp(isCode: Bool) -> String {
        isCode
            ? tr(
                "The last page of the sign-in shows a code. Copy it and paste it only here. Never give it to a website, even if you are asked."
            )
            : tr(
                "If your browser is on another machine, its last page fails to load. Copy the full URL of that page and paste it here. Never enter it on a website, even if asked."
            )
    }
    package static func pasteLabel(isCode: Bool) -> String { isCode ? tr("Code") : callbackURL }
    package static var pasteChecking: String { tr("Checking.") }

    package static var keyCopy: String { tr("copy URL") }
    package static var keyOpen: String { tr("reopen browser") }
    package static var codeWorksOnAnyDevice: String { tr("open the page on any device; no browser opens here") }
    package static var noDeviceCode: String { tr("no device code now; if the provider offers one, it appears automatically") }
    package static var deviceCodeIsComing: String { tr("a device code is already being requested") }
    package static var keyDeviceCode: String { tr("device code") }
    package static var helpDeviceCode: String { tr("get a code to enter on another device") }
    package static var helpCopy: String { tr("copy the sign-in URL") }
    package static var helpPaste: String { tr("paste the callback URL, if it did not arrive") }
}
