import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// AWS IAM Identity Center from the user's side: the real command at the sandbox's sign-in service and portal.
struct IdentityCenterCommandTests {
    typealias Server = VendorServer<IdentityCenterSettings>

    static func running(
        _ settings: IdentityCenterSettings = IdentityCenterSettings(), more: String = "",
        _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await Server.running(settings, common: VendorServerSettings(autoApproves: "ada")) { server in
            let world = try CommandWorld.configured(
                """
                [providers.aws]
                kind = "aws-sso"
                start_url = "\(server.origin)/start"
                region = "eu-central-1"
                endpoint = "\(server.origin)"
                \(more)
                """)
            try await body(server, world)
        }
    }

    static func signedIn(
        _ settings: IdentityCenterSettings = IdentityCenterSettings(), more: String = "",
        _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await running(settings, more: more) { server, world in
            try await world.signIn("aws")
            try await body(server, world)
        }
    }

    static func text(_ request: LoggedRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    static let helper = ["helper", "aws", "aws", "--account", "production", "--role", "ReadOnlyAccess"]
    static let credentials = "/federation/credentials"

    // MARK: The session

    @Test func browserSignsInAsTheCommandLineOfAWSDoes() async throws {
        try await Self.signedIn { server, world in
            let request = try #require(server.calls(of: "/authorize").first)
            #expect(request.parameter("scopes") == "sso:account:access" && request.parameter("code_challenge_method") == "S256")
            #expect(request.parameter("nonce") == nil && request.parameter("scope") == nil)
            #expect(request.parameter("redirect_uri")?.hasSuffix("/oauth/callback") == true)
            let registered = try #require(server.calls(of: "/client/register").first)
            #expect(Self.text(registered).contains("\"http://127.0.0.1/oauth/callback\""))
            let session = try #require(try await world.sessions().first)
            #expect(session["state"] == "signed_in" && session["renewable"] == true)
        }
    }

    @Test func deviceCodeSignsIn() async throws {
        // The clock skips waits of a second, which is the pause between two polls.
        try await Self.running { (server, world) async throws in
            await world.run(
                ["login", "aws", "--flow", "device"], user: .init(hasTerminal: true), time: CommandWorld.secondSkippingTime(),
                told: { line in
                    guard let code = line.split(separator: "and enter the code ").dropFirst().first,
                        let url = WebURL("\(server.origin)/device?user_code=\(code.prefix { !$0.isWhitespace })")
                    else { return }
                    Task { await world.visit(url) }
                }, exits: 0)
            #expect(try await world.sessions().first?["state"] == "signed_in")
        }
    }

    @Test func renewalReplacesTheRefreshToken() async throws {
        try await Self.signedIn { server, world in
            for _ in 0..<2 { #expect(await world.run("renew", "aws").status == 0) }
            let sent = server.calls(of: "/token").filter { Self.text($0).contains("\"refresh_token\"") }
            #expect(sent.count == 2 && sent[0].body != sent[1].body)
        }
    }

    @Test func revokedSessionNeedsASignIn() async throws {
        try await Self.signedIn { server, world in
            try server.set("revokes_sessions", to: true)
            let result = await world.run(Self.helper)
            #expect(result.status == 6 && result.output == "", "\(result.errors)")
            #expect(try await world.sessions().first?["state"] == "needs_sign_in")
        }
    }

    @Test(arguments: ["region", "kms_access", "kms_request", "throttling"])
    func refusalThatConcernsNoGrantKeepsTheSession(fault: String) async throws {
        try await Self.signedIn { server, world in
            try server.set("renewal_fault", to: .string(fault))
            let result = await world.run("renew", "aws")
            #expect(![0, 6].contains(result.status), "\(result.errors)")
            #expect(try await world.sessions().first?["state"] == "signed_in")
        }
    }

    @Test func registrationThatEndsEndsTheSession() async throws {
        try await Self.signedIn(IdentityCenterSettings.with { $0.registrationLifetime = .seconds(1800) }) { server, world in
            world.time.advance(by: .seconds(3500))
            let count = server.calls(of: "/token").count
            let result = await world.run("renew", "aws")
            #expect(result.status == 6 && result.errors.contains("registration"), "\(result.errors)")
            #expect(server.calls(of: "/token").count == count)
            // A clock that was wrong has ended nothing.
            world.time.advance(by: .seconds(-3500))
            await world.run("renew", "aws", exits: 0)
        }
    }

    /// The refresh token and the secret of the client are of one region.
    @Test func sessionOfAnotherRegionIsNotUsed() async throws {
        try await Self.signedIn { server, world in
            let count = server.calls(of: "/token").count
            let text = try world.text(world.configurationPath)
            try world.configure(text.split(separator: "eu-central-1", omittingEmptySubsequences: false).joined(separator: "eu-west-1"))
            await world.run("renew", "aws", exits: 2)
            #expect(server.calls(of: "/token").count == count)
        }
    }

    @Test func signOutEndsTheSessionAtAWS() async throws {
        try await Self.signedIn { server, world in
            let token = await world.run("token", "aws").output.dropLast()
            #expect(await world.run("logout", "aws").status == 0)
            let calls = server.calls(of: "/logout")
            #expect(calls.count == 1)
            #expect(calls[0].headers.contains { $0.name.lowercased() == "x-amz-sso_bearer_token" && $0.value == token })
        }
    }

    /// The access token has expired, so another one ends the session.
    @Test func signOutWithAnExpiredTokenEndsTheSessionToo() async throws {
        try await Self.signedIn { server, world in
            try server.set("access_lifetime", to: 3600)
            server.advance(by: .seconds(3700))
            #expect(await world.run("logout", "aws").status == 0)
            #expect(server.calls(of: "/logout").count == 2)
        }
    }

    // MARK: The console

    @Test func consoleOpensSignedInAndPrintsNoToken() async throws {
        try await Self.signedIn { server, world in
            let (visits, visit) = AsyncStream.makeStream(of: Void.self)
            let result = await world.run(
                ["console", "aws", "production/ReadOnlyAccess"],
                browser: .does { url in
                    await world.visit(url)
                    visit.finish()
                })
            try #require(result.status == 0, "\(result.errors)")
            // The command ends when the browser has left this machine, and so before AWS has answered it.
            for await _ in visits {}
            let login = try #require(server.calls(of: "/federation").last)
            #expect(login.parameter("Action") == "login" && login.parameter("Issuer") == server.origin + "/start")
            let token = try #require(login.parameter("SigninToken"))
            #expect(!(result.output + result.errors).contains(token))
            #expect(world.openedAddresses.last?.text.contains(token) == false)
            #expect(world.openedAddresses.last?.origin.host == "127.0.0.1")
        }
    }

    /// The role alone is enough if one provider has roles.
    @Test func consoleNeedsNoSessionIfOneProviderHasRoles() async throws {
        try await Self.signedIn { server, world in
            await world.run(["console", "000000000001/ReadOnlyAccess"], exits: 0)
            #expect(server.calls(of: "/federation").contains { $0.parameter("Action") == "getSigninToken" })
            let unnamed = await world.run(["console", "aws"])
            #expect(unnamed.status == 64 && unnamed.errors.contains("'aws' is not ACCOUNT/ROLE"), "\(unnamed.errors)")
            let text = try world.text(world.configurationPath)
            try world.configure(
                text + "\n[providers.other]\nkind = \"aws-sso\"\nstart_url = \"\(server.origin)/start\"\nregion = \"eu-central-1\"\n")
            let several = await world.run(["console", "000000000001/ReadOnlyAccess"])
            #expect(several.status == 64 && several.errors.contains("several providers have AWS roles: aws, other"), "\(several.errors)")
        }
    }

    // MARK: The configuration

    /// A browser shows the start URL with a fragment.
    @Test(arguments: ["", "/", "#", "#/", "/#/?tab=accounts"]) func startURLMayBeThatOfTheBrowser(end: String) async throws {
        let world = try CommandWorld.configured(
            "[providers.aws]\nkind = \"aws-sso\"\nstart_url = \"https://example.awsapps.com/start\(end)\"\nregion = \"eu-central-1\"\n")
        let shown = await world.run("providers", "show", "aws", "--json")
        #expect(try shown.json["provider"]?["start_url"] == "https://example.awsapps.com/start", "\(shown.errors)")
    }

    @Test func presetAsksForTheRegionAndTheStartURLOnly() async throws {
        let world = try CommandWorld()
        await world.run("providers", "add", "aws", "--mode", "directory", "--at", "eu-central-1/example", "--no-check", exits: 0)
        let text = try world.text(world.configurationPath)
        #expect(text.contains("start_url = \"https://example.awsapps.com/start\"") && text.contains("region = \"eu-central-1\""), "\(text)")
    }

    @Test(arguments: [
        "start_url = \"https://example.awsapps.com/start\"", "region = \"eu-central-1\"",
        "start_url = \"http://example.awsapps.com/start\"\nregion = \"eu-central-1\"",
        "start_url = \"https://example.awsapps.com/start\"\nregion = \"evil.example/\"",
        "start_url = \"https://example.awsapps.com/start\"\nregion = \"eu-central-1\"\nclient_id = \"x\"",
    ])
    func faultyConfigurationIsNamed(table: String) async throws {
        let world = try CommandWorld.configured("[providers.aws]\nkind = \"aws-sso\"\n" + table)
        #expect(await world.run("providers", "show", "aws").status == 2)
    }
}
