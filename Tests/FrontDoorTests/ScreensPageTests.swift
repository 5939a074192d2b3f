import AuthModel
import Foundation
import TerminalUI
import Testing

@testable import FrontDoor

/// The guide in the documentation shows screens as text: each of them is one that the app draws.
@Suite struct ScreensPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/FrontDoor/FrontDoor.docc/Screens.md").standardized

    /// What stands between fences, each block as lines.
    private static func blocks() throws -> [String] {
        let parts = try String(contentsOf: page, encoding: .utf8).split(separator: "```", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0].split(separator: "\n").joined(separator: "\n") }
    }

    private static func withoutBlankLines(_ text: String) -> String { text.split(separator: "\n").joined(separator: "\n") }

    @Test func everyPictureIsAScreenOfTheApp() throws {
        let pictures = Set(try Given.everyScreen().map { Self.withoutBlankLines($0.state.picture().text) })
        let blocks = try Self.blocks()
        #expect(blocks.count >= 8)
        for block in blocks {
            #expect(
                pictures.contains(block),
                "no screen looks like this any more; Tests/FrontDoorTests/Golden has what they look like:\n\(block)")
        }
    }

    /// A second that passes costs the cells of the countdown, and no more.
    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 200, rows: 60)])
    func aSecondChangesOnlyTheCountdown(size: Size) throws {
        for var state in [try Given.sessions(), try Given.session(), try Given.signingIn()] {
            _ = state.take(.resized(size))
            // Whatever stood still before the first tick.
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
