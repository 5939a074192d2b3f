import AuthModel
import TerminalUI
import TestSupport
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
            var turns: Set<Int> = []
            for step in 0..<min(60, count - 1) {
                let before = state.home.as(SessionsScreen.self)?.top
                _ = state.press(.character("j"))
                if state.home.as(SessionsScreen.self)?.top != before { turns.insert(step) }
                buffers.append(state.picture())
            }
            let frames = try await TerminalBytes.frames(of: buffers, theme: ShippedThemes.theme("gate"), depth: .trueColor)
            try #require(frames.count == buffers.count)
            let costs = frames.dropFirst().map(\.count)
            #expect(costs.enumerated().allSatisfy { turns.contains($0.offset) || $0.element <= 2048 }, "\(costs)")
            // Another page is other text: without any colour it has up to 1.7 kilobytes.
            #expect(costs.allSatisfy { $0 <= 3072 }, "\(costs)")
            #expect(turns.count <= 6, "each turn of the page is half a page")
        }

        /// After any other screen, the changes lead to the same picture as the whole screen.
        @Test(arguments: [ColorDepth.trueColor, .indexed256, .ansi16])
        func changesShowTheSameAsTheWholeScreen(depth: ColorDepth) async throws {
            let theme = try ShippedThemes.theme("gate")
            let pictures = try Given.everyScreen().map { ($0.name, $0.state.picture(Size(columns: 80, rows: 24))) }
            for (before, (name, picture)) in zip(pictures, pictures.dropFirst()) {
                let whole = try await TerminalBytes.shown(picture, theme: theme, depth: depth)
                let changed = try await TerminalBytes.shown(picture, after: [before.1], theme: theme, depth: depth)
                for (row, cells) in whole.rows.enumerated() {
                    for (column, cell) in cells.enumerated() {
                        let other = changed.rows[row][column]
                        #expect(cell.text == other.text && cell.link == other.link, "\(name): row \(row), column \(column)")
                        #expect(cell.face.background == other.face.background, "\(name): row \(row), column \(column)")
                        // A space looks the same in every colour of text.
                        #expect(cell.text == " " || cell.face == other.face, "\(name): row \(row), column \(column)")
                    }
                }
            }
        }
    }
}
