import AuthModel
import Foundation
import TerminalUI
import Testing

@testable import TerminalApp

/// The screens in the documentation are screens that the app draws.
@Suite struct ScreensPageTests {
    /// Returns the fenced blocks that are screens.
    private static func blocks(of page: String) throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").appending(path: page).standardized
        let parts = try String(contentsOf: file, encoding: .utf8).split(separator: "```", omittingEmptySubsequences: false)
        let blocks = stride(from: 1, to: parts.count, by: 2).map { parts[$0].split(separator: "\n").joined(separator: "\n") }
        return blocks.filter { $0.hasPrefix(" yett ›") }
    }

    private static func withoutBlankLines(_ text: String) -> String { text.split(separator: "\n").joined(separator: "\n") }

    @Test(arguments: [("Sources/TerminalApp/TerminalApp.docc/Screens.md", 13)])
    func everyDocumentedScreenIsDrawnByTheApp(page: String, count: Int) throws {
        let sizes = [Size(columns: 80, rows: 24), Size(columns: 100, rows: 30), Size(columns: 120, rows: 40)]
        let screens = try Given.everyScreen()
        let pictures = Set(sizes.flatMap { size in screens.map { Self.withoutBlankLines($0.state.picture(size).text) } })
        let blocks = try Self.blocks(of: page)
        #expect(blocks.count >= count)
        for block in blocks {
            #expect(
                pictures.contains(block),
                "no screen looks like this any more; Tests/TerminalAppTests/Golden has what they look like:\n\(block)")
        }
    }

    /// One second changes only the cells of the countdown.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 200, rows: 60)])
    func oneSecondChangesOnlyTheCountdown(size: Size) throws {
        for var state in [try Given.sessions(), try Given.session(), try Given.signingIn()] {
            _ = state.take(.resized(size))
            // Everything that did not change before the first tick.
            _ = state.take(.ticked(Sample.now + .seconds(13)))
            let before = state.picture()
            _ = state.take(.ticked(Sample.now + .seconds(14)))
            let changes = ScreenChanges(from: before, to: state.picture(), theme: .uncoloured)
            let cells = changes.runs.reduce(0) { $0 + $1.cells.count }
            #expect(cells > 0)
            #expect(cells <= 40, "\(cells) cells")
        }
    }
}
