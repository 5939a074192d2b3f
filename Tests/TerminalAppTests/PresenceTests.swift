import AuthModel
import Synchronization
import TerminalUI
import Testing

@testable import TerminalApp

/// The title of the terminal's window, and the notices on the desktop.
struct PresenceTests {
    private func state(_ sessions: [SessionSummary]) throws -> AppState {
        var state = try Given.sessions()
        state.model.sessions = sessions
        return state
    }

    private func notices(_ commands: [Command]) -> [String] {
        commands.compactMap { if case .notify(let text) = $0 { text } else { nil } }
    }

    private func notices(_ state: inout AppState, after seconds: Int) -> [String] {
        notices(TerminalAppRoot.update(&state, .ticked(Sample.now + .seconds(seconds))))
    }

    @Test func titleCountsTheSessionsThatNeedTheUser() throws {
        let good = try Sample.session("work/ada")
        let bad = try [("a", SessionState.needsSignIn), ("b", .revoked), ("c", .error)].map { try Sample.session("work/\($0)", $1) }
        #expect(TerminalAppRoot.title(in: try state([])) == "yett")
        #expect(TerminalAppRoot.title(in: try state([good])) == "yett")
        #expect(TerminalAppRoot.title(in: try state([good, bad[0]])) == "yett ▲1")
        #expect(TerminalAppRoot.title(in: try state([good] + bad)) == "yett ▲3")
        var plain = try state(bad)
        plain.model.glyphs = .ascii
        #expect(TerminalAppRoot.title(in: plain)?.allSatisfy(\.isASCII) == true)
    }

    @Test func sessionThatCannotBeRenewedIsAnnouncedOnceFiveMinutesBeforeItsEnd() throws {
        let ending = try Sample.session("work/ada", left: .seconds(600), renewable: false)
        let renewable = try Sample.session("work/grace", left: .seconds(600))
        var state = try state([ending, renewable])
        #expect(notices(&state, after: 0) == [])
        #expect(notices(&state, after: 299) == [])
        let first = notices(&state, after: 300)
        #expect(first.count == 1 && first.first?.hasPrefix("work/ada ends in 5 min") == true)
        #expect(notices(&state, after: 301) == [])
        #expect(notices(&state, after: 590) == [])
        // The user signed in again, so there is another end.
        state.model.sessions = [try Sample.session("work/ada", left: .seconds(1800), renewable: false)]
        #expect(notices(&state, after: 600) == [])
        #expect(notices(&state, after: 1560).count == 1)
        #expect(notices(&state, after: 1620) == [])
    }

    @Test func sessionWithLittleTimeAtTheStartIsNotAnnounced() throws {
        var state = try state([try Sample.session("work/ada", left: .seconds(200), renewable: false)])
        #expect(notices(&state, after: 0) == [])
        #expect(notices(&state, after: 100) == [])
        #expect(notices(&state, after: 300) == [], "the end itself")
    }

    @Test func sessionThatEndedWhileTheMachineSleptIsNotAnnounced() throws {
        var state = try state([try Sample.session("work/ada", left: .seconds(600), renewable: false)])
        #expect(notices(&state, after: 0) == [])
        #expect(notices(&state, after: 7200) == [])
    }

    @Test func signInIsAnnouncedOnlyBehindAnotherScreen() throws {
        var state = try #require(Given.everyScreen().map(\.state).first { $0.current.screen is SigningInScreen })
        let run = try #require((state.current.screen as? SigningInScreen)?.run)
        let end = Message.signInReported(run, .finished(.success(try Sample.session("work/ada"))), at: Sample.now)
        var behind = state
        behind.opened.append(OpenScreen(HomeScreen()))
        #expect(notices(TerminalAppRoot.update(&state, end)) == [])
        #expect(notices(TerminalAppRoot.update(&behind, end)) == ["Signed in: work/ada"])
    }

    @Test func noticeReachesTheEnvironment() async {
        let posted = Mutex<[String]>([])
        var environment = RecordingEnvironment().environment
        environment.notify = { text in posted.withLock { $0.append(text) } }
        await EffectRunner(service: InMemorySessionService(), environment: environment).perform(.notify("hello")) { _ in }
        #expect(posted.withLock { $0 } == ["hello"])
    }
}
