import ProcessHarness
import TestSupport
import Testing

/// Settings in the built program, checked down to the bytes of the file.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct SettingsTests {
    @Test func themeIsPreviewedAndThenSavedToTheFile() async throws {
        let app = try await AppTerminal(size: .init(100, 30))
        let before = try #require(app.home.read("config/yett/config.toml"))
        try await app.start()
        let first = try await app.terminal.screen()
        try await app.terminal.press(",")
        try await app.terminal.wait { $0.shows("Settings") && $0.shows("Guest prompt") }
        try await app.terminal.press("Enter")
        try await app.terminal.press("Down")
        let preview = try await app.terminal.wait { $0.styledHeader != first.styledHeader && $0.shows("Esc cancel") }
        #expect(app.home.read("config/yett/config.toml") == before, "looking writes nothing")
        try await app.terminal.press("Escape")
        try await app.terminal.wait { $0.styledHeader != preview.styledHeader && $0.shows("Guest prompt") }
        try await app.terminal.press("Enter")
        try await app.terminal.press("Down")
        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "saved: Theme")
        let after = String(decoding: try #require(app.home.read("config/yett/config.toml")), as: UTF8.self)
        #expect(after.hasPrefix(String(decoding: before, as: UTF8.self)))
        #expect(after.contains("[ui]\ntheme = \""))
        try await app.terminal.press("q")
        #expect(try await app.ended() == "0")
    }
}
