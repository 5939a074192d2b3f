import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// `sign_in = "on-demand"` in a real terminal, with the built programs and a running agent.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct OnDemandTerminalTests {
    /// Programs that one job runs at the same time open one browser window.
    @Test func programsThatWaitShareOneSignIn() async throws {
        let world = try await OnDemandHome()
        // The browser goes on only when the test says so.
        let gate = world.home.path + "/gate"
        #expect(mkfifo(gate, 0o600) == 0)
        let terminal = try await world.terminal(browser: try world.browser("read <gate; exec \(Browser.following) \"$1\""))
        let commands = ["helper kubectl sandbox --access-token", "token sandbox", "exec sandbox -- printenv ACCESS_TOKEN"]
        let script = commands.enumerated().map { "yett \($1) >answer\($0) 2>errors\($0) & " }.joined() + "wait"
        try await terminal.enter("clear; bash -c '\(script)'; echo finished=$?.")
        try await eventually("not every program needs the sign-in") {
            !world.signIns.isEmpty && (0..<3).allSatisfy { world.text("errors\($0)").contains("you must sign in") }
        }
        let opened = open(gate, O_WRONLY)
        #expect(opened >= 0 && write(opened, "\n", 1) == 1)
        close(opened)
        try await terminal.wait(for: "finished=0.")
        let token = world.text("answer1").dropLast()
        #expect(token.count > 20 && world.text("answer2").dropLast() == token, "\(world.text("errors2"))")
        #expect(try JSONValue(strict: world.text("answer0"))["status"]?["token"]?.string == String(token))
        #expect(world.signIns.count == 1)
        try await world.stopAgent()
    }

    /// A locked store is unlocked before the sign-in, and no browser opens if that fails.
    @Test func lockedStoreIsUnlockedFirst() async throws {
        let world = try await OnDemandHome("api_hosts = [\"git.example.org\"]", seal: "passphrase")
        let file = try world.home.write("correct horse\n", to: "passphrase")
        #expect(try await world.home.yett("agent", "unlock", with: ["YETT_PASSPHRASE_FILE": file]).status == 0)
        #expect(try await world.home.yett("agent", "lock").status == 0)
        let terminal = try await world.terminal(browser: try world.followingBrowser())

        // No user: neither a question nor a browser.
        let hidden = try await world.home.yett("helper", "kubectl", "sandbox", with: ["BROWSER": world.home.path + "/bin/browser"])
        #expect(hidden.status == 2 && hidden.output.isEmpty, "\(hidden)")
        #expect(hidden.errors.hasPrefix("yett: error: the store is locked\n"), "\(hidden)")
        // A user who cannot type here, because the tool's request is on standard input.
        let request = "printf 'protocol=https\\nhost=git.example.org\\n\\n' | yett helper git sandbox get >answer"
        let (status, screen) = try await terminal.end(of: terminal.start(request))
        #expect(status == 2, "\(screen)")
        #expect(screen.shows("yett: error: the store is locked"), "\(screen)")
        #expect(screen.shows("yett: hint: unlock it with: yett agent unlock"), "\(screen)")
        #expect(world.signIns.isEmpty && world.text("answer").isEmpty)

        _ = try await terminal.start("yett helper kubectl sandbox >answer")
        try await terminal.wait(for: "Store passphrase:")
        #expect(world.signIns.isEmpty)
        try await terminal.press("C-c")
        try await terminal.wait { $0.foregroundProgram == "bash" }
        #expect(world.signIns.isEmpty && world.text("answer").isEmpty)

        let unlocking = try await terminal.start("yett helper kubectl sandbox >answer")
        try await terminal.wait(for: "Store passphrase:")
        try await terminal.enter("correct horse")
        #expect(try await terminal.end(of: unlocking).status == 0)
        #expect(world.signIns.count == 1)
        #expect(try JSONValue(strict: world.text("answer"))["status"]?["token"]?.string?.isEmpty == false)
        try await world.stopAgent()
    }

    @Test func unreachableProviderIsReported() async throws {
        let world = try await OnDemandHome()
        try world.home.configure(
            "[store]\nseal = \"key-file\"\n[providers.sandbox]\nkind = \"oidc\"\nissuer = \"http://127.0.0.1:1\"\nclient_id = \"yett\"\n"
                + "sign_in = \"on-demand\"\n")
        let terminal = try await world.terminal(browser: try world.followingBrowser())
        let (status, screen) = try await terminal.end(of: terminal.start("yett helper kubectl sandbox >answer"))
        #expect(status == 7, "\(screen)")
        #expect(screen.shows("yett: error: the sign-in at sandbox did not succeed"), "\(screen)")
        #expect(world.signIns.isEmpty && world.text("answer").isEmpty)
        try await world.stopAgent()
    }

    @Test func declinedSignInEndsTheCommand() async throws {
        let world = try await OnDemandHome()
        let decline = """
            query="${1#*\\?}"
            field() { local value="${query#*"$1"=}"; printf '%b' "$(tr -d '\\n' <<<"${value%%&*}" | sed 's/%/\\\\x/g')"; }
            exec setsid --fork curl -s -o /dev/null -G --data-urlencode error=access_denied --data-urlencode "state=$(field state)" \
                --data-urlencode "iss=\(world.sandbox.issuer)" "$(field redirect_uri)" </dev/null >/dev/null 2>&1
            """
        let terminal = try await world.terminal(browser: try world.browser(decline))
        for command in ["helper kubectl sandbox", "token sandbox", "exec sandbox -- touch started"] {
            let (status, screen) = try await terminal.end(of: terminal.start("yett \(command) >answer"))
            #expect(status == 5, "\(screen)")
            #expect(screen.shows("yett: error: the sign-in at sandbox did not succeed"), "\(screen)")
            #expect(world.text("answer").isEmpty)
        }
        #expect(world.signIns.count == 3)
        #expect(world.home.read("started") == nil)
        try await world.stopAgent()
    }

    /// A job in the background opens no window, although its terminal has a user.
    @Test func jobInTheBackgroundOpensNoWindow() async throws {
        let world = try await OnDemandHome()
        let terminal = try await world.terminal(browser: try world.followingBrowser())
        try await terminal.enter("clear; yett helper kubectl sandbox >answer & wait $!; echo status=$?.")
        try await terminal.wait(for: "status=9.")
        #expect(world.signIns.isEmpty && world.text("answer").isEmpty)
        try await world.stopAgent()
    }
}
