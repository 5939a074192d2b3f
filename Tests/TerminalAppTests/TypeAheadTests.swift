import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Keys that are pressed before the session service has said which providers and sessions there are.
@Suite struct TypeAheadTests {
    private let starting = AppState(TerminalAppSettings(themes: Sample.themes, theme: "", asksGuests: true), now: Sample.now)

    private func loaded(_ seal: SealState = .unlocked, sessions: [SessionSummary] = []) throws -> Message {
        .loaded(seal, providers: [try Sample.provider("lab"), try Sample.provider("work")], sessions: sessions, at: Sample.now)
    }

    @Test func waitForTheProvidersAndAreSaidMeanwhile() throws {
        var state = starting
        #expect(state.press(.character("s")).isEmpty)
        #expect(state.opened.isEmpty)
        #expect(state.picture().text.contains("as soon as the providers are read: s"))
        _ = state.take(try loaded())
        #expect(state.trail == ["Front door", "Sign in"])
        #expect(state.notice == nil)
    }

    @Test func areDoneInTheirOrder() throws {
        var state = starting
        state.type("swork")
        let commands = [state.press(.enter), state.take(try loaded())].flatMap(\.self)
        let work = try #require(ProviderName("work"))
        #expect(commands == [.beginSignIn(SignInRequest(provider: work), RunID(number: 1))])
    }

    /// What a key means is what it means on the screen that comes.
    @Test func meanWhatTheyMeanAmongTheSessions() throws {
        var state = starting
        _ = state.press(.character("/"))
        _ = state.take(try loaded(sessions: try Sample.sessions()))
        guard case .sessions(let screen) = state.current else { throw Missing() }
        #expect(screen.isFiltering)
    }

    @Test func areDoneOnceThoughPressedAgain() throws {
        var state = starting
        for _ in 0..<5 { _ = state.press(.character("s")) }
        #expect(state.typedAhead == [.character("s")])
        _ = state.take(try loaded())
        guard case .picker(let picker) = state.current else { throw Missing() }
        #expect(picker.filter.isEmpty)
    }

    @Test func areTakenBackWithEsc() throws {
        var state = starting
        state.type("sx")
        _ = state.press(.escape)
        _ = state.take(try loaded())
        #expect(state.opened.isEmpty)
    }

    /// What was meant for a list must not become part of a passphrase.
    @Test func neverReachAScreenTheyWereNotMeantFor() throws {
        var state = starting
        state.type("swork")
        _ = state.take(try loaded(.locked(isNew: false)))
        guard case .unlock(let screen) = state.current else { throw Missing() }
        #expect(screen == UnlockScreen(isNew: false))
        #expect(state.typedAhead.isEmpty)
    }

    @Test func areForgottenWhereNothingCouldBeRead() throws {
        var state = starting
        _ = state.press(.character("s"))
        _ = state.take(.loadFailed(AuthFailure(.configuration, "line 3: unknown key isuer")))
        #expect(state.typedAhead.isEmpty)
        _ = state.press(.escape)
        _ = state.press(.character("s"))
        #expect(state.notice?.text == HomeWords.notRead)
        #expect(state.picture().text.contains("The providers could not be read: press r to try again."))
        #expect(state.press(.character("r")) == [.reload])
        #expect(state.picture().text.contains("Asking the keeper."))
    }

    @Test(arguments: [(Key.character("q"), [Command.quit]), (.control("c"), [.quit]), (.control("z"), [.suspend])])
    func doNotHoldUpWhatMeansTheSameEverywhere(key: Key, commands: [Command]) {
        var state = starting
        #expect(state.press(key) == commands)
    }

    @Test func cannotFillTheMemory() {
        var state = starting
        for _ in 0..<1000 { _ = state.press(.down) }
        #expect(state.typedAhead.count == 64)
    }

    private struct Missing: Error {}
}
