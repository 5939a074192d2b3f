import Localization

/// The texts of the token inspector.
package enum InspectorWords {
    package static var title: String { tr("Inspect") }
    package static var key: String { tr("inspect") }
    package static var help: String { tr("decode the tokens and verify them") }
    package static var keyNext: String { tr("next token") }
    package static var helpNext: String { tr("go to the next token of the session") }
    package static var keyPrevious: String { tr("previous token") }
    package static var helpReveal: String { tr("show the whole token for 10 seconds") }
    package static var keyCopyClaim: String { tr("copy value") }
    package static var helpCopyClaim: String { tr("copy the value of the selected claim") }
    package static var helpRenew: String { tr("fetch new tokens, and show what changed") }
    package static var header: String { tr("Header") }
    package static var payload: String { tr("Payload") }
    package static var signature: String { tr("Signature") }
    package static var introspection: String { tr("Introspection by the provider") }
    package static var opaque: String { tr("This token is not a JWT: only the provider can read it.") }
    package static var opaqueRefreshToken: String {
        tr("Only the provider can read a refresh token, and it never leaves the session service.")
    }
    package static var noUserInfo: String { tr("The provider gave no user information for it.") }
    package static var noClaim: String { tr("this token has no claim to copy") }
    package static func characters(_ count: Int) -> String { plural(count, "[{1} character]", "[{1} characters]") }
    package static var now: String { tr("now") }
    package static var received: String { tr("received") }
    package static var sinceRenewal: String { tr("Changed by the last renewal") }
    package static var onlyTimes: String { tr("Only times and identifiers.") }
    package static var oneToken: String { tr("no other token") }
    package static var nothingYet: String { tr("no token to show") }
    package static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the session service") }
    package static func revealed(_ token: String, _ left: String) -> String {
        tr("The {1}. It is masked in {2}; press v to mask it now.", token, left)
    }
}
