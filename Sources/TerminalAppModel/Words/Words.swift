package import AuthModel
import Localization
package import TerminalUI

/// The texts that several screens share, so that a thing has the same name everywhere.
package enum Words {
    package static let program = "yett"
    package static var motto: String { tr("the gate of your terminal") }

    /// Returns the name of a session's state. Scripts get the same English name, with underscores.
    package static func state(_ state: SessionState) -> String {
        switch state {
        case .guest: tr("guest")
        case .signingIn: tr("signing in")
        case .signedIn: tr("signed in")
        case .expiring: tr("expiring")
        case .renewing: tr("renewing")
        case .expired: tr("expired")
        case .needsSignIn: tr("sign in again")
        case .revoked: tr("revoked")
        case .error: tr("error")
        }
    }

    /// Returns the glyph before the state's name. Every state has its own, so that colour is never the only difference.
    package static func glyph(_ state: SessionState, _ glyphs: GlyphSet) -> String {
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

    /// Returns the style of a state.
    package static func role(_ state: SessionState) -> Role {
        switch state {
        case .signedIn: .success
        case .expiring: .warning
        // The next use renews the session, so nothing is wrong.
        case .expired: .muted
        case .needsSignIn, .revoked, .error: .danger
        case .guest, .signingIn, .renewing: .info
        }
    }

    /// Returns the separator between items on one line.
    package static func dot(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? " | " : " · " }

    /// Returns the meaning of a state for the user, in one sentence.
    package static func meaning(_ state: SessionState) -> String {
        switch state {
        case .guest: tr("You are a guest here.")
        case .signingIn: tr("A sign-in is in progress.")
        case .signedIn: tr("The token is valid.")
        case .expiring: tr("The token expires in less than a minute.")
        case .renewing: tr("A renewal is in progress.")
        case .expired: tr("The token has expired; it can be renewed.")
        case .needsSignIn: tr("The session can no longer be renewed: sign in again.")
        case .revoked: tr("The tokens were revoked.")
        case .error: tr("There is a problem; see the warnings below.")
        }
    }

    package static func purpose(_ purpose: SignInRequest.Purpose) -> String { purpose == .signIn ? tr("Sign in") : tr("Sign up") }

    package static func kind(_ kind: ProviderKind) -> String {
        switch kind {
        case .oidc: tr("OpenID Connect")
        case .oauth2: tr("OAuth 2")
        case .exchange: tr("token exchange")
        default: kind.title
        }
    }

    package static func token(_ kind: TokenView.Kind) -> String {
        switch kind {
        case .access: tr("access token")
        case .refresh: tr("refresh token")
        case .id: tr("ID token")
        }
    }

    package static func activity(_ kind: Activity.Kind) -> String {
        switch kind {
        case .signedIn: tr("signed in")
        case .signInFailed: tr("sign-in failed")
        case .renewed: tr("renewed")
        case .renewalFailed: tr("renewal failed")
        case .issued: tr("token issued")
        case .consented: tr("consented")
        case .consentedByCaller: tr("caller's consent")
        case .tokenRefused: tr("token refused")
        case .signedOut: tr("signed out")
        }
    }

    package static func signOutStep(_ step: SignOutReceipt.Step) -> String {
        switch step {
        case .revokeRefreshToken: tr("Revoke the refresh token")
        case .revokeAccessToken: tr("Revoke the access token")
        case .endBrowserSession: tr("End the session in the browser")
        case .forget: tr("Forget the session here")
        case .endBaseSession: tr("End the session it was created from")
        }
    }

    /// The names of providers, which keep their spelling at the start of a sentence.
    @TaskLocal package static var names: Set<String> = []

    /// Returns a message as a sentence in the current language: with an upper-case first letter and a full stop.
    package static func sentence(_ message: UserMessage) -> String { sentence(message.text()) }

    /// Returns a text with an upper-case first letter, unless it begins with a name or a URL.
    package static func capitalized(_ line: String) -> String {
        guard let first = line.first else { return "" }
        // A URL, a setting or a name keeps its spelling.
        let word = line.prefix { $0 != " " }
        let isSpelling = names.contains(String(word)) || word.dropLast().contains { "./:_".contains($0) }
        return isSpelling ? line : first.uppercased() + line.dropFirst()
    }

    /// Returns a text as a sentence: with an upper-case first letter and a full stop.
    package static func sentence(_ line: String) -> String {
        guard !line.isEmpty else { return "" }
        let sentence = capitalized(line)
        return ".!?…".contains(sentence.last ?? ".") ? sentence : sentence + "."
    }

    /// Returns a failure as one line.
    package static func line(_ failure: AuthFailure) -> String {
        failure.hint.map { "\(failure.message.text()): \($0.text())" } ?? failure.message.text()
    }
}
