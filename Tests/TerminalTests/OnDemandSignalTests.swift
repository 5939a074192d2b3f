import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// A command that ends while its sign-in waits for the browser ends the sign-in too.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct OnDemandSignalTests {
    private func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    /// The exit status is the one that the shell sees.
    @Test(
        arguments: [
            ("exec sandbox -- true", SIGTERM, "143"), ("exec sandbox -- true", SIGHUP, "129"),
            ("exec sandbox -- true", SIGKILL, "137"),
            ("token sandbox", SIGTERM, "143"), ("token sandbox", SIGHUP, "129"), ("token sandbox", SIGINT, "3"),
            ("token sandbox", SIGKILL, "137"),
            ("helper kubectl sandbox", SIGTERM, "143"), ("helper kubectl sandbox", SIGINT, "3"),
            ("helper kubectl sandbox", SIGKILL, "137"),
        ] as [(String, Int32, String)])
    func signInEndsWithItsCommand(arguments: String, number: Int32, status: String) async throws {
        let world = try await OnDemandHome()
        let terminal = try await world.terminal(browser: try world.browser(":"))
        try await terminal.enter("clear; sh -c 'echo $$ >command; exec yett \(arguments) >answer'; echo status=$?.")
        try await eventually("no browser was opened") { world.signIns.count == 1 && !world.text("page").isEmpty }
        let signIn = try #require(world.signIns.first)
        let command = try #require(pid_t(world.text("command").dropLast()))
        #expect(command != signIn && isRunning(signIn))
        #expect(kill(command, number) == 0)
        try await terminal.wait(for: "status=\(status).")
        try await eventually("the sign-in is still running") { !isRunning(signIn) }
        #expect(world.text("answer").isEmpty)
        // The agent no longer waits for the browser, and the next command may sign in.
        try await expectClosedPort(world)
        try await terminal.enter("clear; BROWSER=\(Browser.following) yett token sandbox >answer; echo status=$?.")
        try await terminal.wait(for: "status=0.")
        #expect(world.text("answer").count > 20)
        try await world.stopAgent()
    }

    /// Ctrl-C reaches the command and its sign-in. A shell drops the rest of a line whose command SIGINT ended.
    @Test(arguments: [("exec sandbox -- true", "130"), ("token sandbox", "3")])
    func controlCEndsBoth(arguments: String, status: String) async throws {
        let world = try await OnDemandHome()
        let terminal = try await world.terminal(browser: try world.browser(":"))
        try await terminal.enter("clear; yett \(arguments) >answer")
        try await eventually("no browser was opened") { world.signIns.count == 1 }
        let signIn = try #require(world.signIns.first)
        try await terminal.press("C-c")
        try await eventually("the sign-in is still running") { !isRunning(signIn) }
        try await terminal.wait { $0.foregroundProgram == "bash" }
        try await terminal.enter("echo the status is $?.")
        try await terminal.wait(for: "the status is \(status).")
        try await world.stopAgent()
    }

    /// Waits until the callback address in the page's URL accepts no connection.
    private func expectClosedPort(_ world: OnDemandHome) async throws {
        let page = world.text("page")
        let address = page.split(separator: "redirect_uri=").last?.prefix { $0 != "&" } ?? ""
        let port = address.split(separator: "%3A").last?.prefix { $0.isNumber } ?? ""
        try #require(port.count >= 4, "\(page)")
        let script = "exec 9<>/dev/tcp/127.0.0.1/\(port)"
        try await eventually("the port of the sign-in is still open") {
            try await Program("/bin/bash", ["-c", script], environment: [:]).run().status != 0
        }
    }
}
