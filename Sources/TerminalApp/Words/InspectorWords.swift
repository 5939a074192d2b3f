import Localization

/// The texts of the token inspector.
enum InspectorWords {
    static var title: String { tr("Inspect") }
    static var key: String { tr("inspect") }
    static var help: String { tr("decode the tokens and verify them") }
    static var keyNext: String { tr("next token") }
    static var helpNext: String { tr("go to the next token of the session") }
    static var keyPrevious: String { tr("previous token") }
    static var helpReveal: String { tr("show the whole token for 10 seconds") }
    static var header: String { tr("Header") }
    static var claims: String { tr("Claims") }
    static var oneToken: String { tr("no other token") }
    static var nothingYet: String { tr("no token to show") }
    static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the session service") }
    static func revealed(_ token: String, _ left: String) -> String {
        tr("The {1}. It is masked in {2}; press v to mask it now.", token, left)
    }
}
