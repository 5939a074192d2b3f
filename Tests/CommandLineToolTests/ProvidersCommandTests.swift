import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

struct ProvidersCommandTests {
    @Test func providerIsAddedAndRemovedWithoutOtherChanges() async throws {
        try await withEmptyHome(SignInTests.honest) { sandbox, world in
            let before = "# mine\n[ui]\ntheme = \"plain\" # quiet\n"
            try world.configure(before)
            let added = await world.run("providers", "add", sandbox.issuer, "--name", "box", "--client-id", "yett", "--json", exits: 0)
            #expect(added.output == "{\"version\":1,\"added\":\"box\"}\n")
            #expect(added.errors.contains("http://127.0.0.1/callback"))
            let text = try world.text(world.configurationPath)
            #expect(text.hasPrefix(before))
            #expect(text.contains("scopes = [\"openid\", \"profile\", \"email\", \"offline_access\"]"))
            let again = await world.run("providers", "add", sandbox.issuer, "--name", "box", "--client-id", "other", exits: 2)
            #expect(again.errors.contains("a provider named 'box' already exists"))
            let twin = await world.run("providers", "add", sandbox.issuer, "--name", "twin", "--client-id", "yett", exits: 2)
            #expect(twin.errors.contains("same issuer and client_id"))
            #expect(try world.text(world.configurationPath) == text)
            try await world.signIn()
            await world.run("providers", "remove", "box", exits: 10)
            await world.run("logout")
            #expect(await world.run("providers", "remove", "box", "--json").output == "{\"version\":1,\"removed\":\"box\"}\n")
            #expect(try world.text(world.configurationPath) == before)
        }
    }

    @Test func unreachableProviderIsNotAdded() async throws {
        let world = try CommandWorld()
        await world.run("providers", "add", "http://127.0.0.1:9", "--client-id", "yett", exits: 7)
        #expect(!FileStatus.exists(world.configurationPath))
        #expect(await world.run("providers", "add", "http://127.0.0.1:9", "--client-id", "yett", "--no-check").status == 0)
        #expect(FileStatus.mode(world.configurationPath) == 0o600)
        #expect(FileStatus.mode(world.home + "/.config/yett") == 0o700)
    }

    @Test func metadataURLStandsForItsIssuer() async throws {
        try await withEmptyHome(SignInTests.honest) { (sandbox, world) async throws in
            let address = sandbox.issuer + "/.well-known/openid-configuration"
            #expect(await world.run("providers", "add", address, "--client-id", "yett").status == 0)
            #expect(try world.text(world.configurationPath).contains("[providers.local]\n"))
            #expect(try world.text(world.configurationPath).contains("issuer = \"\(sandbox.issuer)\""))
        }
    }

    @Test func listShowAndRedirectPrintTheConfiguration() async throws {
        try await withSandbox(
            SignInTests.honest,
            more: """
                redirect = ["http://127.0.0.1/callback", "http://[::1]:8400/callback"]
                post_logout_redirect = "http://127.0.0.1/signed-out"
                """
        ) { sandbox, world in
            try await world.signIn()
            let list = try await world.run("providers", "--json").json
            #expect(list["version"] == 1)
            #expect(list["providers"]?.array?.first?["accounts"] == ["ada"])
            #expect(await world.run("providers", "list").output.contains("sandbox   oidc  \(sandbox.issuer)  ada"))
            #expect(await world.run("providers", "redirect", "sandbox").output == "http://127.0.0.1/callback\nhttp://[::1]:8400/callback\n")
            let redirects = try await world.run("providers", "redirect", "sandbox", "--json").json
            #expect(redirects["version"] == 1 && redirects["provider"] == "sandbox")
            #expect(redirects["redirects"]?.strings == ["http://127.0.0.1/callback", "http://[::1]:8400/callback"])
            let shown = await world.run("providers", "show", "sandbox").output.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(shown.contains(["login_timeout", "900"]))
            #expect(shown.contains { $0.joined(separator: " ") == "policy allow: your programs get tokens without a question" })
            #expect(try await world.run("providers", "show", "sandbox", "--json").json["provider"]?["policy"] == "allow")
            #expect(shown.contains(["post_logout_redirect", "http://127.0.0.1/signed-out"]))
            let unknown = await world.run("providers", "show", "sandbux", exits: 2)
            #expect(unknown.errors.contains("did you mean 'sandbox'?"))
        }
    }

    /// An issuer may end with a slash. What is written is what the metadata name; a configured issuer without it is still refused.
    @Test func issuerIsWrittenAsTheProviderNamesIt() async throws {
        try await withSandbox(SignInTests.honest) { sandbox, world in
            await sandbox.set(try FaultSet(names: ["discovery-issuer-trailing-slash"]))
            await world.run("providers", "add", sandbox.issuer, "--name", "box", "--client-id", "yett", exits: 0)
            #expect(try world.text(world.configurationPath).contains("issuer = \"\(sandbox.issuer)/\""))
            #expect(await world.run("providers", "check", "box").status == 0)
            #expect(await world.run("providers", "check", "sandbox").status == 8)
        }
    }

    @Test(arguments: [("discovery-issuer-other", Int32(8)), ("discovery-503", 7), ("discovery-html", 7)])
    func checkReportsTheError(fault: String, status: Int32) async throws {
        try await withSandbox(SignInTests.honest) { sandbox, world in
            let well = await world.run("providers", "check", exits: 0)
            #expect(well.output == "ok   sandbox: valid metadata, creates accounts\n")
            await sandbox.set(try FaultSet(names: [fault]))
            let ill = await world.run("providers", "check", "sandbox", "--json")
            #expect(ill.status == status, "\(ill.errors)")
            // A hint without an error would make no sense.
            #expect(ill.errors.hasPrefix("yett: error: sandbox: "))
            #expect(ill.errors.contains("\nyett: hint: "))
            #expect(try ill.json["providers"]?.array?.first?["ok"] == false)
        }
    }
}

struct DoctorTests {
    @Test func healthyMachineExitsWith0() async throws {
        try await withSandbox(SignInTests.honest) { _, world in
            let result = await world.run("doctor", "--json")
            #expect(result.status == 0, "\(result.output)")
            let checks = try #require(try result.json["checks"]?.array)
            #expect(
                checks.compactMap { $0["check"]?.string } == [
                    "yett", "terminal", "locale", "browser", "libcurl", "loopback v4", "loopback v6", "configuration", "store", "keyring",
                    "provider", "clock",
                ])
            #expect(!checks.contains { $0["outcome"] == "fail" })
        }
    }

    @Test func unreachableProviderExitsWith7() async throws {
        let world = try CommandWorld.configured(issuer: "http://127.0.0.1:9")
        let result = await world.run("doctor")
        #expect(result.status == 7, "\(result.output)")
        #expect(result.output.contains("fail provider      sandbox: "))
    }

    @Test func invalidConfigurationExitsWith2() async throws {
        let world = try CommandWorld.configured("[storr]\n")
        let result = await world.run("doctor", exits: 2)
        #expect(result.output.contains("did you mean 'store'?"))
        // What needs the configuration does not repeat its fault.
        try PrivateFile.makeDirectory(world.storeDirectory, isPrivate: true)
        let lines = await world.run("doctor", exits: 2).output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("fail ") } == 1, "\(lines)")
        for check in ["store   ", "keyring ", "provider"] {
            #expect(lines.contains("-    \(check)      not checked: fix the configuration first"), "\(lines)")
        }
    }

    /// RFC 9700 section 4.4: if neither `iss` nor the redirect distinguishes two providers, a code of one can be passed off as the other's.
    @Test(arguments: [("", true), (#"redirect = "http://127.0.0.1/callback/sandbox""#, false)])
    func providersOpenToMixUpAreNamed(_ redirect: String, _ isWarned: Bool) async throws {
        try await withSandbox(SignInTests.honest.with { $0.issuerParameter = .absent }) { honest, world in
            try await SandboxServer.running(SignInTests.honest) { other in
                try world.configure(
                    issuer: honest.issuer,
                    more: """
                        \(redirect)
                        [providers.other]
                        kind = "oidc"
                        issuer = "\(other.issuer)"
                        client_id = "yett"
                        """)
                let result = await world.run("doctor")
                #expect(result.status == 0, "\(result.output)")
                #expect(result.output.contains("warn mix-up") == isWarned, "\(result.output)")
            }
        }
    }

    @Test func wrongClockExitsWith2() async throws {
        try await withSandbox(SignInTests.honest.with { $0.dateHeaderSkew = .seconds(7200) }) { _, world in
            let result = await world.run("doctor", exits: 2)
            #expect(result.output.contains("behind sandbox"))
        }
    }
}

struct ThemeCommandTests {
    @Test func everyShippedThemeIsListedAndValid() async throws {
        let world = try CommandWorld()
        let themes = try #require(try await world.run("theme", "list", "--json").json["themes"]?.array)
        #expect(
            themes.compactMap { $0["name"]?.string } == [
                "amber", "chalk", "contrast", "daylight", "dusk", "gate", "harbour", "moss", "plain",
            ])
        #expect(themes.filter { $0["current"] == true }.compactMap { $0["name"]?.string } == ["gate"])
    }

    @Test func ownThemeIsCheckedAndUsed() async throws {
        let world = try CommandWorld()
        let shipped = String(decoding: ThemeFixture.gate, as: UTF8.self)
        try PrivateFile.makeDirectory(world.home + "/.config/yett/themes")
        let path = world.home + "/.config/yett/themes/mine.toml"
        try PrivateFile.replace(path, with: Array(shipped.utf8))
        #expect(await world.run("theme", "check", path).status == 0)
        #expect(await world.run("theme", "show", "mine").output.hasPrefix("mine: "))
        try PrivateFile.replace(path, with: Array(shipped.replacing("[roles]", with: "[rolls]").utf8))
        let broken = await world.run("theme", "check", path, exits: 2)
        #expect(broken.errors.contains("rolls"))
        let listed = await world.run("theme", "list", exits: 0)
        #expect(listed.errors.contains("mine.toml"))
        #expect(await world.run("theme", "show", "dailight").errors.contains("did you mean 'daylight'?"))
    }

    @Test func sampleIsColouredOnATerminalOnly() async throws {
        let world = try CommandWorld()
        #expect(!(await world.run("theme", "show").output.contains("\u{1B}")))
        #expect(await world.run("theme", "show", user: .init(hasTerminal: true)).output.contains("\u{1B}["))
        #expect(!(await world.run("theme", "show", user: .init(hasTerminal: true), with: ["NO_COLOR": "1"]).output.contains("\u{1B}")))
    }
}
