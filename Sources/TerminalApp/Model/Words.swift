package import AuthModel
import Localization
package import TerminalUI

/// The texts that several screens share, so that a thing has the same name everywhere.
package enum Words {
    package static let program = "yett"
    package static var motto: String { tr("the gate of your terminal") }
    /// The description of the program, in the header of the first screen.
    package static var tagline: String { tr("OAuth session manager: one sign-in, fresh tokens for every tool") }
    package static var taglineInShort: String { tr("OAuth session manager") }

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
        case .needsSignIn: tr("The session can no longer be renewed.")
        case .revoked: tr("The tokens were revoked.")
        case .error: tr("There is a problem; see its warnings.")
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
        case .sealChanged: tr("seal changed")
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

    /// Returns the name of a setting or of a mode as words: `start_url` as `start URL`.
    package static func spelled(_ name: String) -> String {
        name.split { "-_".contains($0) }.map { abbreviations[String($0)] ?? String($0) }.joined(separator: " ")
    }

    private static let abbreviations = ["url": "URL", "id": "ID", "jwt": "JWT", "rp": "RP", "oauth": "OAuth", "codeb": "code B"]

    /// Returns a text as a sentence: with an upper-case first letter and a full stop.
    package static func sentence(_ line: String) -> String {
        guard !line.isEmpty else { return "" }
        let sentence = capitalized(line)
        return ".!?…".contains(sentence.last ?? ".") ? sentence : sentence + "."
    }

    package static func line(_ failure: AuthFailure) -> String {
        failure.hint.map { "\(failure.message.text()): \($0.text())" } ?? failure.message.text()
    }
}

/// The texts of keys that several screens have.
package enum CommonWords {
    package static var keyMove: String { tr("move") }
    package static var keyScroll: String { tr("scroll") }
    package static var keyBack: String { tr("back") }
    package static var keyDone: String { tr("done") }
    package static var keyQuit: String { tr("quit") }
    package static var keyTheme: String { tr("theme") }
    package static var keyLock: String { tr("lock") }
    package static var keyUnlock: String { tr("unlock") }
    package static var keyCancel: String { tr("cancel") }
    package static var keyChoose: String { tr("choose") }
    package static var keyReload: String { tr("reload") }
    package static var keySignIn: String { tr("sign in") }
    package static var keySignUp: String { tr("sign up") }
    package static var keyViewSessions: String { tr("view sessions") }
}

extension Words {
    /// Returns a duration in its two largest units: `4 min 05 s`, `2 h 10 min`, `3 d 4 h`; seconds only below an hour.
    package static func span(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeSeconds)
        switch seconds {
        case ..<60: return tr("{1} s", seconds)
        case ..<3600: return tr("{1} min {2} s", seconds / 60, twoDigits(seconds % 60))
        case ..<86_400: return tr("{1} h {2} min", seconds / 3600, twoDigits(seconds / 60 % 60))
        default: return tr("{1} d {2} h", seconds / 86_400, seconds / 3600 % 24)
        }
    }

    /// Returns a duration in its largest unit, for texts that do not count down: `4 min`, `2 h`, `3 d`.
    package static func roughSpan(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeSeconds)
        switch seconds {
        case ..<60: return tr("{1} s", seconds)
        case ..<3600: return tr("{1} min", seconds / 60)
        case ..<86_400: return tr("{1} h", seconds / 3600)
        default: return tr("{1} d", seconds / 86_400)
        }
    }

    /// Returns the duration of a step: `0.3 s`, `12 s`, `1 min 05 s`.
    package static func stepSpan(_ duration: Duration) -> String {
        let tenths = max(0, duration.wholeMilliseconds) / 100
        return tenths < 100 ? tr("{1}.{2} s", tenths / 10, tenths % 10) : span(duration)
    }

    /// Returns a time relative to `now`: `in 41 min`, `3 min ago`, `now`.
    package static func relative(_ moment: Timestamp, to now: Timestamp) -> String {
        let away = moment - now
        if abs(away.wholeMilliseconds) < 1000 { return tr("now") }
        return away > .zero ? tr("in {1}", roughSpan(away)) : tr("{1} ago", roughSpan(.zero - away))
    }

    /// The time zone of the times that these functions return.
    @TaskLocal package static var localTime = LocalTime.utc

    /// Returns a time as ``time(_:now:columns:)``, and relative to `now`: `08:30, 4 min ago`.
    package static func timeInWords(_ at: Timestamp, now: Timestamp) -> String { "\(time(at, now: now)), \(relative(at, to: now))" }

    /// Returns a time as the app writes every time: that of the day, `08:30`, and for another day with the date, `2026-11-22 08:30`.
    ///
    /// - Parameter columns: the least width, with spaces at the left, so that the times of a column end below each other.
    package static func time(_ at: Timestamp, now: Timestamp, columns: Int = 0) -> String {
        let text = (date(at) == date(now) ? "" : date(at) + " ") + hourAndMinute(at)
        return String(repeating: " ", count: max(0, columns - text.count)) + text
    }

    /// Returns the width of the longest of several times, as ``time(_:now:columns:)`` writes them.
    package static func timeColumns(_ times: some Sequence<Timestamp>, now: Timestamp) -> Int {
        times.reduce(5) { max($0, time($1, now: now).count) }
    }

    /// Returns the number of the day in the user's time zone.
    package static func day(_ moment: Timestamp) -> Int64 { (moment + localTime.period(at: moment).offset).seconds / 86_400 }

    /// Returns the time of day: `08:30`.
    package static func hourAndMinute(_ moment: Timestamp) -> String { String(local(moment).dropFirst(11).prefix(5)) }

    /// Returns the date: `2026-11-21`.
    package static func date(_ moment: Timestamp) -> String { String(local(moment).prefix(10)) }

    private static func local(_ moment: Timestamp) -> String { (moment + localTime.period(at: moment).offset).description }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A session's name, fitted to a number of columns.
///
/// The account distinguishes the sessions of one provider, so a long provider name is shortened first. A name that is still too long is cut
/// at its end when it is drawn.
package struct NameInColumns: Equatable, Sendable {
    package let provider: String
    /// The account with its slash; empty if the name has no account.
    package let account: String

    /// The minimum number of columns for the provider's name.
    private static let minimumProviderColumns = 8

    package init(_ name: SessionName, columns: Int, glyphs: GlyphSet) {
        account = name.account.map { "/" + $0 } ?? ""
        let room = max(Self.minimumProviderColumns, columns - SafeText.width(of: account))
        let whole = name.provider.text
        provider = account.isEmpty || whole.utf8.count <= room ? whole : whole.prefix(room - 1) + glyphs.ellipsis
    }

    /// Returns the number of columns for the whole name.
    package static func width(of name: SessionName) -> Int {
        name.provider.text.utf8.count + (name.account.map { 1 + SafeText.width(of: $0) } ?? 0)
    }
}
