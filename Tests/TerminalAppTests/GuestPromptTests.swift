import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// What a provider shows on the first screens: the labels of its sign-in methods, and the banner for guests.
@Suite struct GuestPromptTests {
    private func state(
        prompts: Bool = true, text: String? = nil, _ state: SessionState = .guest, asksGuests: Bool = true
    ) throws -> AppState {
        var provider = try Sample.provider("site")
        provider.promptsGuests = prompts
        provider.labels.guestPrompt = text
        var app = Given.loaded(providers: [provider], sessions: [try Sample.session("site/guest", state)])
        app.model.asksGuests = asksGuests
        return app
    }

    @Test func guestBannerNeedsAPromptingProviderAndAGuest() throws {
        let text = "Authorize to participate"
        #expect(try state(text: text).picture().text.contains("site: Authorize to participate. Press s to sign in."))
        for other in [
            try state(prompts: false, text: text), try state(text: text, .signedIn), try state(text: text, asksGuests: false),
        ] {
            #expect(!other.picture().text.contains(text))
        }
    }

    /// `s` on a guest's own screen, and the palette, start the provider's sign-in without an account: a guest is not an account.
    @Test func guestSignsInWithoutAnAccount() throws {
        var guest = try Sample.session("site/guest", .guest)
        guest.subject = SessionSummary.guestSubject
        let request = SignInRequest(provider: guest.name.provider)
        var app = Given.pressed(Given.loaded(providers: [try Sample.provider("site")], sessions: [guest]), .enter)
        #expect(app.press(.character("s")) == [.beginSignIn(request, RunID(number: 1))])
        #expect(!app.picture().text.contains("as guest"))
        #expect(PaletteSessionAction.signIn.step(for: guest.name, in: app.model) == .replace(.signingIn(request)))
        // A user who is a guest for now keeps the account.
        let ada = try Sample.session("site/ada", .guest)
        let fallen = Given.loaded(providers: [try Sample.provider("site")], sessions: [ada])
        #expect(fallen.model.signInRequest(for: ada.name).account == "ada")
    }

    @Test func guestBannerHasADefaultText() throws {
        #expect(try state().picture().text.contains("You are a guest of site."))
    }

    /// Names that the user chooses by are not truncated while there is room.
    @Test func longProviderNamesAreNotTruncated() throws {
        let providers = [try Sample.provider("beyond-identity", signUp: true), try Sample.provider("mapsindoors")]
        #expect(Given.loaded(providers: providers).picture().text.contains("▸ beyond-identity "))
        let sessions = Given.loaded(providers: providers, sessions: [try Sample.session("mapsindoors/ada")])
        #expect(Given.pressed(sessions, .character("s")).picture().text.contains(" beyond-identity "))
    }

    /// Without an identity, the app greets no account by its label. A URL keeps its spelling at the start of a sentence.
    @Test func unknownUserIsNotGreetedByName() throws {
        var session = try Sample.session("work/account", warnings: ["http://127.0.0.1:1 does not say who signed in"])
        session.subject = nil
        let text = try Given.welcome(session).picture().text
        #expect(text.contains("Welcome.") && !text.contains("Welcome, account"))
        #expect(text.contains("http://127.0.0.1:1 does not say who signed in."))
    }

    @Test func providersOwnLabelsAreShown() throws {
        var provider = try Sample.provider("acme", signUp: true)
        provider.labels = ProviderLabels(signIn: "Log in with Acme", signUp: "New to Acme? Go passwordless")
        let text = Given.loaded(providers: [provider]).picture().text
        let lines = text.split(separator: "\n")
        let signIn = try #require(lines.firstIndex { $0.contains("Log in with Acme") })
        let signUp = try #require(lines.firstIndex { $0.contains("New to Acme? Go passwordless") })
        #expect(signIn < signUp)
        // The first line is selected.
        #expect(lines[signIn].contains("▸"))
    }

    @Test func signInLabelDependsOnKnownAccounts() throws {
        let guest = Given.loaded(providers: [try Sample.provider("acme")])
        #expect(guest.picture().text.contains("Sign in"))
        let known = Given.loaded(providers: [try Sample.provider("acme", accounts: ["ada"])])
        let text = known.picture().text
        #expect(text.contains("Sign in as ada") && text.contains("Sign in as another user"))
        let ended = Given.loaded(
            providers: [try Sample.provider("acme", accounts: ["ada"])],
            sessions: [try Sample.session("acme/ada", .needsSignIn, left: nil, renewable: false)])
        #expect(ended.picture().text.contains("sign in again"))
    }
}
