import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The guide from an empty configuration to the first session.
@Suite struct GuideTests {
    private static func isGuide(_ state: AppState) -> Bool {
        state.home.screen is GuideScreen
    }

    @Test func guideIsShownWithoutProvidersAndSessions() throws {
        #expect(Self.isGuide(Given.loaded()))
        #expect(try !Self.isGuide(Given.firstRun()))
        #expect(try !Self.isGuide(Given.sessions()))
        let orphan = Given.loaded(sessions: [try Sample.session("work/ada@example.org")])
        #expect(!Self.isGuide(orphan), "a session whose provider is gone is still one")
    }

    @Test func guideStartsTheDemo() {
        var state = Given.loaded()
        state.model.offersDemo = true
        #expect(state.press(.enter) == [.startDemo])
        #expect(state.wantsDemo)
        #expect(TerminalAppRoot.directive(for: .startDemo) == .quit)
    }

    @Test func guideInTheDemoOffersNoDemo() {
        var state = Given.loaded()
        state.model.offersDemo = false
        #expect(state.press(.character("d")) == [])
        #expect(state.notice?.text == GuideWords.noDemo)
        #expect(!state.picture().text.contains("Try the demo"))
        #expect(!state.wantsDemo)
    }

    /// Adds a provider, signs in there, and ends at the list of sessions.
    @Test func guideLeadsToTheFirstSession() throws {
        var state = Given.loaded()
        state.model.offersDemo = true
        _ = state.press(.down)
        _ = state.press(.enter)
        #expect(state.picture().text.contains("Add a provider"))
        _ = state.press(.escape)
        let work = try Sample.provider("work")
        _ = state.take(.loaded(.unlocked, providers: [work], sessions: [], at: Sample.now))
        #expect(Self.isGuide(state), "the guide stays until there is a session")
        #expect(state.picture().text.contains("✓ 1  Choose where to sign in"))
        _ = state.press(.home)
        #expect(state.press(.enter) == [.beginSignIn(SignInRequest(provider: work.name), RunID(number: 1))])
        let session = try Sample.session("work/ada@example.org")
        _ = state.take(.serviceReported(.sessionsChanged([session])))
        _ = state.take(.signInReported(RunID(number: 1), .finished(.success(session)), at: Sample.now))
        #expect(state.picture().text.contains("Welcome, ada@example.org."))
        _ = state.press(.enter)
        guard state.home.screen is SessionsScreen else { return #expect(Bool(false), "the sessions are not there") }
    }

    @Test func guideReturnsWhenNoProviderOrSessionIsLeft() throws {
        var state = try Given.sessions()
        _ = state.take(.loaded(.unlocked, providers: [], sessions: [], at: Sample.now))
        #expect(Self.isGuide(state))
    }

    @Test func everyChoiceIsVisibleAtEverySize() {
        for (columns, rows) in [(80, 24), (40, 10), (200, 60), (40, 6)] {
            var state = Given.loaded(size: Size(columns: columns, rows: rows))
            state.model.offersDemo = true
            #expect(state.picture().text.contains("Try the demo"))
            _ = state.press(.down)
            #expect(state.picture().text.contains("▸ Add a provider"), "\(columns)×\(rows)")
        }
    }
}
