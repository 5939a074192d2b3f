import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp
@testable import TerminalAppModel

/// The title of the terminal's window.
struct PresenceTests {
    private func state(_ sessions: [SessionSummary]) throws -> AppState {
        var state = try Given.sessions()
        state.model.sessions = sessions
        return state
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
}
