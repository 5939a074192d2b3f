import ProcessHarness
import TestSupport
import Testing

/// A program in one terminal requests a token, and the user allows or refuses it: in the app if it is open, otherwise in the program's own
/// terminal.
@Suite(.startsPrograms, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct QuestionStoryTests {
    private let home: TemporaryHome
    private let sandbox: SandboxProvider
    private let shell: TmuxTerminal
    private static let path: [String: String?] = ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"]

    init() async throws {
        home = try TemporaryHome()
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        try home.configure("[providers.sandbox]\n\(sandbox.settings)\npolicy = \"ask\"\n")
        shell = try await TmuxTerminal(
            home, size: .init(120, 30), with: Self.path.merging(["BROWSER": Browser.following, "DISPLAY": ":0"]) { $1 })
        #expect(try await shell.run("yett login sandbox 2>/dev/null; echo status=$?").last == "status=0")
    }

    private func stopAgent() async throws { #expect(try await shell.run("yett agent stop 2>/dev/null; echo status=$?") == ["status=0"]) }

    @Test(arguments: [(80, 24), (200, 60)])
    func openAppAsksAndTheProgramGetsTheAnswer(columns: Int, rows: Int) async throws {
        let app = try await TmuxTerminal(home, size: .init(columns, rows), with: Self.path)
        try await app.enter("clear; yett")
        try await app.wait { $0.isAlternate && $0.shows("sandbox/ada") && $0.shows("signed in") }

        try await shell.enter("clear; yett token sandbox >token; echo status=$?")
        let question = try await app.wait(until: \.acceptsConsent)
        #expect(question.shows("Issue the access token of sandbox/ada?"))
        // The program that runs yett, as the kernel reports it.
        #expect(question.shows("/bash, through yett (process "))
        #expect(question.rows.allSatisfy { $0.count <= columns })
        try await app.press("y")
        try await shell.wait(for: "status=0")
        try await app.wait { !$0.shows("Issue the") }
        #expect(String(decoding: try #require(home.read("token")), as: UTF8.self).count > 20)

        try await shell.enter("clear; yett token sandbox >token; echo status=$?")
        try await app.wait(for: "Issue the access token of sandbox/ada?")
        try await app.press("n")
        try await shell.wait(for: "status=5")
        #expect(home.read("token") == [])
        try await app.wait { $0.shows("sandbox/ada") && !$0.shows("Issue the") }

        try await app.press("a")
        try await app.wait { $0.shows("1 refusal") && $0.shows("p by time") }
        try await app.press("p")
        try await app.wait { $0.shows("consented") && $0.shows("token refused") }
        try await app.press("C-c")
        try await app.wait { !$0.isAlternate }
        try await stopAgent()
    }

    @Test(arguments: [("y", "status=0"), ("n", "status=5"), ("", "status=5")])
    func withoutTheAppTheProgramsOwnTerminalAsks(answer: String, status: String) async throws {
        try await shell.enter("clear; yett token sandbox >token; echo status=$?")
        try await shell.wait(for: "Allow? 30 seconds [y/N]")
        try await shell.enter(answer)
        try await shell.wait(for: status)
        #expect(home.read("token")?.isEmpty == (answer != "y"))
        try await stopAgent()
    }

    /// A tool may run several helpers at once, and each answer is for the question that is shown.
    @Test func programsAtOneTerminalAskOneAfterTheOther() async throws {
        let script = "for n in 1 2 3; do (yett token sandbox >token$n 2>errors$n; echo $? >status$n) & done; wait; echo all-ended"
        try home.write(script, to: "script")
        try await shell.enter("clear; bash script")
        let answers: [Substring] = ["y", "n", "y"]
        for (count, answer) in answers.enumerated() {
            let screen = try await shell.wait { $0.rows.filter { $0.contains("Allow? 30 seconds") }.count > count }
            // The earlier ones were answered, each on its row.
            let questions = screen.rows.filter { $0.hasPrefix("Allow?") }
            #expect(questions.map { $0.split(separator: " ").last } == answers.prefix(count) + ["[y/N]"], "\(screen)")
            try await shell.enter(String(answer))
        }
        try await shell.wait(for: "all-ended")
        let refused = (1...3).filter { home.read("status\($0)") == Array("5\n".utf8) }
        #expect(refused.count == 1)
        for number in 1...3 { #expect(try #require(home.read("token\(number)")).isEmpty == refused.contains(number)) }
        try await stopAgent()
    }

    /// A program such as mutt reads keys while its command asks: Enter is a carriage return then, and nothing is echoed.
    @Test(arguments: [("y", "status=0"), ("n", "status=5")])
    func programThatReadsKeysIsAskedInItsTerminal(answer: String, status: String) async throws {
        let script = """
            stty raw -echo; a=$(stty -g); printf drawn; yett token sandbox >token; s=$?; b=$(stty -g); stty sane
            echo; [ $a = $b ] && echo status=$s
            """
        try home.write(script, to: "script")
        try await shell.enter("clear; bash script")
        let screen = try await shell.wait(for: "Allow? 30 seconds [y/N]")
        // The question begins on a row of its own, and its second row at the left.
        #expect(screen.rows.contains("drawn") && screen.rows.contains { $0.hasPrefix("Allow?") }, "\(screen)")
        try await shell.enter(answer)
        try await shell.wait(for: status)
        #expect(home.read("token")?.isEmpty == (answer != "y"))
        try await stopAgent()
    }

    /// The helpers of git and docker get the tool's request on standard input.
    @Test(arguments: ["y", "n"])
    func toolWhoseRequestIsOnStandardInputIsAskedAtItsTerminal(answer: String) async throws {
        try home.configure("[providers.sandbox]\n\(sandbox.settings)\npolicy = \"ask\"\napi_hosts = [\"git.example.org\"]\n")
        try home.write("protocol=https\nhost=git.example.org\n\n", to: "request")
        let line = try await shell.start("yett helper git get <request >token 2>errors")
        try await shell.wait(for: "Allow? 30 seconds [y/N]")
        try await shell.enter(answer)
        _ = try await shell.end(of: line)
        let credential = String(decoding: try #require(home.read("token")), as: UTF8.self)
        #expect(credential.contains("password=") == (answer == "y"), "\(credential)")
        // Without the terminal of a user, no question.
        let hidden = try await home.program(
            "yett", ["helper", "git", "get"], input: "protocol=https\nhost=git.example.org\n\n"
        ).run()
        #expect(!hidden.output.contains("password="), "\(hidden)")
        #expect(hidden.errors.contains("needs your consent, but no app is open"), "\(hidden)")
        try await stopAgent()
    }
}
