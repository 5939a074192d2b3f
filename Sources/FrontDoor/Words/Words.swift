import AuthModel
import TerminalUI

/// The words that several screens share, so that one thing has one name everywhere.
enum Words {
    static let program = "yett"
    static let motto = "the gate of your terminal"

    /// A session's state in words; the same for people and, with underscores, for scripts.
    static func state(_ state: SessionState) -> String {
        switch state {
        case .guest: "guest"
        case .signingIn: "signing in"
        case .signedIn: "signed in"
        case .expiring: "expiring"
        case .renewing: "renewing"
        case .expired: "expired"
        case .needsSignIn: "sign in again"
        case .revoked: "revoked"
        case .error: "trouble"
        }
    }

    /// The mark that stands before the word. Every state has its own, so that none is told by its colour alone.
    static func glyph(_ state: SessionState, _ glyphs: GlyphSet) -> String {
        let isASCII = glyphs == .ascii
        return switch state {
        case .guest: isASCII ? "g" : "◇"
        case .signingIn: isASCII ? "~" : "◌"
        case .signedIn: isASCII ? "+" : "●"
        case .expiring: isASCII ? "-" : "◐"
        case .renewing: isASCII ? "~" : "↻"
        case .expired: isASCII ? "o" : "○"
        case .needsSignIn: isASCII ? "^" : "▲"
        case .revoked: isASCII ? "x" : "✕"
        case .error: "!"
        }
    }

    /// What a state looks like.
    static func role(_ state: SessionState) -> Role {
        switch state {
        case .signedIn: .success
        case .expiring, .expired: .warning
        case .needsSignIn, .revoked, .error: .danger
        case .guest, .signingIn, .renewing: .info
        }
    }

    /// What stands between things on one line.
    static func dot(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? " | " : " · " }

    /// What the state means for the person, in one sentence.
    static func meaning(_ state: SessionState) -> String {
        switch state {
        case .guest: "You are known here as a guest only."
        case .signingIn: "A sign-in is under way."
        case .signedIn: "The token is good."
        case .expiring: "The token is good for less than a minute."
        case .renewing: "A renewal is under way."
        case .expired: "The token has ended; it can be renewed."
        case .needsSignIn: "The grant is gone; only a new sign-in helps."
        case .revoked: "The tokens were revoked."
        case .error: "Something is wrong; the warnings below say what."
        }
    }

    static func purpose(_ purpose: SignInRequest.Purpose) -> String { purpose == .signIn ? "Sign in" : "Sign up" }

    static func kind(_ kind: ProviderKind) -> String {
        switch kind {
        case .oidc: "OpenID Connect"
        case .oauth2: "OAuth 2"
        case .exchange: "token exchange"
        }
    }

    static func token(_ kind: TokenView.Kind) -> String {
        switch kind {
        case .access: "access token"
        case .refresh: "refresh token"
        case .id: "ID token"
        }
    }

    static func activity(_ kind: Activity.Kind) -> String {
        switch kind {
        case .signedIn: "signed in"
        case .signInFailed: "sign-in failed"
        case .renewed: "renewed"
        case .renewalFailed: "renewal failed"
        case .handedOut: "token taken"
        case .signedOut: "signed out"
        }
    }

    static func signOutStep(_ step: SignOutReceipt.Step) -> String {
        switch step {
        case .revokeRefreshToken: "Revoke the refresh token"
        case .revokeAccessToken: "Revoke the access token"
        case .endBrowserSession: "End the session in the browser"
        case .forget: "Forget the session here"
        }
    }

    /// `1 session`, `2 sessions`.
    static func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }

    /// The first letter in upper case, a full stop behind: an error's line as a sentence.
    static func sentence(_ line: String) -> String {
        guard let first = line.first else { return "" }
        let text = first.uppercased() + line.dropFirst()
        return ".!?…".contains(text.last ?? ".") ? text : text + "."
    }

    /// A failure on one line.
    static func line(_ failure: AuthFailure) -> String {
        failure.hint.map { "\(failure.summary): \($0)" } ?? failure.summary
    }
}
