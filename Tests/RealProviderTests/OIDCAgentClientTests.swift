import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// The genuine clients of oidc-agent with a real agent: `oidc-token`, with liboidc-agent, and the library for Python.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)),
    .enabled(if: OIDCAgentClients.isInstalled, "oidc-token and liboidcagent are not installed: see Tests/RealProviders/install"))
struct OIDCAgentClientTests {
    private let sandbox: SandboxProvider
    private let home: TemporaryHome

    init() async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        home = try TemporaryHome()
        try configure()
        let login = try await yett("login", "work")
        try #require(login.status == 0, "\(login)")
    }

    private func configure(policy: String = "allow", agent: String = "oidc_agent_socket = true") throws {
        try home.configure(
            "[store]\nseal = \"key-file\"\n[agent]\n\(agent)\n[providers.work]\n\(sandbox.settings)\npolicy = \"\(policy)\"\n")
    }

    private func yett(_ words: String...) async throws -> ProgramResult {
        try await home.program("yett-main", words, with: ["BROWSER": Browser.following, "DISPLAY": ":0"]).run()
    }

    private var socket: String { home.path + "/run/yett/oidc-agent.sock" }

    private func client(_ program: String, _ words: [String]) async throws -> ProgramResult {
        let environment = home.environment.merging(["OIDC_SOCK": socket]) { _, own in own }
        return try await Program(program, words, environment: environment, folder: home.path, limit: .seconds(300)).run()
    }

    private func oidcToken(_ words: String...) async throws -> ProgramResult { try await client(#require(OIDCAgentClients.token), words) }

    /// Requests a token with the library for Python.
    private func library(_ kind: String, _ name: String, _ members: JSONValue = .object([])) async throws -> JSONValue {
        let script = Product.sourceTree + "/Tests/RealProviders/oidc-agent/client.py"
        let result = try await client(OIDCAgentClients.python, [script, kind, name, members.text])
        return try JSONValue(strict: result.output.isEmpty ? "\"\(result.errors.suffix(200))\"" : result.output)
    }

    private func stop() async throws { #expect(try await yett("agent", "stop").status == 0) }

    /// The token that `yett token` prints now.
    private func token() async throws -> String { try await yett("token", "work").output }

    @Test func accountsAndIssuersGetTheTokenOfTheirSession() async throws {
        let expected = try await token()
        for words in [["work"], ["work/ada"], [sandbox.issuer], ["--time=120", "work"]] {
            let result = try await client(#require(OIDCAgentClients.token), words)
            #expect(result.status == 0 && result.output == expected, "\(words): \(result)")
        }
        let all = try await oidcToken("--all", "work").output.split(separator: "\n").map(String.init)
        #expect(all.count == 3 && all[1] == sandbox.issuer && Int64(all[2]).map { $0 > 1_700_000_000 } == true, "\(all)")
        for (kind, name) in [("account", "work"), ("issuer", sandbox.issuer), ("issuer", sandbox.issuer + "/")] {
            let response = try await library(kind, name, ["min_valid_period": 30, "application_hint": "gattaca"])
            #expect(response["token"]?.string.map { $0 + "\n" } == expected && response["issuer"]?.string == sandbox.issuer, "\(response)")
        }
        let activity = try await yett("activity", "--json").output
        #expect(activity.contains("gattaca"), "\(activity)")
        #expect(activity.contains("/oidc-token"))
        let status = try await yett("agent", "status")
        #expect(status.output.contains("socket for oidc-agent's clients: \(socket)"), "\(status)")
        #expect(try JSONValue(strict: try await yett("agent", "status", "--json").output)["oidc_agent_socket"]?.string == socket)
        try await stop()
    }

    @Test func lifetimeAndRestrictionsAreKept() async throws {
        let first = try await token()
        // No token of the test provider is valid for an hour, so each such request renews.
        let long = try await oidcToken("--time=3600", "work")
        #expect(long.status == 0 && long.output != first, "\(long)")
        let forced = try await oidcToken("--force-new", "work")
        #expect(forced.status == 0 && forced.output != long.output, "\(forced)")
        let narrow = try await oidcToken("--scope=openid", "work")
        #expect(narrow.status == 0 && narrow.output != forced.output, "\(narrow)")
        #expect(try await token() == forced.output)
        let unknown = try await oidcToken("--scope=openid admin", "work")
        #expect(unknown.status != 0 && unknown.output.isEmpty && unknown.errors.contains("has no scope admin"), "\(unknown)")
        let audience = try await library("account", "work", ["audience": "not a URI"])
        #expect(audience["token"] == nil && audience["error"]?.string?.contains("not a URI") == true, "\(audience)")
        let other = try await oidcToken(sandbox.issuer.replacingScheme)
        #expect(other.status != 0, "an issuer with another scheme is another issuer: \(other)")
        // oidc-token asks the agent of this machine only for accounts that it has a file of.
        try home.write("", to: "accounts/work")
        let id = try await client(
            "/usr/bin/env",
            ["OIDC_CONFIG_DIR=\(home.path)/accounts", #require(OIDCAgentClients.token), "--id-token", "work"])
        #expect(id.status == 0 && id.output.split(separator: ".").count == 3, "\(id)")
        try await stop()
    }

    @Test func failuresSayWhatToDo() async throws {
        let unknown = try await oidcToken("nosuch")
        #expect(unknown.status != 0 && unknown.errors.contains("no session nosuch"), "\(unknown)")
        let other = try await library("issuer", "https://login.example.org")
        #expect(other["help"]?.string?.contains("yett login https://login.example.org") == true, "\(other)")
        #expect(try await yett("agent", "lock").status == 0)
        let locked = try await oidcToken("work")
        #expect(locked.status != 0 && locked.output.isEmpty && locked.errors.contains("yett agent unlock"), "\(locked)")
        #expect(try await yett("agent", "unlock").status == 0)
        #expect(try await yett("logout", "work").status == 0)
        let account = try await oidcToken("work")
        #expect(account.status != 0 && account.errors.contains("yett login work"), "\(account)")
        let issuer = try await library("issuer", sandbox.issuer)
        #expect(issuer["error"]?.string?.contains("not signed in") == true, "\(issuer)")
        #expect(issuer["help"]?.string?.contains("yett login work") == true, "\(issuer)")
        try await stop()
    }

    @Test func providerThatIsDownIsReported() async throws {
        try await stop()
        let short = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "2"])
        try home.configure(
            "[store]\nseal = \"key-file\"\n[agent]\noidc_agent_socket = true\n[providers.short]\n\(short.settings)\n")
        #expect(try await yett("login", "short").status == 0)
        #expect(try await oidcToken("short").status == 0)
        await short.stop()
        try await eventually("the token stays") { try await yett("token", "short").status != 0 }
        let result = try await oidcToken("short")
        #expect(result.status != 0 && result.output.isEmpty && result.errors.contains("cannot connect to 127.0.0.1:"), "\(result)")
        try await stop()
    }

    /// Damaged files in place of libsodium: the clients' own copy is found by another environment.
    @Test func missingLibraryIsReported() async throws {
        try await stop()
        for name in ["libsodium.so.23", "libsodium.so.26"] { try home.write("", to: "lib/" + name) }
        let path = [home.path + "/lib", home.environment["LD_LIBRARY_PATH"]].compactMap(\.self).joined(separator: ":")
        // In the foreground, because an agent that a command starts gets no such variable.
        let agent = try home.program("yett-main", ["agent", "run"], with: ["LD_LIBRARY_PATH": path]).start()
        let warned = try await agent.until { $0.errors.contains("hint") }
        #expect(warned.errors.contains("no socket for oidc-agent's clients") && warned.errors.contains("libsodium"), "\(warned)")
        let result = try await oidcToken("work")
        #expect(result.status != 0 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("libsodium") && result.errors.contains("apt install"), "\(result)")
        let response = try await library("account", "work")
        #expect(response["error"]?.string?.contains("libsodium") == true, "\(response)")
        #expect(try await yett("token", "work").status == 0)
        let doctor = try await home.program("yett-main", ["doctor", "--json"], with: ["LD_LIBRARY_PATH": path]).run()
        let checks = try JSONValue(strict: doctor.output)["checks"]?.array ?? []
        #expect(checks.first { $0["check"] == "libsodium" }?["outcome"] == "fail", "\(doctor)")
        #expect(try await yett("doctor").output.contains("libsodium"))
        try await stop()
    }

    @Test func policyAndBlockedProgramsApply() async throws {
        try configure(policy: "ask")
        let asked = try await oidcToken("work")
        #expect(asked.status != 0 && asked.output.isEmpty && asked.errors.contains("consent"), "\(asked)")
        let path = try #require(OIDCAgentClients.token)
        try configure(agent: "oidc_agent_socket = true\nblocked_programs = [\"\(path)\"]")
        let blocked = try await oidcToken("work")
        #expect(blocked.status != 0 && blocked.errors.contains(path), "\(blocked)")
        #expect(try await library("account", "work")["token"] != nil)
        // The agent notices a change with the next request, and closes the socket.
        try configure(agent: "")
        _ = try await token()
        try await eventually("the socket stays") {
            try await yett("agent", "status", "--json").output.contains(#""oidc_agent_socket":null"#)
        }
        #expect(try await oidcToken("work").status != 0)
        try await stop()
    }
}

extension String {
    fileprivate var replacingScheme: String { "https" + drop { $0 != ":" } }
}
