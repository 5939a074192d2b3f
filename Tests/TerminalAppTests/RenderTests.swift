import TerminalUI
import Testing

@testable import TerminalApp

/// The text of the screens.
@Suite struct RenderTests {
    @Test func signingInShowsStepsHostsURLAndTime() throws {
        #expect(
            try Given.signingIn().picture().text == """
                 yett › Home › Sign in to work                4 min 48 s left · agent ● · 08:30

                  Sign in with your browser. This screen updates itself.

                  ✓ Discover the provider     0.3 s      · Exchange the code for tokens
                  ✓ Open your browser         0.1 s      · Check who signed in
                  ⠋ Wait for you to sign in   11 s       · Seal the session

                  You sign in at  id.example.org, same host issues the tokens
                  Callback URL    http://127.0.0.1:40123/callback
                  Address         https://id.example.org/authori…cM&code_challenge_method=S256

                  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸─  4 min 48 s left










                 Esc cancel  c copy URL  b reopen browser  p paste URL  w address  ? help
                """)
    }

    @Test func sessionsShowStateNameTimeAndRenewal() throws {
        #expect(
            try Given.sessions().picture().text == """
                 yett › Sessions                                      agent ● · 08:30 · 3 ok ▲1

                 1 signed in · 1 expiring · 1 renews on use · 1 needs action

                   State            Session ▴                Time left  1m     1h  1d  24 h
                 ▸ ◐ expiring       lab/grace                     41 s  ╸────────────  ········
                   ▲ sign in again  old/marie                    ended  ─────────────  ········
                   ● signed in      work/ada@example.org   42 min 10 s  ╋━━━━━╸──────  ········
                   ○ expired        work/admin                   ended  ─────────────  ········
                ╭─ lab/grace ──────────────────────── 1 Overview  2 Tokens  3 Activity  4 Use ─╮
                │ grace                                  signed in       17 min ago            │
                │                                        next renewal    due                   │
                │ ◐ expiring  The token expires in less  renewable       yes; expiry unknown   │
                │   than a minute.                                                             │
                │ ╸─────────────────────────  41 s left  scopes          openid profile        │
                │                                                        offline_access        │
                │ Loading the tokens.                    last used       by kubectl, 2 h ago   │
                │                                        last 24 h       ········  0 tokens    │
                │                                                                              │
                │                                                                              │
                │                                                                              │
                ╰──────────────────────────────────────────────────────────────── Tab details ─╯
                 work/ada@example.org renews in 41 min
                 Enter open  s sign in  r renew  y copy token  o sign out  / filter  ? help
                """)
    }

    @Test func sessionShowsItsIdentityAndRedactedTokens() throws {
        #expect(
            try Given.session().picture().text == """
                 yett › Sessions › work/ada@example.org         42 min 10 s left · 08:30 · 1 ok

                 ╭─ id.work.example ──────────────────────────────────────────────────────────╮
                 │ Ada Lovelace  ada@example.org                                              │
                 │ ● signed in  The token is valid.                                           │
                 │ ╋━━━━━━━━━━━━━━━━━━━╸───────────────────  42 min 10 s left                 │
                 ╰────────────────────────────────────────────────────────────────────────────╯

                  Identity
                  issuer          https://id.example.org
                  subject         248289761001
                  client          yett

                  Lifetime
                  signed in       2026-11-21 08:12:10 UTC, 17 min ago
                  next renewal    2026-11-21 09:11:10 UTC, in 41 min
                  renewable       yes; expiry unknown

                  Usage
                  token goes to   api.example.org
                  scopes          openid profile offline_access
                  last used       by git, 2026-11-21 08:27:00 UTC, 3 min ago                   ▾

                 r renew  y copy token  i inspect  s sign in  o sign out  Esc back  ? help
                """)
    }

    @Test func problemShowsWhatHappenedWhyAndWhatToPress() throws {
        #expect(
            try Given.problem().picture().text == """
                 yett › Home › Problem                                          agent ● · 08:30

                  ✗ Failed: Sign in to work

                  What happened
                    The id token was not signed by the provider.

                    ✓ Discover the provider             0.3 s
                    ✓ Open your browser                 0.1 s
                    ✗ Wait for you to sign in

                  Kind of problem
                    Refused: a security check failed.

                  What to do
                    Tell the provider's operator; nothing was stored.
                    Press r to try again, or Esc to go back.

                  Your existing sessions are unchanged.




                 r try again  y copy details  Esc back  t theme  L lock  q quit  ? help
                """)
    }

    @Test func welcomeShowsTheAccountAndTheExpiry() throws {
        #expect(
            try Given.welcome().picture().text == """
                 yett › Sessions › Signed in      work/ada@example.org · agent ● · 08:30 · 1 ok

                  ✓ Welcome, ada@example.org.                                    ╭──┬──┬──┬──╮
                  You are signed in to work.                                     ╵  ╹  ╵  ╹  ╵
                                                                                 │           │
                  ╋━━━━━━━━━━━━━━━━━━━╸───────────────────  41 min 58 s left     │           │
                                                                                 │           │
                  session     work/ada@example.org                               │           │
                  scopes      openid profile offline_access                      │           │

                  From the shell
                    yett token work/ada@example.org











                 Enter view sessions  i view session  y copy token  c copy command  ? help
                """)
    }

    @Test func receiptShowsEachStep() throws {
        #expect(
            try Given.receipt(browser: true).picture().text == """
                 yett › Home › work/ada@example.org › Receipt                   agent ● · 08:30

                  ! work/ada@example.org was forgotten here, but some steps at the provider
                  failed.

                  ✓ Revoke the refresh token        done
                  ✗ Revoke the access token         failed: the provider answered 503; it will
                                                    be retried
                  · End the session in the browser  skipped: it was not asked for
                  ✓ Forget the session here         done

                  Your browser opens this page to end its own session:
                https://id.example.org/logout










                 Enter done  b reopen browser  c copy URL  y copy details  t theme  ? help
                """)
    }

    @Test func signingInFitsASmallTerminal() throws {
        #expect(
            try Given.signingIn().picture(Size(columns: 40, rows: 10)).text == """
                 yett › Home › Sign in to work    08:30
                  Sign in with your browser. This
                  screen updates itself.

                  ✓ Discover the provider        0.3 s
                  ✓ Open your browser            0.1 s
                  ⠋ Wait for you to sign in       11 s
                  · Exchange the code for tokens
                  · Check who signed in                ▾
                Esc cancel  c copy URL  ? help
                """)
    }

    @Test func wholeURLIsShownAtEveryWidth() throws {
        for columns in [20, 39, 40, 80, 133] {
            let size = Size(columns: columns, rows: 60)
            let text = Given.pressed(try Given.signingIn(), .character("w")).picture(size).text
            #expect(text.split(separator: "\n").joined().contains(Sample.authorization))
        }
    }

    @Test func wideTerminalShowsTheSelectedSessionBesideTheList() throws {
        let text = try Given.sessions().picture(Size(columns: 200, rows: 60)).text
        #expect(text.contains("─ lab/grace ─"))
        #expect(text.contains("last used       by kubectl"))
    }

    @Test func claimsAreExplainedInWords() throws {
        let text = try Given.session().picture(Size(columns: 120, rows: 60)).text
        #expect(text.contains("exp (expires)                           2026-11-21 09:12:10 UTC, in 42 min"))
        #expect(text.contains("auth_time (authenticated)               2026-11-21 08:11:40 UTC, 18 min ago"))
        #expect(text.contains("✓ verified with RS256, key 2011-04-29"))
    }

    @Test(arguments: [
        (Duration.seconds(0), "0 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min 00 s"), (.seconds(3599), "59 min 59 s"),
        (.seconds(3600), "1 h 00 min"), (.seconds(90_000), "1 d 1 h"), (.seconds(-5), "0 s"),
    ])
    func durationsShowTheirTwoLargestUnits(span: Duration, words: String) {
        #expect(Words.span(span) == words)
    }
}
