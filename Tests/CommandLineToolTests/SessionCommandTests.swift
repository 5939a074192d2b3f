import AuthModel
import CursesBackend
@testable import TerminalApp
import Sandbox
import TerminalUI
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Commands on existing sessions.
struct SessionCommandTests {
    private func signedIn(_ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        try await withSession(SignInTests.honest) { sandbox, world in
            try await body(sandbox, world)
        }
    }

    @Test func tokenPrintsOnlyTheTokenAndALineBreak() async throws {
        try await signedIn { _, world in
            let plain = await world.run("token", "sandbox", exits: 0)
            #expect(plain.errors == "")
            let token = plain.output.dropLast()
            #expect(plain.output.last == "\n" && !token.isEmpty && !token.contains { $0.isWhitespace })
            #expect(await world.run("token", "sandbox/ada", "--header").output == "Authorization: Bearer \(token)\n")
            let json = try await world.run("token", "sandbox", "--json").json
            #expect(json.members?.map(\.name) == ["version", "session", "token", "token_type", "expires_at", "scopes"])
            #expect(json["token"]?.string == String(token))
        }
    }

    @Test func tokenIsNotPrintedToATerminalUnlessAsked() async throws {
        try await signedIn { _, world in
            let refused = await world.run("token", "sandbox", user: .init(hasTerminal: true), exits: 64)
            #expect(refused.output == "")
            #expect(refused.errors.contains("yett: hint: pipe it to a command, or add --show"))
            #expect(await world.run("token", "sandbox", "--show", user: .init(hasTerminal: true)).status == 0)
        }
    }

    @Test(arguments: [
        ["--scope", "a\"b"], ["--audience", "api"], ["--audience", "https://api.example.org/#part"], ["--id-token", "--scope", "openid"],
        ["--id-token", "--audience", "https://api.example.org/"],
    ])
    func tokenRefusesInvalidRestrictions(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(["token", "work"] + arguments, exits: 64)
        #expect(result.output == "")
    }

    @Test func tokenIsRenewedIfItExpiresTooSoon() async throws {
        try await signedIn { _, world in
            let first = await world.run("token", "sandbox").output
            let second = await world.run("token", "sandbox", "--min-valid", "3600").output
            #expect(!second.isEmpty && second != first)
            #expect(await world.run("token", "sandbox").output == second)
        }
    }

    /// With a minimum time and without renewals, the command prints a token that is valid for that time, or fails; without a minimum time
    /// it prints the current token.
    @Test func noRenewHonoursTheMinimumTime() async throws {
        try await signedIn { sandbox, world in
            let first = await world.run("token", "sandbox").output
            #expect(await world.run("token", "sandbox", "--no-renew", "--min-valid", "200").output == first)
            let tooLong = await world.run("token", "sandbox", "--no-renew", "--min-valid", "3600", exits: 6)
            #expect(tooLong.output == "")
            #expect(tooLong.errors.contains("the token of sandbox/ada expires in less than 3600 s"))
            #expect(tooLong.errors.contains("yett: hint: remove --no-renew to allow a renewal"))
            let end = try #require(try await world.sessions().first?["access_expires_at"]?.string.flatMap { Timestamp($0) })
            let late = ManualTime(now: end - .seconds(20))
            #expect(await world.run(["token", "sandbox", "--no-renew"], time: late).output == first)
            #expect(await world.run(["token", "sandbox", "--no-renew", "--min-valid", "60"], time: late).status == 6)
            #expect(await world.run(["token", "sandbox", "--no-renew"], time: ManualTime(now: end + .seconds(1))).status == 6)
        }
    }

    /// A renewal cannot exceed the token lifetime of the provider.
    @Test func tokenThatCannotLastLongEnoughGetsAWarning() async throws {
        try await signedIn { _, world in
            let result = await world.run("token", "sandbox", "--min-valid", "3600", exits: 0)
            #expect(result.errors.hasPrefix("yett: warning: the token is valid for only ") && result.errors.contains(" s; the provider "))
        }
    }

    @Test func issuingATokenRecordsItsUse() async throws {
        try await signedIn { (_, world) async throws in
            await world.run("token", "sandbox")
            #expect(try await world.sessions().first?["last_used_at"]?.string != nil)
        }
    }

    @Test(arguments: [["token"], ["status"], ["renew"], ["logout"], ["inspect"], ["exec"]])
    func unknownSessionExitsWith9(command: [String]) async throws {
        try await signedIn { _, world in
            let result = await world.run(command + ["sandbox/nobody"] + (command == ["exec"] ? ["--", "true"] : []), exits: 9)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("yett: error: "))
        }
    }

    /// Signing in there would fail too, so the hint does not suggest it.
    @Test(arguments: [("nobody", "the providers are: sandbox"), ("sandbix", "did you mean sandbox?")])
    func unknownProviderIsReported(name: String, hint: String) async throws {
        try await signedIn { _, world in
            let text = "yett: error: no session \(name), and no provider \(name)\nyett: hint: \(hint)\n"
            for command in ["token", "exec", "renew", "logout", "status", "inspect", "switch"] {
                let result = await world.run([command, name] + (command == "exec" ? ["--", "true"] : []))
                #expect(result.status == 9 && result.errors == text, "\(command): \(result.errors)")
            }
            // Where a token would not be printed, the name is still the first mistake.
            let shown = await world.run("token", name, user: .init(hasTerminal: true))
            #expect(shown.status == 9 && shown.errors == text, "\(shown.errors)")
        }
    }

    @Test func statusUsesNoNetworkAndCreatesNoFile() async throws {
        let world = try CommandWorld.configured(issuer: "https://provider.invalid")
        let result = await world.run("status", "--json", exits: 0)
        #expect(result.output == "{\"version\":1,\"sessions\":[]}\n")
        #expect(!FileStatus.exists(world.storeDirectory))
    }

    @Test func statusTableCountsWideCharacters() async throws {
        try await withSandbox(SignInTests.honest) { sandbox, world in
            try await world.signIn("--account", "千尋")
            await sandbox.autoApprove(as: "grace")
            try await world.signIn()
            let lines = await world.run("status").output.split(separator: "\n").map(String.init)
            #expect(lines.count == 3)
            #expect(lines[0].hasPrefix("SESSION        STATE      LEFT"))
            #expect(lines[1].hasPrefix("sandbox/grace  signed in  "))
            #expect(lines[2].hasPrefix("sandbox/千尋   signed in  "))
            #expect(await world.run("status", with: ["LC_ALL": "C"]).output.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func appWithoutATerminalPrintsTheStatus() async throws {
        try await signedIn { _, world in
            let app = await world.run(exits: 0)
            #expect(app.launch == nil)
            #expect(app.output.hasPrefix("SESSION"))
            #expect(app.output.contains("sandbox/ada"))
        }
    }

    @Test(arguments: [["TERM": "dumb"], ["TERM": ""]])
    func dumbTerminalGetsPlainPrompts(environment: [String: String]) async throws {
        try await signedIn { _, world in
            for arguments in [[], ["--plain"]] {
                let result = await world.run(arguments, user: .init(hasTerminal: true, lines: ["1", "esc", "q", "q"]), with: environment)
                #expect(result.launch == nil)
                #expect(result.output.isEmpty)
                #expect(result.errors.contains("1) signed in  sandbox/ada"))
                #expect(result.errors.contains("yett > Sessions > sandbox/ada"))
                #expect(!result.errors.contains("\u{1B}"))
            }
            // Without an interactive input, it prints the status there too.
            #expect(await world.run(with: environment).output.hasPrefix("SESSION"))
        }
    }

    @Test func appLoadsThemesAndHonoursNoColor() async throws {
        try await signedIn { _, world in
            let launch = try #require(await world.run(user: .init(hasTerminal: true)).launch)
            #expect(launch.environment.settings.theme == "gate")
            #expect(launch.environment.settings.themes.count >= 3)
            #expect(launch.options.colorLimit == .trueColor)
            #expect(try await launch.service.sessions().count == 1)
            let plain = try #require(await world.run(user: .init(hasTerminal: true), with: ["NO_COLOR": "1"]).launch)
            #expect(plain.options.colorLimit == .mono)
            try await launch.environment.saveSetting(SettingChange(.theme, .word("plain")))
            #expect(try world.text(world.configurationPath).contains("theme = \"plain\""))
            #expect(await world.run(user: .init(hasTerminal: true)).launch?.environment.settings.theme == "plain")
        }
    }

    @Test func execPutsTheTokenOnlyIntoTheEnvironment() async throws {
        try await signedIn { _, world in
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let result = await world.run("exec", "sandbox", "--", "forbidden", "--config", "x", exits: 126)
            let replacement = try #require(result.replacement)
            #expect(replacement.arguments == ["forbidden", "--config", "x"])
            #expect(replacement.environment["ACCESS_TOKEN"] == token)
            #expect(replacement.environment["YETT_ACCESS_TOKEN"] == token)
            #expect(replacement.environment["HOME"] == world.home)
            #expect(!result.errors.contains(token))
            #expect(await world.run("exec", "sandbox", "--", "missing").status == 127)
            #expect(await world.run("exec", "sandbox").status == 64)
        }
    }

    @Test func inspectVerifiesAndNeverShowsAToken() async throws {
        try await signedIn { _, world in
            let access = String(await world.run("token", "sandbox").output.dropLast())
            let idToken = String(await world.run("token", "sandbox", "--id-token").output.dropLast())
            let result = await world.run("inspect", "sandbox", "--json", exits: 0)
            let tokens = try #require(try result.json["tokens"]?.array)
            #expect(tokens.compactMap { $0["kind"]?.string } == ["access", "refresh", "id"])
            #expect(tokens.last?["verified"] == true)
            #expect(tokens.last?["claims"]?["sub"] == "sandbox-ada")
            let stdin = await world.run("inspect", "-", user: .init(lines: ["", "Bearer \(idToken)"]), exits: 0)
            #expect(stdin.output.contains("verified with ES256"))
            for output in [result.output, stdin.output, await world.run("inspect").output] {
                #expect(!output.contains(access) && !output.contains(idToken))
            }
            #expect(await world.run("inspect", "-").status == 64)
        }
    }

    @Test func opaqueTokenIsLabelledAndNotSentAnywhere() async throws {
        try await signedIn { server, world in
            server.clearRequests()
            let token = "an-opaque-token-0123456789abcdef"
            let result = await world.run("inspect", "-", user: .init(lines: [token]), exits: 0)
            #expect(result.output == "access token: an-opa… [32 characters], opaque\n")
            #expect(result.errors.contains("the token is opaque") && result.errors.contains("yett inspect - --provider NAME"))
            let other = await world.run("inspect", "-", "--provider", "sandbox", user: .init(lines: [token]), exits: 2)
            #expect(other.errors.contains("requires a client with credentials"))
            #expect(!server.requests.contains { $0.path == "/introspect" })
            #expect(await world.run("inspect", "-", "--provider", "nobody", user: .init(lines: [token])).status == 2)
            #expect(await world.run("inspect", "sandbox", "--provider", "sandbox").status == 64)
        }
    }

    @Test func namedProviderIntrospectsAnOpaqueToken() async throws {
        try await signedIn { server, world in
            try world.configure(
                issuer: server.issuer,
                more: """
                    [providers.api]
                    kind = "oauth2"
                    issuer = "\(server.issuer)"
                    client_id = "yett-confidential"
                    client_secret_command = ["echo", "confidential-secret-0123456789"]
                    """)
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let result = await world.run("inspect", "-", "--provider", "api", "--json", user: .init(lines: ["Bearer \(token)"]), exits: 0)
            let view = try #require(try result.json["tokens"]?.array?.first)
            #expect(view["claims"]?["active"] == true)
            #expect(view["claims"]?["username"] == "ada")
            #expect(view["reason"]?.string?.contains("says that it is active") == true)
            #expect(!result.output.contains(token))
            let other = await world.run("inspect", "-", "--provider", "api", user: .init(lines: ["no-token-of-theirs-0123456789"]))
            #expect(other.output.contains("says that it is not active"))
        }
    }

    @Test func signOutPrintsAReceiptAndRemovesTheSession() async throws {
        try await signedIn { (sandbox, world) async throws in
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let result = await world.run("logout", exits: 0)
            #expect(
                result.output == """
                    sandbox/ada: signed out
                      revoke the refresh token: done
                      revoke the access token: done
                      forget here: done

                    """)
            #expect(try await world.sessions().isEmpty)
            #expect(await world.run("logout").status == 9)
            #expect(sandbox.requests.filter { $0.path.contains("revoke") }.count == 2)
            #expect(!result.errors.contains(token))
        }
    }

    @Test func browserSessionIsEndedInTheBrowser() async throws {
        try await signedIn { sandbox, world in
            let before = world.openedAddresses.count
            // The clock stands still: no browser comes too late.
            let result = await world.run(["logout", "--browser", "--json"], time: ManualTime(now: world.time.now), exits: 0)
            #expect(world.openedAddresses.count == before + 1)
            let address = try result.json["receipts"]?.array?.first?["browser_url"]?.string
            #expect(address == sandbox.issuer + "/logout?client_id=yett")
            #expect(world.openedAddresses.last?.origin.host == "127.0.0.1")
        }
    }

    @Test func localSignOutTellsNoProvider() async throws {
        try await signedIn { (sandbox, world) async throws in
            sandbox.clearRequests()
            #expect(await world.run("logout", "--local").status == 0)
            #expect(sandbox.requests.isEmpty)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func logoutAllSignsOutEverySession() async throws {
        try await signedIn { sandbox, world in
            await sandbox.autoApprove(as: "grace")
            try await world.signIn()
            #expect(await world.run("logout").status == 64)
            let result = await world.run("logout", "--all", "--json", exits: 0)
            #expect(try result.json["receipts"]?.array?.count == 2)
            #expect(await world.run("logout", "--all").status == 0)
        }
    }
}
