import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

/// Forgetting a session can be undone for ten seconds; nothing is removed before they are over.
@Suite struct ForgettingTests {
    private static func pending() throws -> AppState { Given.pressed(try Given.session(), .character("x"), .character("y")) }

    private static func tick(_ state: inout AppState, _ seconds: Int64) -> [Command] {
        state.take(.ticked(Sample.now + .seconds(seconds)))
    }

    @Test func nothingIsRemovedBeforeTheTimeIsUp() throws {
        var state = try Self.pending()
        let name = try Sample.name("work/ada@example.org")
        #expect(state.opened.isEmpty)
        #expect(TerminalAppRoot.nextTick(in: state) == .seconds(1))
        // The clock was not read for an hour; that hour does not count towards the ten seconds.
        #expect(Self.tick(&state, 3600) == [])
        #expect(Self.tick(&state, 3609) == [])
        #expect(state.picture().text.contains("forgetting work/ada@example.org in 1 s: press U to undo"))
        #expect(Self.tick(&state, 3610) == [.signOut(name, .localOnly)])
        #expect(Self.tick(&state, 3611) == [], "once")
        #expect(state.displayedNotice == nil)
    }

    @Test func undoKeepsTheSession() throws {
        var state = try Self.pending()
        _ = Self.tick(&state, 1)
        #expect(state.press(.character("U")) == [])
        #expect(state.notice?.text == "kept work/ada@example.org")
        #expect(Self.tick(&state, 100) == [])
        #expect(state.press(.character("U")) == [])
        #expect(state.notice?.text == ForgetWords.nothing)
    }

    @Test func forgettingFromTheSignOutScreenCanBeUndone() throws {
        var state = Given.pressed(try Given.session(), .character("o"), .down, .down)
        #expect(state.press(.enter) == [])
        #expect(state.model.forgetting.count == 1)
    }

    /// A user who quits expects that the session is gone, so the app says that it is not.
    @Test(arguments: [Key.character("q"), .control("c")])
    func quittingWarnsOnceThatTheSessionStays(key: Key) throws {
        var state = try Self.pending()
        #expect(state.press(key) == [])
        #expect(state.notice?.text.contains("is not forgotten yet, and is kept if you quit now") == true)
        #expect(state.press(key) == [.quit])
    }

    /// A closed terminal cannot ask; a pending forget is not done.
    @Test func closedTerminalForgetsNothing() throws {
        var state = try Self.pending()
        #expect(state.take(.terminated) == [.quit])
    }

    @Test func removedSessionIsNotForgottenAgain() throws {
        var state = try Self.pending()
        _ = Self.tick(&state, 1)
        _ = state.take(.serviceReported(.sessionsChanged([])))
        #expect(Self.tick(&state, 20) == [])
    }

    @Test func eachPendingForgetHasItsOwnTime() throws {
        var state = try Given.sessions()
        for _ in 0..<2 {
            for key in [Key.character("x"), .character("y")] { _ = state.press(key) }
            _ = Self.tick(&state, Int64(state.model.forgetting.count * 4))
            _ = state.press(.down)
        }
        #expect(state.model.forgetting.count == 2)
        #expect(state.picture().text.contains("and 1 more"))
        let first = try #require(state.model.forgetting.first?.name)
        #expect(Self.tick(&state, 14) == [.signOut(first, .localOnly)])
        #expect(state.model.forgetting.count == 1)
    }
}
