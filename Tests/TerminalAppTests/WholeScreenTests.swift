import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Whole screens that ask and guide, at 80×24.
@Suite struct WholeScreenTests {
    @Test func guideSaysHowToBegin() throws {
        let state = Given.loaded()
        #expect(
            state.picture().text == """
                 yett › Begin here

                   ╭──┬──┬──┬──╮
                   ├──╂──┼──╂──┤     yett
                   │  ┃  │  ┃  │     the gate of your terminal
                   ├──╂──┼──╂──┤
                   │  ┃  │  ┃  │     Sign in once, in your own browser.
                   ├──╂──┼──╂──┤     Your tools get their tokens here.
                   ╵  ╹  ╵  ╹  ╵

                  No provider is configured yet. Three steps lead to your first session:

                  ● 1  Choose where to sign in
                  ○ 2  Sign in, in your own browser
                  ○ 3  Let your tools have its tokens

                  ▸ Add a provider
                      Your own service: its address, and a client of yours or a new one.

                  The same from the shell: yett demo; yett providers add URL --client-id ID
                  What is added in another window appears here by itself.


                 Enter choose  n add provider  ↑/↓ move  t theme  L lock  q quit  ? help
                """)
    }

    @Test func homeOffersEverySignIn() throws {
        let state = try Given.firstRun()
        #expect(
            state.picture().text == """
                 yett › Front door

                   ╭──┬──┬──┬──╮
                   ├──╂──┼──╂──┤     yett
                   │  ┃  │  ┃  │     the gate of your terminal
                   ├──╂──┼──╂──┤
                   │  ┃  │  ┃  │     Sign in once, in your own browser.
                   ├──╂──┼──╂──┤     Your tools get their tokens here.
                   ╵  ╹  ╵  ╹  ╵

                  ▸ lab             Sign in                      id.lab.example
                    lab             Sign up
                    work            Sign in as ada@example.org   id.work.example
                    work            Sign in as somebody else









                 Enter choose  s sign in  u sign up  r look again  ↑/↓ move  t theme  ? help
                """)
    }

    @Test func pickerAsksWhere() throws {
        let state = try Given.pressed(Given.firstRun(), .character("s"))
        #expect(
            state.picture().text == """
                 yett › Front door › Sign in                                             3 ways

                  Where do you want to sign in?

                  / type to filter

                  ▸ lab         not signed in         id.lab.example            OpenID Connect
                    work        as ada@example.org    id.work.example           OpenID Connect
                    work        as somebody else      id.work.example           OpenID Connect
                    Add a provider…













                 Enter sign in  Esc back  ↑/↓ move  ^C quit
                """)
    }

    @Test func unlockAsksForThePassphrase() throws {
        let state = Given.loaded(seal: .locked(isNew: false))
        #expect(
            state.picture().text == """
                 yett › Begin here › Unlock

                  Unlock
                  Your sessions are sealed. The passphrase opens them; it stays in this
                  program's memory only as long as you type it.

                  Passphrase
















                 Esc later  ^C quit
                """)
    }

    @Test func newPassphraseIsTypedTwice() throws {
        let state = Given.loaded(seal: .locked(isNew: true))
        #expect(
            state.picture().text == """
                 yett › Begin here › Choose a passphrase

                  Choose a passphrase
                  Your sessions will be sealed with it. It cannot be recovered: whoever
                  forgets it signs in again everywhere.

                  Passphrase


                  Once more













                 Tab next field  Esc later  ^C quit
                """)
    }

    @Test func activityListsTheNewestFirst() throws {
        let state = try Given.activity()
        #expect(
            state.picture().text == """
                 yett › Sessions › Activity

                    Time      What            Session               Details
                  ▸ 08:28:20  renewal failed  work/ada@example.org  by git
                    08:26:40  renewed         work/ada@example.org  by git
                    08:25:00  token taken     work/ada@example.org  by git
                    08:23:20  signed in       work/ada@example.org  by git













                    work/ada@example.org: by git


                 Enter open session  / filter  Esc back  ↑/↓ move  t theme  L lock  ? help
                """)
    }

    @Test func helpListsEveryKey() throws {
        let state = try Given.pressed(Given.sessions(), .character("?"))
        #expect(
            state.picture().text == """
                 yett › Sessions › Help                                                Sessions

                  Keys here: Sessions
                  Enter → l           show everything about the session
                  i                   look into the tokens: what they say, and whether it is
                                      true
                  s                   sign in, as this account or at another provider
                  r                   fetch new tokens now, whatever the age of these
                  y                   put a fresh access token on the clipboard
                  o                   end the session; you are asked how
                  /                   show only what contains the words typed
                  O                   end every session; you are asked once
                  x                   remove the session from this machine, whatever the
                                      provider thinks
                  u                   choose where to make an account
                  a                   what happened, and who took a token
                  T                   all sessions against the clock
                  z                   sort by name, time left, urgency or last use
                  p                   keep those of one provider together, or not
                  n                   add a provider to the configuration
                  R                   read the providers and sessions again
                  ↓ j                 one line down                                            ▾

                 Esc back  ↑/↓ scroll  t theme  L lock  q quit  ? help
                """)
    }

    @Test func forgettingAsksForConfirmation() throws {
        let state = try Given.pressed(Given.session(), .character("x"))
        #expect(
            state.picture().text == """
                 yett › Sessions › work/ada@example.org › Forget work/ada@example.org

                  Forget work/ada@example.org?

                  The session and its tokens are removed from this machine. The provider is
                  not told: tokens that somebody has copied stay good until they end.

                  To have them revoked as well, go back and sign out with o.

                  For ten seconds it can be undone with U. If the program ends before, the
                  session stays.

                  ▸ no, go back
                    yes, forget it









                 Enter choose  ↑/↓ move  y yes, forget it  n no, go back  t theme  ? help
                """)
    }

    @Test func signOutAsksForTheMode() throws {
        let state = try Given.pressed(Given.session(), .character("o"))
        #expect(
            state.picture().text == """
                 yett › Sessions › work/ada@example.org › Sign out of work/ada@example.org

                  How do you want to end the session work/ada@example.org?

                  ▸ 1  Revoke and forget
                       The provider is told to end the tokens; then they are removed here.

                    2  Revoke, forget, and end the browser's session
                       Your browser is signed out at the provider as well.

                    3  Forget here only
                       The provider is not told. Copied tokens stay good until they end.











                 Enter choose  Esc keep the session  ↑/↓ move  t theme  L lock  q quit  ? help
                """)
    }
}
