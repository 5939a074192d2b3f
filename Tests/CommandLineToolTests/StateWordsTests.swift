import AuthModel
import Localization
import TerminalApp
import TerminalUI
import Testing

@testable import CommandLineTool

/// A state has one word in every command, in the app's words and in its counts, in every language; only JSON has its own.
@Suite struct StateWordsTests {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)

    private static func session(_ state: SessionState) throws -> SessionSummary {
        let name = try #require(SessionName("work/ada"))
        // A session that counts as expiring or expired is recorded as signed in.
        let isTimed = [.expiring, .expired, .signedIn].contains(state)
        let left: Duration = state == .expiring ? .seconds(30) : state == .expired ? .seconds(-30) : .seconds(3000)
        let session = SessionSummary(
            name: name, issuer: nil, subject: "1", recordedState: isTimed ? .signedIn : state, accessExpiresAt: now + left,
            refreshExpiresAt: nil, isRenewable: true, scopes: [], grantedAt: now - .seconds(600), receivedAt: now - .seconds(600))
        #expect(session.state(at: now) == state)
        return session
    }

    @Test(arguments: SessionState.allCases, Language.allCases)
    func everyCommandUsesTheSameWord(state: SessionState, language: Language) throws {
        try Language.$current.withValue(language) {
            let word = Words.state(state)
            let session = try Self.session(state)
            let display = Display(columns: 160, rows: 40, paint: .none, glyphs: .unicode, showsLinks: false)
            let status = SessionList(sessions: [session], now: Self.now)
            let accounts = AccountList(rows: [.init(session: session, isDefault: true)], now: Self.now)
            for (lines, rows) in [(status.lines, status.rows(on: display)), (accounts.lines, accounts.rows(on: display))] {
                #expect(lines.contains { $0.contains(" \(word)") }, "\(lines)")
                #expect(rows.contains { $0.text.contains(" \(word)") }, "\(rows.map(\.text))")
                #expect(!lines.contains { $0.contains("_") })
            }
        }
    }

    @Test func onlyJSONCallsATokenExpiringThatIsRenewedInTime() throws {
        var session = try Self.session(.expiring)
        session.receivedAt = Self.now - .seconds(30)
        session.nextRenewalAt = Self.now + .seconds(1)
        let display = Display(columns: 160, rows: 40, paint: .none, glyphs: .unicode, showsLinks: false)
        let status = SessionList(sessions: [session], now: Self.now)
        let accounts = AccountList(rows: [.init(session: session, isDefault: true)], now: Self.now)
        for lines in [status.lines, accounts.lines, status.rows(on: display).map(\.text), accounts.rows(on: display).map(\.text)] {
            #expect(lines.contains { $0.contains(" \(Words.state(.signedIn))") }, "\(lines)")
        }
        #expect(status.json.text.contains(#""expiring""#) && accounts.json.text.contains(#""expiring""#))
    }

    /// Two states never have the same word, or one could not be told from the other.
    @Test(arguments: Language.allCases)
    func everyStateHasItsOwnWord(language: Language) {
        Language.$current.withValue(language) {
            #expect(Set(SessionState.allCases.map(Words.state)).count == SessionState.allCases.count)
            let counts = [
                (SessionListWords.signedIn(1), SessionState.signedIn), (SessionListWords.expiring(1), .expiring),
                (SessionListWords.expired(1), .expired), (SessionListWords.guests(1), .guest),
            ]
            for (count, state) in counts { #expect(count == "1 \(Words.state(state))") }
        }
    }
}
