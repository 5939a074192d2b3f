import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// `yett status --watch`, on a terminal and in a pipe.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct StatusWatchTests {
    private let sandbox: SandboxProvider
    private let home: TemporaryHome

    init() async throws {
        // The last ten minutes are shown in seconds.
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "300"])
        home = try TemporaryHome()
        try home.configure("[store]\nseal = \"key-file\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        let login = try await home.yett("login", "sandbox", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")
    }

    @Test func tableCountsDownInItsPlace() async throws {
        let shell = try await TmuxTerminal(
            home, size: .init(70, 12), with: ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"])
        try await shell.enter("clear; yett status --watch")
        let first = try await shell.wait { $0.shows("sandbox/ada") && $0.shows("signed in") }
        let row = try #require(first.rows.first { $0.contains("sandbox/ada") })
        // The same row with another time, and no second one.
        let second = try await shell.wait { screen in
            screen.rows.contains { $0.contains("sandbox/ada") && $0 != row }
        }
        #expect(second.rows.count { $0.contains("sandbox/ada") } == 1)
        _ = try await home.yett("logout", "sandbox", "--local")
        try await shell.wait { $0.shows("not signed in") && !$0.shows("sandbox/ada") }
        try await shell.press("C-c")
        // The kernel discards what is typed before it has sent the signal.
        try await shell.wait { $0.shows(TmuxTerminal.prompt) }
        #expect(try await shell.run("echo $((6 * 7))") == ["42"])
        _ = try await home.yett("agent", "stop")
    }

    private func sessionStart() async throws -> Timestamp {
        let status = try await home.yett("status", "--json")
        let session = try #require(try JSONValue(strict: Array(status.output.utf8))["sessions"]?.array?.first)
        return try #require(session["granted_at"]?.string.flatMap { Timestamp($0) })
    }

    @Test func eachChangeIsOneLineOfJSON() async throws {
        let watch = try home.program("yett-main", ["status", "--watch", "--json"]).start()
        try await watch.until { $0.output.contains("\n") }
        // The lines have whole seconds: in the second of the sign-in, the renewed session would look as before.
        let start = try await sessionStart()
        try await eventually("the clock stands still") { time(nil) > start.seconds }
        #expect(try await home.yett("renew", "sandbox").status == 0)
        try await watch.until { $0.output.split(separator: "\n").count >= 2 }
        #expect(try await home.yett("logout", "sandbox", "--local").status == 0)
        try await watch.until { $0.output.hasSuffix("\"sessions\":[]}\n") }
        watch.signal(2)
        let lines = await watch.finish().output.split(separator: "\n")
        for line in lines { #expect(try JSONValue(strict: Array(line.utf8))["version"] == 1) }
        #expect(Set(lines).count == lines.count, "no line is repeated: \(lines)")
        _ = try await home.yett("agent", "stop")
    }
}
