import ProcessHarness
import TestSupport
import Testing

/// Several sign-in methods at once, for a user who came over SSH to a machine without a display.
@Suite(.startsProgramsAlone, .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct SignInMethodTests {
    private static let remote: [String: String?] = ["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 2222", "BROWSER": "none"]

    @Test(arguments: [(80, 24), (200, 60)])
    func showsThreeSignInMethodsAtOnce(columns: Int, rows: Int) async throws {
        let app = try await AppTerminal(size: .init(columns, rows), with: Self.remote)
        try await app.start()
        let screen = try await app.openSignInMethods()
        #expect(screen.shows("\(app.sandbox.issuer)/author"))
        #expect(screen.shows("\(app.sandbox.issuer)/device"))
        #expect(screen.rows.allSatisfy { $0.count <= columns })
        let end = try await app.scrollToTheEnd()
        let line = try #require(end.forwarding)
        #expect(line.command.hasSuffix("-L \(line.port):127.0.0.1:\(line.port) 192.0.2.1"))
        #expect(LoopbackPort(line.port).isOpen)
    }

    @Test(.enabled(if: Product.installed("zbarimg") != nil, "zbarimg is not installed: it is in the package zbar-tools"))
    func qrCodeCanBeScanned() async throws {
        let app = try await AppTerminal(size: .init(200, 60), with: Self.remote)
        try await app.start()
        _ = try await app.openSignInMethods()
        // The terminal draws the code line by line.
        let screen = try await app.terminal.wait { $0.userCode != nil && QRPicture(on: $0) != nil }
        let code = try #require(screen.userCode)
        let picture = try #require(QRPicture(on: screen))
        #expect(try await picture.readBack(in: app.home) == "\(app.sandbox.issuer)/device?user_code=\(code)")
    }

    @Test(.enabled(if: Product.installed("zbarimg") != nil, "zbarimg is not installed: it is in the package zbar-tools"))
    func qrCodeFillsASmallScreen() async throws {
        let app = try await AppTerminal(with: Self.remote)
        try await app.start()
        let code = try #require(try await app.openSignInMethods().userCode)
        try await app.terminal.press("v")
        let screen = try await app.terminal.wait { $0.userCode == code && QRPicture(on: $0) != nil }
        let picture = try #require(QRPicture(on: screen))
        #expect(try await picture.readBack(in: app.home) == "\(app.sandbox.issuer)/device?user_code=\(code)")
        try await app.terminal.press("Escape")
        try await app.terminal.wait { QRPicture(on: $0) == nil && $0.shows("/author") }
    }

    /// The browser was started on another machine and cannot reach the callback.
    @Test func pastedRedirectCompletesASignIn() async throws {
        let home = try TemporaryHome()
        let note = home.path + "/url"
        let browser = try home.write("printf %s \"$1\" >'\(note).new' && mv '\(note).new' '\(note)'\n", to: "elsewhere")
        let app = try await AppTerminal(
            size: .init(100, 30), with: ["DISPLAY": ":0", "BROWSER": "/bin/sh \(browser)"], sandbox: ["--auto-approve", "ada"])
        try await app.start()
        try await app.beginSignIn()
        try await app.terminal.wait { _ in home.read("url") != nil }
        let url = String(decoding: try #require(home.read("url")), as: UTF8.self)
        let answer = try await Resource.redirect(of: url)
        #expect(answer.contains("code="))
        try await app.terminal.press("p")
        try await app.terminal.wait(for: "Paste the callback URL")
        try await app.terminal.type(answer)
        try await app.terminal.press("Enter")
        try await app.terminal.wait(for: "Welcome, ada.")
        let port = try #require(Int(answer.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst().prefix { $0.isNumber }))
        #expect(!LoopbackPort(port).isOpen)
    }

    /// That nothing waits is shown by `cancellationEndsEveryMethod` of the engine's tests, on a clock that stands still.
    @Test func escapeClosesEverySignInMethod() async throws {
        let app = try await AppTerminal(size: .init(200, 60), with: Self.remote, sandbox: ["--request-log"])
        try await app.start()
        let port = try #require(try await app.openSignInMethods().forwarding).port
        #expect(LoopbackPort(port).isOpen)
        let asked = try await app.sandbox.polls { !$0.isEmpty }
        let first = try #require(asked.first)

        try await app.terminal.press("Escape")
        try await eventually("the port is still open") { !LoopbackPort(port).isOpen }
        try await app.terminal.wait(for: "sign-in cancelled")
        let before = try await app.sandbox.polls { _ in true }.count { $0 == first }

        // When a later attempt polls for the first time, the cancelled one would have polled once more.
        _ = try await app.openSignInMethods()
        let later = try await app.sandbox.polls { polls in polls.contains { $0 != first } }
        #expect(later.count { $0 == first } == before)
    }
}

extension AppTerminal {
    /// Goes from the first screen to a sign-in at the sandbox.
    fileprivate func beginSignIn() async throws {
        try await terminal.press("s")
        try await terminal.wait(for: "Where do you want to sign in?")
        try await terminal.press("Enter")
    }

    /// Begins a sign-in, and waits until the browser flow and the device flow are open.
    fileprivate func openSignInMethods() async throws -> TerminalScreen {
        try await beginSignIn()
        return try await terminal.wait { $0.shows("/author") && $0.userCode != nil }
    }

    /// Scrolls until the last sign-in method is visible.
    fileprivate func scrollToTheEnd() async throws -> TerminalScreen {
        try await terminal.press("End")
        return try await terminal.wait { $0.forwarding != nil && $0.shows("paste") }
    }
}

extension TerminalScreen {
    /// The code that the user types, such as `WKLL-NGGX`.
    fileprivate var userCode: String? {
        guard let match = text.firstMatch(of: /type\s+the\s+code\s+([A-Z]{4}-[A-Z]{4})/) else { return nil }
        return String(match.output.1)
    }

    /// The SSH command that forwards the user's own browser to this machine, and its port.
    fileprivate var forwarding: (command: String, port: Int)? {
        for row in rows {
            guard let match = row.firstMatch(of: /ssh -p 2222 -L ([0-9]+):.*$/), let port = Int(match.output.1) else { continue }
            return (String(match.output.0), port)
        }
        return nil
    }
}
