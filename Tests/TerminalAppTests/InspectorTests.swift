import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// The tokens of a session in the inspector.
@Suite struct InspectorTests {
    private static func name() throws -> SessionName { try Sample.name("work/ada@example.org") }

    @Test func opensFromTheListAndFromTheSession() throws {
        var list = Given.loaded(sessions: [try Sample.session("work/ada@example.org")])
        #expect(try list.press(.character("i")) == [.loadTokens(Self.name())])
        var session = try Given.session()
        #expect(try session.press(.character("i")) == [.loadTokens(Self.name())])
        #expect(session.opened.count == 2)
    }

    @Test func showsClaimsAndVerification() throws {
        let text = try Given.inspector().picture(Size(columns: 100, rows: 50)).text
        for words in [
            "✓ verified with RS256, key 2011-04-29", "alg (algorithm)", "RS256", "iss (issuer)", "exp (expires)",
            "09:12, in 42 min", "amr (authentication methods)", "pwd, otp", "42 min 10 s left",
        ] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(Given.pressed(try Given.inspector(), .tab).picture().text.contains("! decoded only, not verified: it is meant for the API"))
    }

    @Test(arguments: [Size(columns: 60, rows: 20), Size(columns: 100, rows: 30), Size(columns: 140, rows: 40)])
    func numbersChooseTheToken(size: Size) throws {
        var state = try Given.inspector()
        for (key, kind) in [("2", TokenView.Kind.access), ("3", .refresh), ("1", .id), ("4", .id)] {
            _ = state.press(.character(Character(key)))
            #expect(state.current.as(InspectorScreen.self)?.token?.kind == kind)
            #expect(
                state.picture(size).text.contains(
                    "\(kind == .access ? 2 : kind == .refresh ? 3 : 1) \(Words.capitalized(Words.token(kind)))"))
        }
    }

    @Test func countdownRuns() throws {
        var state = try Given.inspector()
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1))
        _ = state.take(.ticked(Sample.now + .seconds(10)))
        #expect(state.picture().text.contains("42 min 00 s left"))
        _ = state.take(.ticked(Sample.now + .seconds(4000)))
        #expect(state.picture().text.contains("Expired 24 min ago; it only proved the sign-in."))
    }

    @Test(arguments: [(1, TokenRequest.Wanted.access), (0, .id)])
    func tokenIsShownForTenSecondsOnly(tabs: Int, wanted: TokenRequest.Wanted) throws {
        var state = try Given.inspector()
        for _ in 0..<tabs { _ = state.press(.tab) }
        #expect(try state.press(.character("v")) == [.showToken(Self.name(), wanted)])
        #expect(!state.picture().text.contains("secret-123"))
        _ = state.take(.tokenShown(try Self.name(), wanted, .success(Secret("secret-123")), at: Sample.now))
        #expect(state.picture().text.contains("secret-123"))
        #expect(!"\(state)".contains("secret-123"), "a dump of the state does not show it")
        _ = state.take(.ticked(Sample.now + .seconds(9)))
        #expect(state.picture().text.contains("It is masked in 1 s; press v to mask it now."))
        _ = state.take(.ticked(Sample.now + .seconds(10)))
        #expect(!state.picture().text.contains("secret-123"))
    }

    /// The same key, the next token and back mask it at once.
    @Test(arguments: [Key.character("v"), .tab, .left])
    func keysMaskTheTokenAtOnce(key: Key) throws {
        var state = Given.pressed(try Given.inspector(), .tab)
        _ = state.take(.tokenShown(try Self.name(), .access, .success(Secret("secret-123")), at: Sample.now))
        #expect(state.picture().text.contains("secret-123"))
        _ = state.press(key)
        #expect(!state.picture().text.contains("secret-123"))
    }

    /// The lock is told at once, and a renewal before it may end after it.
    @Test func tokenThatArrivesAfterALockIsNotShown() throws {
        var state = Given.pressed(try Given.inspector(), .tab, .character("v"))
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        _ = state.take(.tokenShown(try Self.name(), .access, .success(Secret("secret-123")), at: Sample.now))
        #expect(!state.picture().text.contains("secret-123"))
        _ = state.take(.serviceReported(.storeStateChanged(.unlocked)))
        #expect(!state.picture().text.contains("secret-123"))
    }

    @Test func lockHidesEverything() throws {
        var state = Given.pressed(try Given.inspector(), .tab)
        _ = state.take(.tokenShown(try Self.name(), .access, .success(Secret("secret-123")), at: Sample.now))
        _ = state.take(.serviceReported(.storeStateChanged(.locked(isNew: false))))
        for key in [nil, Key.escape] {
            if let key { _ = state.press(key) }
            let text = state.picture().text
            #expect(!text.contains("secret-123"))
            #expect(!text.contains("eyJ"))
            #expect(text.contains(key == nil ? LockWords.heading : "The claims are sealed."))
        }
    }

    @Test func refreshTokenIsNeverShown() throws {
        var state = Given.pressed(try Given.inspector(), .backTab)
        #expect(state.press(.character("v")) == [])
        #expect(state.notice?.text == InspectorWords.refreshTokenNotShown)
    }

    /// A token that arrives late is not shown under the name of another token.
    @Test func lateTokenIsNotShown() throws {
        var state = Given.pressed(try Given.inspector(), .tab, .character("v"), .tab)
        _ = state.take(.tokenShown(try Self.name(), .access, .success(Secret("secret-123")), at: Sample.now))
        #expect(!state.picture().text.contains("secret-123"))
        _ = state.press(.left)
        #expect(!state.picture().text.contains("secret-123"))
    }

    @Test func readErrorIsShown() throws {
        var state = Given.pressed(try Given.session(), .character("i"))
        let failure = AuthFailure(.configuration, text: "the store is damaged", hint: "run: yett doctor")
        _ = state.take(.tokensLoaded(try Self.name(), .failure(failure)))
        #expect(state.picture().text.contains("The store is damaged."))
        #expect(state.picture().text.contains("Run: yett doctor."))
    }
}
