/// The texts of the token inspector.
enum InspectorWords {
    static var title: String { tr("Inspect") }
    static var key: String { tr("inspect") }
    static var help: String { tr("look into the tokens: what they say, and whether it is true") }
    static var keyNext: String { tr("next token") }
    static var helpNext: String { tr("to the next token of the session") }
    static var keyPrevious: String { tr("previous token") }
    static var helpReveal: String { tr("show the whole token for ten seconds") }
    static var header: String { tr("Header") }
    static var claims: String { tr("Claims") }
    static var oneToken: String { tr("there is no other token") }
    static var nothingYet: String { tr("there is no token to look at") }
    static var refreshTokenNotShown: String { tr("a refresh token is never shown: it does not leave the keeper") }
    static func revealed(_ token: String, _ left: String) -> String {
        tr("The {1}. It is masked again in {2}; v masks it now.", token, left)
    }
}
