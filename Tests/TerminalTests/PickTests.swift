import ProcessHarness
import Testing

/// `yett pick` in a terminal, with its standard output in a pipe.
@Suite(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct PickTests {
    @Test func chosenSessionIsPrintedAndTheScreenIsClean() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        let home = try TemporaryHome()
        try home.configure("[store]\nseal = \"key-file\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        let shell = try await TmuxTerminal(
            home, size: .init(60, 16),
            with: [
                "PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": Browser.following, "DISPLAY": ":0",
                "YETT_NO_AGENT": "1",
            ])
        #expect(try await shell.run("yett login sandbox 2>/dev/null >/dev/null; echo status=$?") == ["status=0"])
        // A narrower terminal wraps the line.
        let before = try await shell.run("stty -g").joined()

        try await shell.enter("clear; name=$(yett pick --print); echo \"chose=$name status=$?.\"")
        try await shell.wait { $0.shows("Session:") && $0.shows("sandbox/ada") && !$0.isAlternate }
        try await shell.type("ada")
        try await shell.wait { $0.shows("Session: ada") }
        try await shell.press("Enter")
        let screen = try await shell.wait { $0.shows("chose=sandbox/ada status=0.") }
        #expect(!screen.shows("Session:"))

        try await shell.enter("clear; name=$(yett pick --print 2>/dev/null); echo \"chose=$name status=$?.\"")
        try await shell.wait { $0.shows("Session:") }
        try await shell.resize(to: .init(40, 8))
        try await shell.wait { $0.shows("Session:") && $0.shows("sandbox/ada") }
        try await shell.press("C-c")
        let cancelled = try await shell.wait { $0.shows("chose= status=3.") }
        #expect(!cancelled.shows("Session:"))
        #expect(try await shell.run("stty -g").joined() == before)

        // Without a terminal there is nothing to draw on.
        let message = try await shell.run("setsid -w yett pick --print 2>&1 </dev/null | head -n 1")
        #expect(message == ["yett: error: yett pick needs a terminal"])
    }
}
