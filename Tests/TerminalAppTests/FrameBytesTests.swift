import AuthModel
import TerminalUI
import TerminalUITesting
import Testing

@testable import TerminalApp

// One terminal at a time can be open in a process: both suites open one.
extension PicturesTests {
    /// A key writes what it changes, and no more: a far terminal shows it at once.
    @Suite struct FrameBytesTests {
        /// Moving the selection by one row, in short and long lists, on the largest of the usual terminals. Only turning the page draws
        /// the list again, after every half of a page.
        @Test(arguments: [12, 37, 1008], [Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
        func movingTheSelectionWritesLittle(count: Int, size: Size) async throws {
            let accounts = ["ada", "grace@example.org", "ci-deploy-bot", "marie"]
            let states: [SessionState] = [.signedIn, .signedIn, .signedIn, .guest, .needsSignIn]
            let sessions = try (0..<count).map { number in
                try Sample.session(
                    "provider\(number % 8)/\(accounts[number % accounts.count])\(number)", states[number % states.count],
                    left: .seconds(30 + Int64(number) * 97 % 80_000), renewable: number % 3 > 0,
                    used: ("git", .seconds(180 + Int64(number))))
            }
            var state = Given.loaded(providers: try (0..<8).map { try Sample.provider("provider\($0)") }, sessions: sessions, size: size)
            var buffers = [state.picture()]
            var turns = 0
            for _ in 0..<min(60, count - 1) {
                let before = state.home.as(SessionsScreen.self)?.top
                _ = state.press(.character("j"))
                let isTurned = state.home.as(SessionsScreen.self)?.top != before
                turns += isTurned ? 1 : 0
                buffers.append(state.picture())
            }
            let frames = try await TerminalBytes.frames(of: buffers, theme: ShippedThemes.theme("gate"), depth: .trueColor)
            try #require(frames.count == buffers.count)
            let costs = frames.dropFirst().map(\.count).sorted()
            let moves = costs.dropLast(turns)
            #expect(moves[moves.count / 2] <= 2048, "\(costs)")
            // The details of a session in another state differ more.
            #expect(moves.last ?? 0 <= 3072, "\(costs)")
            #expect(turns <= 6, "each turn of the page is half a page")
        }
    }
}
