import AuthModel
import Testing

@testable import CommandLineTool

/// `yett status --prompt`.
struct PromptLineTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private func session(_ name: String, left: Int?, renews: Bool = true, state: SessionState = .signedIn) throws -> SessionSummary {
        SessionSummary(
            name: try #require(SessionName(name)), issuer: nil, subject: nil, recordedState: state,
            accessExpiresAt: left.map { Self.now + .seconds($0) }, refreshExpiresAt: nil, isRenewable: renews, scopes: ScopeSet([]),
            grantedAt: Self.now, receivedAt: Self.now)
    }

    private func line(_ sessions: [SessionSummary], unicode: Bool = true) -> String? {
        PromptLine(sessions, at: Self.now, showsUnicode: unicode).text
    }

    @Test func nothingIsPrintedWithoutSessions() {
        #expect(line([]) == nil)
    }

    @Test(
        arguments: [(nil, "work"), (59, "work 59s"), (60, "work 1m"), (3600, "work 1h"), (172_800, "work 2d"), (-5, "work")]
            as [(Int?, String)])
    func oneSessionHasItsTime(left: Int?, text: String) throws {
        #expect(line([try session("work", left: left)]) == text)
    }

    @Test func sessionsThatRenewNeedNothing() throws {
        #expect(line([try session("work", left: -10), try session("lab", left: 10)]) == "2 ok")
    }

    @Test func sessionsThatEndSoonestAreNamed() throws {
        let sessions = [
            try session("work", left: 299, renews: false), try session("lab", left: 30, renews: false), try session("home", left: 9000),
        ]
        #expect(line(sessions) == "▲2 lab 30s")
        #expect(line(sessions, unicode: false) == "!2 lab 30s")
        #expect(line([try session("work", left: 300, renews: false), sessions[2]]) == "2 ok")
    }

    @Test(arguments: [SessionState.needsSignIn, .revoked, .error])
    func endedSessionsNeedTheUser(state: SessionState) throws {
        #expect(line([try session("work", left: 3600, state: state)]) == "▲1 work ended")
    }
}
