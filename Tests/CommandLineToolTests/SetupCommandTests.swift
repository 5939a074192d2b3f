import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// What all tools of `yett setup` share: consent, sessions, the list, and `api_hosts`.
struct SetupCommandTests {
    private static let host = "git.example.org"

    @Test func changeIsMadeOnlyAfterConsent() async throws {
        try await withSetupWorld { _, world in
            for (answer, status) in [("n", Int32(3)), ("", 3), ("yes", 2)] {
                let result = await world.setUp("git", Self.host, "sandbox", user: .init(hasTerminal: true, lines: [answer]))
                // A token of the sandbox is not checked by this host, but git gets one.
                #expect(result.status == (status == 3 ? 3 : 0), "\(result.errors)")
                #expect(result.errors.contains("Make this change? [y/N] "))
                #expect(world.has(".gitconfig") == (status != 3))
            }
        }
    }

    @Test func withoutATerminalConsentIsAnOption() async throws {
        try await withSetupWorld { _, world in
            let configuration = try world.text(world.configurationPath)
            let result = await world.setUp("git", Self.host, "sandbox", exits: 64)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("Let git get tokens of sandbox for git.example.org:\n"))
            #expect(
                result.errors.hasSuffix(
                    "yett: error: the change needs your consent; nothing was changed\nyett: hint: if it is right, add: --yes\n"))
            #expect(!world.has(".gitconfig"))
            #expect(try world.text(world.configurationPath) == configuration)
        }
    }

    /// The first command that a new user may type.
    @Test func firstSetupNamesTheCommandThatAddsAProvider() async throws {
        let world = try CommandWorld()
        let result = await world.setUp("git", "git.example.org", "work", "--yes", exits: 2)
        #expect(
            result.errors == """
                yett: error: unknown provider 'work'
                yett: hint: add it with: yett providers add ISSUER --name work --client-id ID

                """)
    }

    @Test func onlySessionNeedsNoName() async throws {
        try await withSetupWorld { _, world in
            let result = await world.setUp("git", Self.host, "--yes", exits: 0)
            #expect(result.output.hasPrefix("set up: git gets tokens of sandbox for git.example.org\n"))
            await world.run("logout", "sandbox")
            let signedOut = await world.setUp("git", "other.example.org", "--yes", exits: 9)
            #expect(signedOut.errors == "yett: error: not signed in\nyett: hint: sign in with: yett login\n")
        }
    }

    @Test func missingSessionExitsWith9() async throws {
        try await withSetupWorld { _, world in
            let unknown = await world.setUp("git", Self.host, "sandbox/grace", "--yes", exits: 9)
            #expect(unknown.errors.contains("there is no session sandbox/grace"))
            await world.run("logout", "sandbox")
            let signedOut = await world.setUp("git", Self.host, "sandbox", "--yes", exits: 9)
            #expect(signedOut.errors.hasSuffix("yett: hint: sign in with: yett login sandbox\n"))
            #expect(!world.has(".gitconfig"))
        }
    }

    @Test func lockedStoreChangesNothing() async throws {
        let words = try CommandWorld()
        try words.write("open sesame\n", to: "words")
        try await withSandbox(SignInTests.honest, more: "[store]\nseal = \"passphrase\"\n") { _, world in
            let secret = ["YETT_PASSPHRASE_FILE": words.home + "/words"]
            #expect(await world.run("login", "sandbox", with: secret).status == 0)
            let locked = await world.setUp("git", Self.host, "sandbox", "--yes", exits: 2)
            #expect(locked.errors.hasPrefix("yett: error: the store is locked\n"))
            #expect(!world.has(".gitconfig"))
            // The built program refuses the cheap key derivation of the tests, so that its helper gives no token.
            let unlocked = await world.setUp("git", Self.host, "sandbox", "--yes", with: secret)
            #expect(unlocked.output == "set up: git gets tokens of sandbox for git.example.org\n")
            #expect(unlocked.errors.contains("git got no token for git.example.org: the store requires an unsafe key derivation"))
        }
    }

    @Test func otherHostsAndCommentsStayInTheConfiguration() async throws {
        let hosts = "api_hosts = [ # where tokens go\n    \"api.example.org\", # the API\n]\n"
        try await withSetupWorld(more: hosts) { _, world in
            let before = try world.text(world.configurationPath)
            await world.setUp("git", Self.host, "sandbox", "--yes", exits: 0)
            let changed = try world.text(world.configurationPath)
            #expect(changed.contains("\"api.example.org\", \"git.example.org\", # the API\n") || changed.contains("\"git.example.org\""))
            #expect(await world.run("config", "check").status == 0)
            #expect(await world.setUp("git", Self.host, "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath) == before)
        }
    }

    @Test func hostThatAnotherToolNeedsStays() async throws {
        try await withSetupWorld { _, world in
            try world.writeProgram("docker", "exit 0\n")
            #expect(await world.setUp("git", Self.host, "sandbox", "--yes").status == 0)
            #expect(await world.setUp("docker", Self.host, "sandbox", "--yes").status == 0)
            let list = await world.setUp("--list", "--json")
            let tools = try #require(try list.json["setups"]?.array)
            #expect(tools.map { $0["tool"]?.string } == ["git", "docker"])
            #expect(tools.map { $0["session"]?.string } == ["sandbox", "sandbox"])
            #expect(await world.setUp("git", Self.host, "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath).contains("api_hosts = [\"git.example.org\"]"))
            #expect(await world.setUp("docker", Self.host, "--remove", "--yes").status == 0)
            #expect(try !world.text(world.configurationPath).contains("api_hosts"))
            let empty = await world.setUp(exits: 0)
            #expect(empty.output == "")
            #expect(empty.errors.hasPrefix("yett: hint: set up a tool with: yett setup git HOST SESSION"))
        }
    }

    /// What a setup did not add is the user's own, also if a setup needed it, or if the record of what was added is gone.
    @Test func hostThatTheUserAddedStays() async throws {
        try await withSetupWorld(more: "api_hosts = [\"\(Self.host)\"]\n") { _, world in
            let before = try world.text(world.configurationPath)
            #expect(await world.setUp("git", Self.host, "sandbox", "--yes").status == 0)
            await world.setUp("git", Self.host, "--remove", "--yes", exits: 0)
            #expect(try world.text(world.configurationPath) == before)
            #expect(!world.has(".gitconfig"))

            #expect(await world.setUp("git", "other.example.org", "sandbox", "--yes").status == 0)
            let added = try world.text(world.configurationPath)
            #expect(added != before)
            try world.tool("rm", world.home + "/.local/state/yett/setup.json")
            #expect(await world.setUp("git", "other.example.org", "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath) == added)
        }
    }

    /// The record is about one host: after its removal, the same host is the user's if the user adds it.
    @Test func recordEndsWithTheRemoval() async throws {
        try await withSetupWorld { _, world in
            let before = try world.text(world.configurationPath)
            #expect(await world.setUp("git", Self.host, "sandbox", "--yes").status == 0)
            #expect(await world.setUp("git", Self.host, "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath) == before)
            let own = before + "api_hosts = [\"\(Self.host)\"]\n"
            try world.configure(own)
            #expect(await world.setUp("git", Self.host, "sandbox", "--yes").status == 0)
            #expect(await world.setUp("git", Self.host, "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath) == own)
        }
    }

    /// Writes the administrator's configuration, with one API host.
    private func configureSystem(of world: CommandWorld, at server: SandboxServer, host: String) throws {
        try world.configureSystem(
            """
            [providers.sandbox]
            kind = "oidc"
            issuer = "\(server.issuer)"
            client_id = "yett"
            api_hosts = ["\(host)"]
            """)
    }

    @Test func providerOfASystemFileKeepsItsHosts() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try configureSystem(of: world, at: server, host: "api.example.org")
            try world.configure("# mine\n[ui]\ntheme = \"gate\"\n")
            try await world.signIn("sandbox")
            #expect(await world.setUp("git", Self.host, "sandbox", "--yes").status == 0)
            #expect(
                try world.text(world.configurationPath).hasSuffix(
                    "[providers.sandbox]\napi_hosts = [\"api.example.org\", \"git.example.org\"]\n"))
            #expect(await world.setUp("git", Self.host, "--remove", "--yes").status == 0)
            #expect(try world.text(world.configurationPath).hasPrefix("# mine\n[ui]\ntheme = \"gate\"\n"))
            #expect(try !world.text(world.configurationPath).contains("providers"))
        }
    }

    @Test func hostOfASystemFileStays() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try configureSystem(of: world, at: server, host: "git.example.org")
            try await world.signIn("sandbox")
            await world.setUp("git", Self.host, "sandbox", "--yes", exits: 0)
            #expect(!world.has(".config/yett/config.toml"))
            await world.setUp("git", Self.host, "--remove", "--yes", exits: 0)
            #expect(!world.has(".gitconfig"))
            #expect(!world.has(".config/yett/config.toml"))
        }
    }

    @Test func lockedHostsAreRefusedBeforeAnythingChanges() async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try world.configureSystem(
                """
                [policy]
                locked = ["providers.sandbox.api_hosts"]
                [providers.sandbox]
                kind = "oidc"
                issuer = "\(server.issuer)"
                client_id = "yett"
                api_hosts = ["api.example.org"]
                """)
            try await world.signIn("sandbox")
            let result = await world.setUp("git", Self.host, "sandbox", "--yes", exits: 2)
            #expect(result.errors.contains("api_hosts"), "\(result.errors)")
            #expect(!world.has(".gitconfig"))
        }
    }

    @Test(arguments: [
        ["git", "git.example.org", "a b"], ["git"],
        ["aws", "a]b", "work", "--role", "r"],
        ["aws", "dev", "work", "--role", "admin"], ["docker", "https://a", "work"], ["kubectl", "", "work"], ["mail"], ["nonsense"],
        ["git", "git.example.org", "work", "--config", "other.toml"],
    ])
    func usageErrorExitsWith64(arguments: [String]) async throws {
        let world = try CommandWorld()
        let result = await world.run(["setup"] + arguments + (arguments == ["nonsense"] || arguments == ["mail"] ? [] : ["--yes"]))
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.output == "")
        #expect(result.errors.split(separator: "\n").count == 2)
    }

    @Test func sessionsAndToolsAreCompleted() async throws {
        try await withSetupWorld { _, world in
            let tools = await world.run("complete", "zsh", "--", "yett", "setup", "")
            let names = tools.output.split(separator: "\n").dropFirst().map { $0.prefix { $0 != "\t" } }
            #expect(
                names == [
                    "git", "kubectl", "docker", "aws", "mail", "mcp", "claude", "codex", "pip", "uv", "cargo", "bazel", "terraform",
                    "rclone",
                ])
            let sessions = await world.run("complete", "zsh", "--", "yett", "setup", "git", "git.example.org", "")
            #expect(sessions.output.contains("\nsandbox"), "\(sessions.output)")
            let options = await world.run("complete", "zsh", "--", "yett", "setup", "aws", "--")
            for option in ["--role", "--remove", "--yes"] { #expect(options.output.contains("\n\(option)\t")) }
        }
    }

    // MARK: Mail

    /// Each program has its own form of a port, and on 465 its own form of TLS.
    @Test(arguments: [
        ("out.example.org:2587", ["host out.example.org", "port 2587"], "smtp://ada@example.org@out.example.org:2587"),
        (
            "out.example.org:465", ["host out.example.org", "port 465", "tls on", "tls_starttls off"],
            "smtps://ada@example.org@out.example.org:465"
        ),
    ])
    func mailServersHaveTheirPorts(server: String, lines: [String], url: String) async throws {
        try await withSetupWorld { _, world in
            let result = await world.setUp(
                "mail", "sandbox", "--user", "ada@example.org", "--smtp", server, "--imap", "in.example.org:1993", exits: 0)
            #expect(result.output.contains(lines.joined(separator: "\n") + "\n"), "\(result.output)")
            #expect(result.output.contains("\(url)\"\n"), "\(result.output)")
            #expect(result.output.contains("\"imaps://in.example.org:1993\"\n"))
            #expect(result.output.contains("Host in.example.org\nPort 1993\n"))
        }
    }

    /// Before version 1.5, mbsync has another keyword, and does not know the new one.
    @Test(arguments: [("isync 1.4.4", "SSLType"), ("isync 1.5.1", "TLSType"), ("isync 1.5", "TLSType"), ("isync 2.0.0", "TLSType")])
    func mbsyncGetsTheKeywordOfItsVersion(version: String, keyword: String) async throws {
        try await withSetupWorld { _, world in
            try world.writeProgram("mbsync", "[ \"$*\" = --version ] && echo \(version)\n")
            let result = await world.setUp("mail", "sandbox", "--user", "ada@example.org", "--smtp", "out.example.org", exits: 0)
            #expect(result.output.contains("\n\(keyword) IMAPS\n"), "\(result.output)")
            #expect(result.errors.contains("libsasl2-modules-kdexoauth2"))
        }
    }

    @Test func mailSettingsAreOnlyPrinted() async throws {
        try await withSetupWorld { _, world in
            // Without mbsync.
            let extra = ["PATH": try world.folder(with: "yett", "yett-main")]
            let result = await world.setUp("mail", "sandbox", "--user", "ada@example.org", "--smtp", "out.example.org", with: extra)
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output == """
                    # ~/.msmtprc
                    account sandbox
                    host out.example.org
                    port 587
                    tls on
                    auth xoauth2
                    from ada@example.org
                    user ada@example.org
                    passwordeval "yett token sandbox"

                    # ~/.muttrc
                    set from = "ada@example.org"
                    set folder = "imaps://imap.example.org"
                    set spoolfile = "+INBOX"
                    set imap_user = "ada@example.org"
                    set imap_authenticators = "oauthbearer:xoauth2"
                    set imap_oauth_refresh_command = "yett token sandbox"
                    set smtp_url = "smtp://ada@example.org@out.example.org:587"
                    set smtp_authenticators = "oauthbearer:xoauth2"
                    set smtp_oauth_refresh_command = "yett token sandbox"

                    # ~/.mbsyncrc
                    IMAPAccount sandbox
                    Host imap.example.org
                    User ada@example.org
                    TLSType IMAPS
                    AuthMechs XOAUTH2
                    PassCmd "yett token sandbox"

                    """)
            #expect(result.errors.hasSuffix("checked: yett token sandbox returned a token\n"))
            for name in [".msmtprc", ".muttrc", ".mbsyncrc"] { #expect(!world.has(name)) }
            let told = await world.setUp("mail", "sandbox", "--json")
            let lines = try #require(try told.json["settings"]?["~/.msmtprc"]?.strings)
            #expect(lines.contains { $0.hasPrefix("user ada@") })
        }
    }
}
