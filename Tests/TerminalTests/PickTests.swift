import ProcessHarness
import TestSupport
import Testing

/// `yett pick` in a terminal, with its standard output in a pipe.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
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

        // Text without a line end stays, and a line without the token is printed.
        try await shell.enter("clear; printf kept; line=$(yett pick); echo \"line=$line.\"")
        try await shell.wait { $0.shows("kept") && $0.shows("Session:") && $0.shows("^Y copy token") }
        try await shell.press("C-e")
        let exported = try await shell.wait { $0.shows("line=export ACCESS_TOKEN=") }
        #expect(exported.shows("kept") && !exported.shows("Session:"))
        try await shell.resize(to: .init(80, 16))
        // tmux passes a new size on a moment later.
        try await eventually("the terminal keeps its size") { try await shell.run("stty size") == ["16 80"] }
        try await shell.enter("clear; yett pick 2>&1 | sed s/^/note:/")
        try await shell.wait { $0.shows("Session:") }
        try await shell.press("C-y")
        let copied = try await shell.wait { $0.shows("copied the token of sandbox/ada; press any key") }
        #expect(!copied.shows("Session:") && !copied.shows("note:"))
        try await shell.press("x")
        let cleared = try await shell.wait { $0.shows("note:copied the token of sandbox/ada, and cleared the clipboard") }
        #expect(!cleared.shows("press any key"))

        // Without a terminal there is nothing to draw on.
        let message = try await shell.run("setsid -w yett pick --print 2>&1 </dev/null | head -n 1")
        #expect(message == ["yett: error: yett pick needs a terminal"])
    }

    /// The list of roles is kept. A role that an administrator gives meanwhile is in the next one.
    @Test func roleIsPickedFromANewList() async throws {
        let world = try await VendorTerminal("aws-sso")
        let shell = world.terminal
        #expect(try await shell.run("DISPLAY=:0 yett login aws-sso 2>/dev/null >/dev/null; echo status=$?") == ["status=0"])
        try await world.vendor.turn("{\"removed_roles\": [\"000000000001/ReadOnlyAccess\"]}")
        try await shell.enter("clear; role=$(yett pick --aws); echo \"role=$role.\"")
        try await shell.wait { $0.shows("Role:") && $0.shows("5/5") && $0.shows("staging/ReadOnlyAccess") }
        try await world.vendor.turn("{\"removed_roles\": []}")
        try await shell.press("C-r")
        try await shell.wait { $0.shows("6/6") && $0.shows("production/ReadOnlyAccess") }
        try await shell.type("0001 read")
        try await shell.wait { $0.shows("1/6") }
        try await shell.press("Enter")
        let screen = try await shell.wait { $0.shows("role=000000000001/ReadOnlyAccess.") }
        #expect(!screen.shows("Role:"))
    }
}
