import ProcessHarness
import TestSupport
import Testing

/// `yett --plain` in a real terminal asks for the passphrase, does not show it, and opens the store with it.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct PlainPassphraseTests {
    private static let passphrase = "correct horse"

    @Test func passphraseIsChosenOnceAndAskedForAfterwards() async throws {
        let home = try TemporaryHome()
        try home.configure("[store]\nseal = \"passphrase\"\n")
        let terminal = try await TmuxTerminal(
            home, size: .init(100, 50), with: ["PATH": "\(Product.folder):/usr/bin:/bin", "YETT_NO_AGENT": "1"])

        try await terminal.enter("clear; yett --plain")
        try await terminal.wait { $0.lastLine == "Passphrase:" }
        try await terminal.enter(Self.passphrase)
        try await terminal.wait { $0.lastLine == "Repeat:" }
        try await terminal.enter(Self.passphrase)
        // The next key is read as a key: the program does not ask for the passphrase again while the store opens.
        try await terminal.wait { $0.shows("unlocked") && $0.lastLine == ">" }
        try await terminal.enter("q")
        let first = try await terminal.wait { $0.lastLine.hasPrefix(TmuxTerminal.prompt) }
        #expect(!first.shows("horse"))
        #expect(!first.shows("this input is no longer needed"))

        try await terminal.enter("clear; yett --plain")
        try await terminal.wait { $0.lastLine == "Passphrase:" }
        try await terminal.enter("wrong house")
        try await terminal.wait { $0.shows("Wrong passphrase for the store") && $0.lastLine == "Passphrase:" }
        try await terminal.enter(Self.passphrase)
        try await terminal.wait { $0.shows("unlocked") && $0.lastLine == ">" }
        try await terminal.enter("q")
        let second = try await terminal.wait { $0.lastLine.hasPrefix(TmuxTerminal.prompt) }
        #expect(!second.shows("house") && !second.shows("horse"))
    }
}

extension TerminalScreen {
    /// The last row that is not empty.
    fileprivate var lastLine: String { rows.last { !$0.isEmpty } ?? "" }
}
