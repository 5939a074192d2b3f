import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// What a provider has to say on the first screens: what its ways in are called, and what guests are shown.
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

    @Test func onlyWhereTheProviderPromptsAndAGuestIsThere() throws {
        let text = "Authorize to participate"
        #expect(try state(text: text).picture().text.contains("site: Authorize to participate. Press s to sign in."))
        for other in [
            try state(prompts: false, text: text), try state(text: text, .signedIn), try state(text: text, asksGuests: false),
        ] {
            #expect(!other.picture().text.contains(text))
        }
    }

    /// `s` on a guest's own screen, and the palette, lead to the provider's sign-in: nobody signs in as a guest.
    @Test func guestSignsInAsWhoeverTheyAre() throws {
        var guest = try Sample.session("site/guest", .guest)
        guest.subject = SessionSummary.guestSubject
        let request = SignInRequest(provider: guest.name.provider)
        var app = Given.loaded(providers: [try Sample.provider("site")], sessions: [guest])
        _ = app.press(.enter)
        #expect(app.press(.character("s")) == [.beginSignIn(request, RunID(number: 1))])
        #expect(!app.picture().text.contains("as guest"))
        #expect(PaletteSessionAction.signIn.step(for: guest.name, in: app.model) == .replace(.signingIn(request)))
        // A user who is a guest for now is still the one to sign in.
        let ada = try Sample.session("site/ada", .guest)
        let fallen = Given.loaded(providers: [try Sample.provider("site")], sessions: [ada])
        #expect(fallen.model.signInRequest(for: ada.name).account == "ada")
    }

    @Test func withoutWordsOfItsOwnTheAppHasSome() throws {
        #expect(try state().picture().text.contains("You are a guest at site."))
    }

    /// What one chooses by is not cut off while there is room.
    @Test func longNamesOfProvidersAreWhole() throws {
        let providers = [try Sample.provider("beyond-identity", signUp: true), try Sample.provider("mapsindoors")]
        #expect(Given.loaded(providers: providers).picture().text.contains("▸ beyond-identity "))
        let sessions = Given.loaded(providers: providers, sessions: [try Sample.session("mapsindoors/ada")])
        #expect(Given.pressed(sessions, .character("s")).picture().text.contains(" beyond-identity "))
    }

    /// Where nobody says who signed in, nobody is called by a label; and an address keeps its spelling at the head of a sentence.
    @Test func whoIsUnknownIsNotCalledByName() throws {
        var session = try Sample.session("work/account", warnings: ["http://127.0.0.1:1 does not say who signed in"])
        session.subject = nil
        let text = try Given.welcome(session).picture().text
        #expect(text.contains("Welcome.") && !text.contains("Welcome, account"))
        #expect(text.contains("http://127.0.0.1:1 does not say who signed in."))
    }

    @Test func labelsAreTheProvidersOwn() throws {
        var provider = try Sample.provider("acme", signUp: true)
        provider.labels = ProviderLabels(signIn: "Log in with Acme", signUp: "New to Acme? Go passwordless")
        let text = Given.loaded(providers: [provider]).picture().text
        let lines = text.split(separator: "\n")
        let signIn = try #require(lines.firstIndex { $0.contains("Log in with Acme") })
        let signUp = try #require(lines.firstIndex { $0.contains("New to Acme? Go passwordless") })
        #expect(signIn < signUp)
        // The first has the mark.
        #expect(lines[signIn].contains("▸"))
    }

    @Test func wordsFollowWhoIsKnown() throws {
        let nobody = Given.loaded(providers: [try Sample.provider("acme")])
        #expect(nobody.picture().text.contains("Sign in"))
        let known = Given.loaded(providers: [try Sample.provider("acme", accounts: ["ada"])])
        let text = known.picture().text
        #expect(text.contains("Sign in as ada") && text.contains("Sign in as somebody else"))
        let ended = Given.loaded(
            providers: [try Sample.provider("acme", accounts: ["ada"])],
            sessions: [try Sample.session("acme/ada", .needsSignIn, left: nil, renewable: false)])
        #expect(ended.picture().text.contains("sign in again"))
    }
}
