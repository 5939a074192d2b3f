import Foundation
import FoundationXML
import TerminalUI
import TestSupport
import Testing

@testable import TerminalApp

/// The pictures of the documentation are what a terminal shows, drawn from the bytes that the backend writes to it.
///
/// If `YETT_RECORD` is set, the test writes the pictures and fails, so that a developer reviews what was recorded.
@Suite(.serialized) struct PicturesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let folder = root.appending(path: "Sources/TerminalApp/TerminalApp.docc/Resources")
    private static let isRecording = ProcessInfo.processInfo.environment["YETT_RECORD"] != nil

    /// A picture of one screen in the default theme.
    private struct Scene {
        let name: String
        let title: String
        let state: AppState
        let size: Size
    }

    private static func scenes() throws -> [Scene] {
        let (small, middle, large) = (Size(columns: 80, rows: 24), Size(columns: 100, rows: 30), Size(columns: 120, rows: 40))
        // The sessions of the demo, so that everybody can see them on their own terminal.
        func demo(_ size: Size) throws -> AppState { try Given.demo(size: size, opening: "cluster/ada") }
        return [
            Scene(name: "home", title: "Home", state: try Given.firstRun(), size: small),
            Scene(name: "sessions", title: "The sessions", state: try demo(small), size: small),
            Scene(name: "split-view", title: "The sessions beside the details of one", state: try demo(large), size: large),
            Scene(name: "signing-in", title: "A sign-in that waits for the browser", state: try Given.signingIn(), size: small),
            Scene(name: "timeline", title: "The timeline", state: Given.pressed(try demo(middle), .character("T")), size: middle),
            Scene(name: "inspector", title: "The claims of a token", state: try Given.inspector(), size: middle),
            Scene(name: "palette", title: "The command palette", state: Given.pressed(try demo(small), .character(":")), size: small),
        ]
    }

    /// Returns what the terminal shows, after checking that it is what the app drew.
    private static func shown(_ state: AppState, _ size: Size, theme: Theme, depth: ColorDepth) async throws -> EmulatedTerminal {
        let buffer = state.picture(size, theme: theme)
        let terminal = try await TerminalBytes.shown(buffer, theme: theme, depth: depth)
        for (row, cells) in terminal.rows.enumerated() {
            for (column, cell) in cells.enumerated() {
                let drawn = try #require(buffer.cell(at: Point(column: column, row: row)))
                var face = theme.face(for: drawn.style, depth: depth)
                face.foreground = sent(face.foreground)
                face.background = sent(face.background)
                let isBlank = cell.text == " "
                try #require(
                    cell.text == drawn.text && cell.face.background == face.background
                        && (isBlank || cell.face.foreground == face.foreground && cell.face.attributes == face.attributes),
                    "row \(row), column \(column): \(cell) instead of \(drawn.text) in \(face)")
            }
        }
        return terminal
    }

    /// The number of 24-bit black is that of ANSI black, so the backend sends the darkest grey.
    private static func sent(_ color: Face.Value?) -> Face.Value? {
        color == .direct(Color(red: 0, green: 0, blue: 0)) ? .direct(Color(red: 1, green: 1, blue: 1)) : color
    }

    private static func compare(_ picture: ScreenPicture, with name: String) throws {
        let file = folder.appending(path: name + ".svg")
        let svg = picture.svg
        if isRecording {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try svg.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == svg, "\(name).svg is old: record it with YETT_RECORD=1")
        #expect(svg.utf8.count < 60_000, "\(name).svg has \(svg.utf8.count) bytes")
        #expect(XMLParser(data: Data(svg.utf8)).parse(), "\(name).svg")
        #expect(!isRecording, "recorded: look at what changed, and run again without YETT_RECORD")
    }

    @Test func everyPictureShowsWhatATerminalShows() async throws {
        let theme = try ShippedThemes.theme(ShippedThemes.names[0])
        for scene in try Self.scenes() {
            var picture = ScreenPicture(title: scene.title)
            picture.add(try await Self.shown(scene.state, scene.size, theme: theme, depth: .trueColor))
            try Self.compare(picture, with: scene.name)
        }
        for (name, depth) in [("themes", ColorDepth.trueColor), ("themes-256", .indexed256)] {
            try Self.compare(try await Self.tiles(depth), with: name)
        }
    }

    /// Returns a picture of the sessions in all themes, three in a row.
    private static func tiles(_ depth: ColorDepth) async throws -> ScreenPicture {
        let size = Size(columns: 48, rows: 12)
        let count = depth == .trueColor ? "24-bit colours" : "256 colours"
        var picture = ScreenPicture(title: "The themes with \(count): \(ShippedThemes.names.joined(separator: ", "))")
        for (index, name) in ShippedThemes.names.enumerated() {
            let terminal = try await shown(try Given.demo(), size, theme: try ShippedThemes.theme(name), depth: depth)
            picture.add(terminal, column: index % 3 * (size.columns + 1), row: index / 3 * (size.rows + 1))
        }
        return picture
    }

    /// Every picture is shown in the documentation, and every picture in the documentation exists.
    @Test func theDocumentationShowsEveryPicture() throws {
        let resources = "Sources/TerminalApp/TerminalApp.docc/Resources/"
        var used: Set<String> = []
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        for match in readme.matches(of: /!\[[^\]]+\]\(([^)]+\.svg)\)/) {
            #expect(match.1.hasPrefix(resources), "\(match.1)")
            used.insert(String(match.1.dropFirst(resources.count)))
        }
        #expect(used.count == 1)
        let guide = try String(contentsOf: Self.folder.appending(path: "../Screens.md"), encoding: .utf8)
        used.formUnion(guide.matches(of: /!\[[^\]]+\]\((?:Resources\/)?([^)\/]+\.svg)\)/).map { String($0.1) })
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == used)
        #expect(files.count >= 8)
    }

    @Test func noPictureHasAPathOrATimeOfThisMachine() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) {
            let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            for word in [NSHomeDirectory(), Self.root.path, NSTemporaryDirectory(), "/root", "/tmp"] where word.count > 1 {
                #expect(!text.contains(word), "\(name): \(word)")
            }
            // The clock of the examples is fixed.
            for match in text.matches(of: /20\d\d-\d\d-\d\d/) {
                #expect(match.0.hasPrefix("2026-11-2") || ["2026-11-18", "2011-04-29"].contains(match.0))
            }
        }
    }
}
