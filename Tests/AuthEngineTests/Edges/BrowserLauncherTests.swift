import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import AuthEngine

/// Fake browsers: scripts in a folder that is the only existing one in PATH.
private struct FakeBrowsers {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    func add(_ name: String, _ body: String) throws {
        try folder.write(name, "#!/bin/sh\n\(body)\n", mode: 0o700)
    }

    /// Adds a browser that records its arguments, one per line in brackets.
    func addRecorder(_ name: String) throws {
        try add(name, "for argument in \"$@\"; do printf '[%s]\\n' \"$argument\"; done > '\(folder.file(name + ".argv"))'")
    }

    func arguments(of name: String) -> String? { folder.read(name + ".argv") }

    func launcher(_ environment: [String: String] = [:], watch: Duration = .seconds(60)) -> BrowserLauncher {
        let own = ["PATH": folder.path + ":/nonexistent"]
        return BrowserLauncher(environment: own.merging(environment) { $1 }, time: SystemTimeSource(), watch: watch)
    }
}

@Suite struct BrowserLauncherTests {
    private let browsers: FakeBrowsers

    init() throws { browsers = try FakeBrowsers() }

    private static let page = "https://id.example.org/authorize?a=b%20c&d=$(id)"
    /// The page's URL as an opener command receives it.
    private static let opened = "https://id.example.org/authorize?a=b%20c&d=%24%28id%29"

    @Test func passesTheURLAsOneArgument() async throws {
        try browsers.addRecorder("one")
        let result = await browsers.launcher(["BROWSER": "one -x %s y"]).open(try url(Self.page))
        #expect(result == .started(command: "one", privacy: .notAsked))
        #expect(browsers.arguments(of: "one") == "[-x]\n[\(Self.opened)]\n[y]\n")
    }

    @Test func triesTheNextCommandWhenOneFails() async throws {
        try browsers.add("failing", "exit 3")
        try browsers.add("crashing", "kill -9 $$")
        try browsers.add("lost", "exec /nonexistent/program 2>/dev/null")
        try browsers.folder.write("unrunnable", "#!/bin/sh\n", mode: 0o600)
        try browsers.folder.write("broken", "#!/nonexistent/interpreter\n", mode: 0o700)
        try browsers.addRecorder("good")
        try browsers.addRecorder("later")
        let list = "missing:failing:crashing:lost:unrunnable:broken:good:later"
        let result = await browsers.launcher(["BROWSER": list]).open(try url(Self.page))
        #expect(result == .started(command: "good", privacy: .notAsked, missing: ["missing", "unrunnable"]))
        #expect(browsers.arguments(of: "good") == "[\(Self.opened)]\n")
        #expect(browsers.arguments(of: "later") == nil)
    }

    @Test func fallsBackToTheDesktopsOpener() async throws {
        try browsers.addRecorder("xdg-open")
        try browsers.addRecorder("wslview")
        #expect(await browsers.launcher().open(try url(Self.page)) == .started(command: "xdg-open", privacy: .notAsked))
        #expect(
            await browsers.launcher(["BROWSER": "missing"]).open(try url(Self.page))
                == .started(command: "xdg-open", privacy: .notAsked, missing: ["missing"]))
        #expect(
            await browsers.launcher(["WSL_DISTRO_NAME": "Debian"]).open(try url(Self.page))
                == .started(command: "wslview", privacy: .notAsked))
    }

    @Test func triesOnlyTheConfiguredCommand() async throws {
        try browsers.addRecorder("chosen")
        try browsers.addRecorder("other")
        try browsers.add("failing", "exit 7")
        let launcher = browsers.launcher(["BROWSER": "other"])
        #expect(await launcher.open(try url(Self.page), command: "chosen 'a b'") == .started(command: "chosen", privacy: .notAsked))
        #expect(browsers.arguments(of: "chosen") == "[a b]\n[\(Self.opened)]\n")
        #expect(
            await launcher.open(try url(Self.page), command: "failing")
                == .failed(
                    reason: UserMessage(
                        "browser.named_failed", ["name": "failing", "reason": UserMessage("browser.ended_at_once", ["status": 7])])))
        #expect(
            await launcher.open(try url(Self.page), command: "missing")
                == .failed(reason: UserMessage("browser.named_not_found", ["name": "missing"])))
        #expect(await launcher.open(try url(Self.page), command: "'") == .failed(reason: "browser.command_invalid"))
        #expect(browsers.arguments(of: "other") == nil)
    }

    @Test(arguments: ["none", "false", "echo", "/bin/echo", "none:recorder"])
    func someBROWSERValuesDisableTheBrowser(_ value: String) async throws {
        for name in ["recorder", "xdg-open", "echo", "false"] { try browsers.addRecorder(name) }
        guard case .none = await browsers.launcher(["BROWSER": value]).open(try url(Self.page)) else {
            Issue.record("a browser was started")
            return
        }
        #expect(["recorder", "xdg-open", "echo", "false"].allSatisfy { browsers.arguments(of: $0) == nil })
    }

    @Test func reportsAMissingBrowser() async throws {
        #expect(await browsers.launcher().open(try url(Self.page)) == .none(reason: "browser.none_found"))
        #expect(
            await browsers.launcher(["BROWSER": "missing"]).open(try url(Self.page))
                == .failed(reason: UserMessage("browser.named_not_found", ["name": "missing"])))
    }

    @Test func opensAPrivateWindowIfSupported() async throws {
        try browsers.addRecorder("xdg-open")
        #expect(await browsers.launcher().open(try url(Self.page), isPrivate: true) == .started(command: "xdg-open", privacy: .unknown))
        try browsers.addRecorder("chromium")
        let launcher = browsers.launcher(["DISPLAY": ":0"])
        #expect(await launcher.open(try url(Self.page), isPrivate: true) == .started(command: "chromium", privacy: .requested))
        #expect(browsers.arguments(of: "chromium") == "[--incognito]\n[\(Self.opened)]\n")
    }

    @Test func browserRunsDetached() async throws {
        let folder = browsers.folder
        try browsers.add(
            "witness",
            """
            PATH=/usr/bin:/bin
            { cut -d' ' -f1,6 /proc/$$/stat; for n in 0 1 2; do readlink /proc/$$/fd/$n; done; } > '\(folder.file("facts"))'
            ls /proc/$$/fd > '\(folder.file("open"))'
            env > '\(folder.file("environment"))'
            """)
        let open = Glibc.open("/dev/null", O_RDONLY)
        defer { close(open) }
        let launcher = browsers.launcher(["BROWSER": "witness", "YETT_PASSPHRASE_FILE": "/secret", "KEPT": "1"])
        #expect(await launcher.open(try url(Self.page)) == .started(command: "witness", privacy: .notAsked))
        let facts = try #require(folder.read("facts")).split(separator: "\n")
        let numbers = facts.first?.split(separator: " ") ?? []
        #expect(numbers.count == 2 && numbers.first == numbers.last, "it leads a session of its own")
        // The script itself redirects its output; the other two descriptors are as it received them.
        #expect(facts.count == 4 && facts[1] == "/dev/null" && facts[3] == "/dev/null")
        let environment = try #require(folder.read("environment"))
        #expect(environment.contains("KEPT=1\n") && !environment.contains("YETT_PASSPHRASE_FILE"))
        #expect(folder.read("open")?.split(separator: "\n").contains("\(open)") == false)
        // The process was reaped, so no zombie is left.
        let process = try #require(numbers.first.flatMap { pid_t($0) })
        #expect(kill(process, 0) == -1 && errno == ESRCH)
    }

    @Test func doesNotWaitForALongRunningBrowser() async throws {
        let pipe = browsers.folder.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        try browsers.add("staying", "echo $$ > '\(pipe)'; exec /usr/bin/tail -f /dev/null")
        let launcher = browsers.launcher(["BROWSER": "staying"], watch: .zero)
        #expect(await launcher.open(try url(Self.page)) == .started(command: "staying", privacy: .notAsked))
        let process = await RawClient.run { () -> pid_t? in
            guard let stream = fopen(pipe, "r") else { return nil }
            defer { fclose(stream) }
            var process: pid_t = 0
            var line = [CChar](repeating: 0, count: 32)
            if fgets(&line, 32, stream) != nil { process = pid_t(atoi(line)) }
            return process > 1 ? process : nil
        }
        #expect(kill(try #require(process), SIGKILL) == 0)
    }

    @Test func ignoresRelativeFoldersInPATH() async throws {
        try browsers.addRecorder("xdg-open")
        let launcher = BrowserLauncher(environment: ["PATH": ".:relative::"], time: SystemTimeSource(), watch: .seconds(60))
        #expect(await launcher.open(try url(Self.page)) == .none(reason: "browser.none_found"))
    }
}
