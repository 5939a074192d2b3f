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
                 yett › Get started                                             agent ● · 08:30

                   ╭──┬──┬──┬──╮
                   ├──╂──┼──╂──┤     yett
                   │  ┃  │  ┃  │     the gate of your terminal
                   ├──╂──┼──╂──┤
                   │  ┃  │  ┃  │     Sign in once, in your own browser.
                   ├──╂──┼──╂──┤     Your tools get their tokens here.
                   ╵  ╹  ╵  ╹  ╵

                  No provider is configured yet. Three steps lead to your first session:

                  ● 1  Choose where to sign in
                  ○ 2  Sign in with your own browser
                  ○ 3  Let your tools use its tokens

                  ▸ Add a provider
                      Your own service: its address, and an existing or a new client.

                  From the shell: yett demo; yett providers add URL --client-id ID
                  Changes made in another window appear here automatically.


                 Enter choose  n add provider  ↑/↓ move  t theme  L lock  q quit  ? help
                """)
    }

    @Test func homeOffersEverySignIn() throws {
        let state = try Given.firstRun()
        #expect(
            state.picture().text == """
                 yett › Home                                                    agent ● · 08:30

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
                    work            Sign in as another user









                 Enter choose  s sign in  u sign up  r reload  ↑/↓ move  t theme  L lock  ? help
                """)
    }

    @Test func pickerAsksWhere() throws {
        let state = try Given.pressed(Given.firstRun(), .character("s"))
        #expect(
            state.picture().text == """
                 yett › Home › Sign in                              3 options · agent ● · 08:30

                  Where do you want to sign in?

                  / type to filter

                  ▸ lab         not signed in         id.lab.example            OpenID Connect
                    work        as ada@example.org    id.work.example           OpenID Connect
                    work        as another user       id.work.example           OpenID Connect
                    Add a provider…













                 Enter sign in  Esc back  ↑/↓ move  ^C quit
                """)
    }

    @Test func unlockAsksForThePassphrase() throws {
        let state = Given.loaded(seal: .locked(isNew: false))
        #expect(
            state.picture().text == """
                 yett › Get started › Unlock                           agent ● · 08:30 · locked

                  Unlock
                  Your sessions are sealed. Enter the passphrase to unlock them. It stays in
                  memory only while you type it.

                  Passphrase
















                 Esc later  ^C quit
                """)
    }

    @Test func newPassphraseIsTypedTwice() throws {
        let state = Given.loaded(seal: .locked(isNew: true))
        #expect(
            state.picture().text == """
                 yett › Get started › Choose a passphrase              agent ● · 08:30 · locked

                  Choose a passphrase
                  It encrypts your sessions and cannot be recovered. If you forget it, sign in
                  everywhere again.

                  Passphrase


                  Repeat













                 Tab next field  Esc later  ^C quit
                """)
    }

    @Test func activityListsTheNewestFirst() throws {
        let state = try Given.activity()
        #expect(
            state.picture().text == """
                 yett › Sessions › Activity                           agent ● · 08:30 · 3 ok ▲1

                   By program  By time

                    Time                   Event           Session               Details
                  ▸ 08:28:20  1 min ago    renewal failed  work/ada@example.org  by git
                    08:26:40  3 min ago    renewed         work/ada@example.org  by git
                    08:25:00  5 min ago    token issued    work/ada@example.org  by git
                    08:23:20  6 min ago    signed in       work/ada@example.org  by git











                    work/ada@example.org: by git


                 Enter open session  p by program  / filter  Esc back  ↑/↓ move  t theme  ? help
                """)
    }

    @Test func helpListsEveryKey() throws {
        let state = try Given.pressed(Given.sessions(), .character("?"))
        #expect(
            state.picture().text == """
                 yett › Sessions › Help                    Sessions · agent ● · 08:30 · 3 ok ▲1

                  Keys here: Sessions
                  Enter, →, l         show all details of the session
                  i                   decode the tokens and verify them
                  s                   sign in with this account or at another provider
                  r                   fetch new tokens now, even if these are still valid
                  y                   copy a fresh access token to the clipboard
                  o                   end the session; you choose how
                  /                   show only lines that contain the typed words
                  O                   end every session; asks for confirmation once
                  x                   remove the session from this machine only
                  u                   choose where to sign up
                  a                   what happened, and who used a token
                  T                   all sessions on a time axis
                  z                   sort by name, time left, urgency or last use
                  p                   group the sessions by provider, or ungroup them
                  n                   add a provider to the configuration
                  R                   reload the providers and sessions
                  Tab                 scroll the details of the session; Tab or Esc returns to
                                      the list
                  1                   show this part of the details: Overview                  ▾

                 Esc back  ↑/↓ scroll  t theme  L lock  q quit  ? help
                """)
    }

    @Test func forgettingAsksForConfirmation() throws {
        let state = try Given.pressed(Given.session(), .character("x"))
        #expect(
            state.picture().text == """
                 yett › Sessions › work/ada@example.org › Forget work/ada@example.org      1 ok

                  Forget work/ada@example.org?

                  The session and its tokens are removed from this machine. The provider is
                  not notified: copied tokens stay valid until they expire.

                  To revoke them as well, go back and press o to sign out.

                  Press U within 10 seconds to undo this. If you quit before, the session is
                  kept.

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

                  How do you want to sign out of work/ada@example.org?

                  ▸ 1  Revoke and forget
                       Revokes the tokens at the provider, then removes them here.

                    2  Revoke, forget, and end the browser's session
                       Also signs your browser out at the provider.

                    3  Forget here only
                       The provider is not told. Copied tokens stay valid until they expire.











                 Enter choose  Esc cancel  ↑/↓ move  t theme  L lock  q quit  ? help
                """)
    }
}
