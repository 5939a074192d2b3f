import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// Compares every screen, at common sizes, with `Golden/SCREEN.txt`.
///
/// If `YETT_RECORD` is set, the test writes the files instead and fails, so that a developer reviews what was recorded.
@Suite struct GoldenTests {
    static let sizes = [(80, 24), (100, 30), (120, 40), (200, 60), (40, 10)].map { Size(columns: $0.0, rows: $0.1) }
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let isRecording = ProcessInfo.processInfo.environment["YETT_RECORD"] != nil

    /// Returns the name of a screen's golden file, without its suffix.
    static func fileName(of name: String) -> String { name.replacing(",", with: "").replacing(" ", with: "-") }

    /// Fails if `everyScreen` does not show a registered screen: the screen then needs an example, or a state in the list.
    @Test func everyScreenHasAGoldenFile() throws {
        let pictured = Set(try Given.everyScreen().map { "\(type(of: $0.state.current.screen))" })
        #expect(pictured == Set(ScreenRegistry.screens.map { "\($0)" }))
    }

    @Test func everyScreenMatchesItsGoldenFile() throws {
        let screens = try Given.everyScreen()
        for (name, state) in screens {
            let file = Self.folder.appending(path: Self.fileName(of: name) + ".txt")
            let picture =
                Self.sizes.map { Self.section(state.picture($0), "\($0.columns)×\($0.rows)") }
                + [Self.section(state.picture(glyphs: .ascii), "80×24, ASCII"), "── line by line\n" + Self.lines(of: state) + "\n"]
            let text = picture.joined(separator: "\n")
            if Self.isRecording { try text.write(to: file, atomically: true, encoding: .utf8) }
            let expected = try String(contentsOf: file, encoding: .utf8)
            #expect(text == expected, "\(name)")
        }
        #expect(!Self.isRecording, "recorded: look at what changed, and run again without YETT_RECORD")
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(files.count == screens.count, "a file belongs to no screen")
    }

    /// The same screen as plain prompts, with the question at the end.
    private static func lines(of state: AppState) -> String {
        var state = state
        state.model.isPlain = true
        _ = state.take(.resized(PlainPage.size()))
        let page = PlainPage(state)
        let keys = page.keys.map { "\($0.name) \($0.label)" }.joined(separator: ", ")
        let notice = page.notice.map { ["", $0] } ?? []
        return ([page.title, ""] + page.lines + notice + ["", PlainWords.keys(keys), PlainRun.question(page.prompt)]).joined(
            separator: "\n")
    }

    private static func section(_ picture: ScreenBuffer, _ title: String) -> String {
        "── \(title)\n" + picture.text + "\n"
    }
}
