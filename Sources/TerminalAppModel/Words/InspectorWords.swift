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
    package static var header: String { tr("Header") }
    package static var claims: String { tr("Claims") }
    package static var oneToken: String { tr("no other token") }
    package static var nothingYet: String { tr("no token to show") }
    package static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the session service") }
    package static func revealed(_ token: String, _ left: String) -> String {
        tr("The {1}. It is masked in {2}; press v to mask it now.", token, left)
    }
}
