import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Keys that are pressed before the session service has answered which providers and sessions exist.
@Suite struct TypeAheadTests {
    private let starting = AppState(TerminalAppSettings(themes: Sample.themes, theme: "", asksGuests: true), now: Sample.now)

    private func loaded(_ seal: SealReport = .unlocked, sessions: [SessionSummary] = []) throws -> Message {
        .loaded(seal, providers: [try Sample.provider("lab"), try Sample.provider("work")], sessions: sessions, at: Sample.now)
    }

    @Test func keysWaitForTheProvidersAndAreShown() throws {
        var state = starting
        #expect(state.press(.character("s")).isEmpty)
        #expect(state.opened.isEmpty)
        #expect(state.picture().text.contains("when the providers are loaded: s"))
        _ = state.take(try loaded())
        #expect(state.trail == ["Home", "Sign in"])
        #expect(state.notice == nil)
    }

    @Test func keysAreHandledInOrder() throws {
        var state = starting
        state.type("swork")
        let commands = [state.press(.enter), state.take(try loaded())].flatMap(\.self)
        let work = try #require(ProviderName("work"))
        #expect(commands == [.beginSignIn(SignInRequest(provider: work), RunID(number: 1))])
    }

    /// A key has the meaning that it has on the screen that appears.
    @Test func keysAreInterpretedOnTheScreenThatAppears() throws {
        var state = Given.pressed(starting, .character("/"))
        _ = state.take(try loaded(sessions: try Sample.sessions()))
        let screen = try #require(state.current.as(SessionsScreen.self))
        #expect(screen.isFiltering)
    }

    @Test func repeatedKeyIsHandledOnce() throws {
        var state = starting
        for _ in 0..<5 { _ = state.press(.character("s")) }
        #expect(state.earlyKeys == [.character("s")])
        _ = state.take(try loaded())
        let picker = try #require(state.current.as(PickerScreen.self))
        #expect(picker.filter.isEmpty)
    }

    @Test func escapeDiscardsTheKeys() throws {
        var state = starting
        state.type("sx")
        _ = state.press(.escape)
        _ = state.take(try loaded())
        #expect(state.opened.isEmpty)
    }

    /// Keys meant for a list must not become part of a passphrase.
    @Test func keysNeverReachAnUnexpectedScreen() throws {
        var state = starting
        state.type("swork")
        _ = state.take(try loaded(.locked(isNew: false)))
        let screen = try #require(state.current.as(UnlockScreen.self))
        #expect(screen == UnlockScreen(isNew: false))
        #expect(state.earlyKeys.isEmpty)
    }

    @Test func keysAreDiscardedIfLoadingFails() throws {
        var state = Given.pressed(starting, .character("s"))
        _ = state.take(.loadFailed(AuthFailure(.configuration, text: "line 3: unknown key isuer")))
        #expect(state.earlyKeys.isEmpty)
        _ = state.press(.escape)
        _ = state.press(.character("s"))
        #expect(state.notice?.text == HomeWords.notRead)
        #expect(state.picture().text.contains("Could not load the providers: press r to try again."))
        #expect(state.press(.character("r")) == [.reload])
        #expect(state.picture().text.contains("Loading sessions."))
    }

    @Test(arguments: [(Key.character("q"), [Command.quit]), (.control("c"), [.quit]), (.control("z"), [.suspend])])
    func globalKeysWorkAtOnce(key: Key, commands: [Command]) {
        var state = starting
        #expect(state.press(key) == commands)
    }

    @Test func numberOfWaitingKeysIsLimited() {
        var state = starting
        for _ in 0..<1000 { _ = state.press(.down) }
        #expect(state.earlyKeys.count == 64)
    }
}
