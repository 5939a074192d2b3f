import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Requirements of the vendors' systems that need the built program: its browser, its signals, its files, and two processes at once.
@Suite(.startsPrograms) struct VendorProgramTests {
    private let home: TemporaryHome
    private let sandbox: SandboxProvider

    init() async throws {
        home = try TemporaryHome()
        sandbox = try await SandboxProvider(
            options: ["--vendor", "beyond-identity", "--vendor", "openweb", "--auto-approve", "ada", "--request-log"])
    }

    private func configure(_ kind: String, more: String = "") throws -> SandboxProvider.Vendor {
        let vendor = try sandbox.vendor(kind)
        try home.configure("[store]\nseal = \"key-file\"\n[providers.it]\n\(vendor.settings)\n\(more)\n")
        return vendor
    }

    // MARK: BI-6

    /// Installs a browser with that name, which records its arguments and then follows the URL.
    private func browser(named name: String) throws -> [String: String?] {
        let follow = Browser.following.filter { $0 != "'" }
        try home.write(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > '\(home.path)/called'\nfor address; do :; done\nexec '\(follow)' \"$address\"\n",
            to: "bin/\(name)", permissions: 0o700)
        return ["PATH": "\(home.path)/bin:/usr/bin:/bin", "BROWSER": name, "DISPLAY": ":0", "YETT_NO_AGENT": "1"]
    }

    @Test(arguments: [true, false])
    func browserIsAskedForAPrivateWindowWhenConfigured(isPrivate: Bool) async throws {
        _ = try configure("beyond-identity", more: "private = \(isPrivate)")
        let result = try await home.yett("login", "it", "--json", with: try browser(named: "firefox"))
        #expect(result.status == 0, "\(result)")
        let called = String(decoding: try #require(home.read("called")), as: UTF8.self).split(separator: "\n")
        #expect(called.contains("--private-window") == isPrivate)
        #expect(called.last?.contains("/start?redirect=") == true)
        #expect(try warnings(result).contains { $0.contains("private window") } == false)
    }

    @Test func unknownBrowserIsUsedWithAWarning() async throws {
        _ = try configure("beyond-identity", more: "private = true")
        let result = try await home.yett("login", "it", "--json", with: try browser(named: "lookout"))
        #expect(result.status == 0, "\(result)")
        #expect(try warnings(result).contains { $0.contains("private window") })
        #expect(result.errors.contains("private window"))
    }

    private func warnings(_ result: ProgramResult) throws -> [String] {
        try JSONValue(strict: result.output)["sessions"]?.array?.first?["warnings"]?.strings ?? []
    }

    // MARK: BI-4

    @Test func interruptCancelsTheSignInAndClosesThePort() async throws {
        _ = try configure("beyond-identity")
        let login = try home.program("yett-main", ["login", "it"], with: ["BROWSER": "none", "YETT_NO_AGENT": "1"]).start()
        let waiting = try await login.until { $0.errors.contains("/start?redirect=") && $0.errors.contains("Ctrl-C cancels") }
        let digits = try #require(waiting.errors.firstMatch(of: #/127\.0\.0\.1%3A(\d+)/#)?.output.1)
        let port = LoopbackPort(try #require(Int(digits)))
        #expect(port.isOpen)
        login.signal(SIGINT)
        let result = await login.finish()
        #expect(result.status == 3, "\(result)")
        #expect(!port.isOpen)
    }

    /// Configures OpenWeb with a JWT that a command prints.
    private func configureJWT(at vendor: SandboxProvider.Vendor, from command: [String], more: String = "") throws {
        try home.configure(
            """
            [store]
            seal = "key-file"
            [providers.it]
            kind = "openweb"
            gateway_url = "\(vendor.origin)"
            spot_id = "sp_sandbox"
            mode = "jwt"
            jwt_command = \(JSONValue.array(command.map(JSONValue.string)).text)
            \(more)
            """)
    }

    // MARK: OW-5

    /// The JWT goes to OpenWeb and nowhere else: no file, argument or output of this program contains it.
    @Test func jwtIsNotStoredOrShown() async throws {
        let vendor = try sandbox.vendor("openweb")
        let secret = try TemporaryHome()
        let file = try secret.write("sandbox.ada.jwt\n", to: "jwt")
        try configureJWT(at: vendor, from: ["cat", file])
        try await vendor.turn("{\"answers\": [{\"path\": \"/user/sso/start\", \"silent\": true}]}")
        let login = try home.program("yett-main", ["login", "it"], with: ["YETT_NO_AGENT": "1"]).start()
        try await eventually("the gateway was never asked with the JWT") { try await vendor.paths().contains("/user/sso/start") }
        for part in ["cmdline", "environ"] {
            let bytes = try #require(Self.read("/proc/\(login.processID)/\(part)"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("sandbox.ada.jwt"))
        }
        login.signal(SIGINT)
        _ = await login.finish()
        try await vendor.turn("{\"answers\": []}")
        let result = try await home.yett("login", "it", with: ["YETT_NO_AGENT": "1"])
        #expect(result.status == 0, "\(result)")
        #expect(!result.description.contains("sandbox.ada.jwt"))
        #expect(home.files(containing: "sandbox.ada.jwt") == [])
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    // MARK: OW-10

    /// No session, a guest, a signed-in user, and a session while it is renewed, as another process sees them.
    @Test func everyStateIsVisibleToOtherProcesses() async throws {
        let vendor = try sandbox.vendor("openweb")
        try configureJWT(at: vendor, from: ["echo", "sandbox.ada.jwt"], more: "renew_timeout = 30")
        #expect(try await states() == [])
        let reading = try await home.yett("request", "it", "-X", "POST", vendor.origin + "/conversation/read")
        #expect(reading.status == 0, "\(reading)")
        #expect(try await states() == ["guest"])
        let login = try await home.yett("login", "it")
        #expect(login.status == 0, "\(login)")
        #expect(try await states() == ["signed_in"])
        // The publisher does not answer.
        try await vendor.turn("{\"answers\": [{\"path\": \"/user/sso/start\", \"silent\": true}]}")
        let renewal = try home.program("yett-main", ["renew", "it"], with: [:]).start()
        try await eventually("nothing was ever seen to be renewed") { try await states() == ["renewing"] }
        #expect(try await states("--wait", "300") == ["guest"])
        #expect(await renewal.finish().status == 6)
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    private func states(_ more: String...) async throws -> [String] {
        let result = try await home.program("yett-main", ["status", "--json"] + more, with: [:]).run()
        let sessions = try JSONValue(strict: result.output)["sessions"]?.array
        return (sessions ?? []).compactMap { $0["state"]?.string }
    }
}
