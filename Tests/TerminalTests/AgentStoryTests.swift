import ProcessHarness
import TestSupport
import Testing

/// One agent with two clients: the app in one terminal, commands in the other.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct AgentStoryTests {
    private static let passphrase = "correct horse"

    @Test func twoTerminalsShareOneAgent() async throws {
        // A token that lasts one minute is renewed after half of it.
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "60"])
        let home = try TemporaryHome()
        try home.configure("[store]\nseal = \"passphrase\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        let file = try home.write(Self.passphrase + "\n", to: "passphrase")
        let path: [String: String?] = ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"]
        let app = try await TmuxTerminal(home, size: .init(120, 30), with: path)
        let shell = try await TmuxTerminal(
            home, size: .init(100, 30),
            with: path.merging(["BROWSER": Browser.following, "DISPLAY": ":0", "YETT_PASSPHRASE_FILE": file]) { $1 })

        // The sign-in in one terminal starts the agent. The app in the other terminal finds the agent unlocked and sees the session.
        #expect(try await shell.run("yett login sandbox 2>/dev/null; echo status=$?").last == "status=0")
        try await app.enter("clear; yett")
        try await app.wait { $0.isAlternate && $0.shows("sandbox/ada") && $0.shows("signed in") }

        // The automatic renewal is visible in the app.
        try await app.press("a")
        try await app.wait(for: "Activity")
        try await app.wait(for: "renewed", within: .seconds(300))

        // A token is issued in one terminal; the app shows which program used it.
        #expect(try await shell.run("yett token sandbox >token; echo status=$?") == ["status=0"])
        try await app.wait(for: "issued to")
        let token = String(decoding: try #require(home.read("token")), as: UTF8.self).filter { !$0.isNewline }
        #expect(token.count > 20)
        #expect(!(try await app.screen()).shows(token))

        // The app sees the lock from the shell, and unlocks the store for both.
        #expect(try await shell.run("unset YETT_PASSPHRASE_FILE; yett agent lock 2>/dev/null; echo status=$?") == ["status=0"])
        try await app.press("Escape")
        try await app.wait { $0.showsWord("locked") }
        #expect(try await shell.run("yett token sandbox </dev/null 2>&1 >/dev/null | head -n 1") == ["yett: error: the store is locked"])
        #expect(try await shell.run("yett status </dev/null | grep -c sandbox/ada") == ["1"])
        try await app.press("L")
        try await app.type(Self.passphrase)
        try await app.press("Enter")
        try await app.wait(for: "unlocked")
        #expect(try await shell.run("yett token sandbox >token; echo status=$?") == ["status=0"])

        // L locks the store again, for both.
        try await app.wait { $0.shows("sandbox/ada") }
        try await app.press("L")
        try await app.wait(for: "keys are wiped from memory")
        #expect(try await shell.run("yett token sandbox </dev/null >token 2>/dev/null; echo status=$?") == ["status=2"])

        try await app.press("q")
        try await app.wait { !$0.isAlternate && $0.foregroundProgram == "bash" }
        // The agent keeps running, and so does its activity log.
        // Both uses are one entry if they are within a minute.
        let uses = try await shell.run("yett activity | grep -c 'issued to'").last.flatMap { Int($0) }
        #expect(uses == 1 || uses == 2)
        #expect(try await shell.run("yett agent stop 2>/dev/null; echo status=$?") == ["status=0"])
    }
}
