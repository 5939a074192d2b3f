import AuthModel
import Foundation
import TerminalUI
import Testing

@testable import TerminalApp

/// The screens in the documentation are those of the golden files: a comment before each block names the file and the size.
///
/// If `YETT_RECORD` is set, the test writes the blocks and fails, so that a developer reviews what was recorded.
@Suite struct ScreensPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources/TerminalApp/TerminalApp.docc/Screens.md"
    ).standardized
    private static let sizes = ["80×24": Size(columns: 80, rows: 24), "120×40": Size(columns: 120, rows: 40)]
    private static let isRecording = ProcessInfo.processInfo.environment["YETT_RECORD"] != nil

    /// Returns a page with its screens drawn anew, and the number of its blocks.
    private static func drawn(_ page: String) throws -> (text: String, blocks: Int) {
        var screens: [String: AppState] = [:]
        for (name, state) in try Given.everyScreen() { screens[GoldenTests.fileName(of: name)] = state }
        var parts = page.components(separatedBy: "```\n")
        for index in stride(from: 1, to: parts.count, by: 2) {
            let comment = try #require(parts[index - 1].split(separator: "\n").last, "a block has no name")
            let words = comment.trimmingPrefix("<!-- ").replacing(" -->", with: "").components(separatedBy: ", ")
            let state = try #require(screens[words[0]], "\(comment) names no screen")
            let size = try #require(words.last.flatMap { sizes[$0] }, "\(comment) has no size")
            parts[index] = state.picture(size).text.split(separator: "\n").joined(separator: "\n") + "\n"
        }
        return (parts.joined(separator: "```\n"), parts.count / 2)
    }

    @Test func everyDocumentedScreenIsDrawnByTheApp() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let (drawn, blocks) = try Self.drawn(text)
        #expect(blocks >= 13)
        if Self.isRecording { try drawn.write(to: Self.page, atomically: true, encoding: .utf8) }
        #expect(!Self.isRecording, "recorded: look at what changed, and run again without YETT_RECORD")
        for (line, expected) in zip(text.split(separator: "\n"), drawn.split(separator: "\n")) where line != expected {
            Issue.record("a screen looks different today:\n\(line)\n\(expected)")
            break
        }
        #expect(text == drawn)
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
