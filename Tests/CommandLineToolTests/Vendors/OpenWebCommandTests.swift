import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// OpenWeb from the user's side: the real command at the sandbox's gateway and publisher.
struct OpenWebCommandTests {
    typealias Server = VendorServer<OpenWebSettings>

    static let password = "correct horse battery staple"
    static let ada = CommandWorld.User(hasTerminal: true, lines: ["ada"], hiddenLines: [password])
    static let grace = CommandWorld.User(hasTerminal: true, lines: ["grace"], hiddenLines: ["nanosecond"])

    /// Runs the sandbox's site as the provider `ow`.
    static func running(
        _ settings: OpenWebSettings = OpenWebSettings(), keys: String? = nil, more: String = "",
        _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await Server.running(settings) { server in
            let world = try CommandWorld()
            let codes = "publisher_login_url = \"\(server.origin)/api/login\"\ncodeb_url = \"\(server.origin)/api/spotim-sso\""
            let patience = more.contains("renew_timeout") ? "" : "renew_timeout = 600"
            try world.configure(
                """
                [providers.ow]
                kind = "openweb"
                gateway_url = "\(server.origin)"
                spot_id = "sp_sandbox"
                \(patience)
                \(keys ?? codes)
                \(more)
                """)
            try await body(server, world)
        }
    }

    static func signedIn(
        _ settings: OpenWebSettings = OpenWebSettings(), more: String = "", _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await running(settings, more: more) { server, world in
            let result = await world.run(["login", "ow"], user: ada)
            try #require(result.status == 0, "\(result.errors)")
            server.clearRequests()
            try await body(server, world)
        }
    }

    /// Signs in at a site whose publisher is the provider `work`.
    static func signedInThroughThePublisher(_ body: (SandboxServer, Server, CommandWorld) async throws -> Void) async throws {
        try await SandboxServer.running(.lasting) { publisher in
            var settings = OpenWebSettings()
            settings.acceptsForeignTokens = true
            settings.vouchesFor = "ada"
            try await Server.running(settings) { server in
                let world = try CommandWorld.configured(
                    """
                    [providers.ow]
                    kind = "openweb"
                    gateway_url = "\(server.origin)"
                    spot_id = "sp_sandbox"
                    publisher = "work"
                    codeb_url = "\(server.origin)/api/spotim-sso"
                    [providers.work]
                    kind = "oidc"
                    issuer = "\(publisher.issuer)"
                    client_id = "yett"
                    """)
                try await world.signIn("work")
                try await world.signIn("ow")
                try await body(publisher, server, world)
            }
        }
    }

    /// The paths of the requests, without the site's configuration, which belongs to no step.
    static func paths(_ server: Server) -> [String] { server.requests.map(\.path).filter { !$0.hasPrefix("/config/") } }

    static func states(_ world: CommandWorld) async throws -> [String] {
        try await world.sessions().map { "\($0["session"]?.string ?? "") \($0["state"]?.string ?? "")" }
    }

    // MARK: OW-1 to OW-4: the standard flow

    @Test func signInStepsRunInOrder() async throws {
        try await Self.running { server, world in
            let result = await world.run(["login", "ow"], user: Self.ada, exits: 0)
            #expect(
                Self.paths(server) == [
                    "/api/login", "/user/login", "/user/sso/start", "/api/spotim-sso",
                    "/api/sso/v1/register-user", "/user/sso/complete",
                ])
            #expect(try await Self.states(world) == ["ow/ada signed_in"])
            #expect(try await world.sessions().first?["subject"] == "u_ada")
            let backend = try #require(server.requests.first { $0.path == "/api/spotim-sso" })
            #expect(backend.header("access-token-network") != nil)
            let register = try #require(server.requests.first { $0.path == "/api/sso/v1/register-user" })
            #expect(register.parameter("primary_key") == "sandbox-ada" && register.parameter("user_name") == "ada")
            #expect(register.parameter("code_a") != nil)
            // Only the backend sends a request with OpenWeb's secret, and without a User-Agent.
            #expect(register.header("User-Agent") == nil && Self.paths(server).count { $0 == "/api/sso/v1/register-user" } == 1)
            // One installation has one identifier.
            let names = Set(server.requests.filter { $0.path.hasPrefix("/user") }.map { $0.header("x-guid") ?? "" })
            #expect(names.count == 1 && names.first?.isEmpty == false)
            #expect(!result.errors.contains(Self.password))
        }
    }

    /// A second header field, which is sent back unchanged until a response replaces it.
    @Test func openWebTokenIsSentWithLaterRequests() async throws {
        try await Self.signedIn(OpenWebSettings.with { $0.token = "owt-1" }) { server, world in
            await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            #expect(server.calls(of: "/comment").first?.header("x-openweb-token") == "owt-1")
        }
    }

    @Test func wrongPasswordEndsBeforeTheGatewayIsAsked() async throws {
        try await Self.running { server, world in
            let user = CommandWorld.User(hasTerminal: true, lines: ["ada", "", ""], hiddenLines: ["a", "b", "c"])
            let result = await world.run(["login", "ow"], user: user, exits: 5)
            #expect(result.errors.contains("the publisher") && result.errors.contains("401"))
            #expect(Set(Self.paths(server)) == ["/api/login"])
        }
    }

    @Test func signingInTwiceIsRefusedUnlessForced() async throws {
        try await Self.signedIn { server, world in
            await world.run(["login", "ow"], user: Self.ada, exits: 10)
            #expect(server.requests.isEmpty)
            await world.run(["login", "ow", "--force"], user: Self.ada, exits: 0)
            #expect(Self.paths(server).prefix(4) == ["/api/login", "/user/logout", "/user/login", "/user/sso/start"])
        }
    }

    @Test func startWithoutACodeNamesTheStep() async throws {
        try await Self.running(OpenWebSettings.with { $0.omitsCodeA = true }) { (server, world) async throws in
            let result = await world.run(["login", "ow"], user: Self.ada, exits: 5)
            #expect(result.errors.contains("startSSO returned no code_a"))
            #expect(!Self.paths(server).contains("/api/spotim-sso"))
            #expect(try await Self.states(world) == ["ow/guest guest"])
        }
    }

    @Test func failedCompletionLeavesAGuest() async throws {
        try await Self.running(OpenWebSettings.with { $0.completes = false }) { (_, world) async throws in
            let result = await world.run(["login", "ow"], user: Self.ada, exits: 5)
            #expect(result.errors.contains("completeSSO rejected"))
            #expect(try await Self.states(world) == ["ow/guest guest"])
        }
    }

    @Test(arguments: [
        (OpenWebSettings.Registration.json, Int32(0)), (.text, 0), (.requestID, 5), (.refused, 7),
    ])
    func codeBIsAcceptedInEveryKnownShape(shape: OpenWebSettings.Registration, status: Int32) async throws {
        try await Self.running(OpenWebSettings.with { $0.registration = shape }) { _, world in
            let result = await world.run(["login", "ow"], user: Self.ada)
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains("step 4") == (shape == .requestID))
        }
    }

    @Test func failingGatewayIsAskedThreeTimes() async throws {
        try await Self.running { server, world in
            server.changeCommon { $0.failNext = ["/user/login:500", "/user/login:500"] }
            #expect(await world.run(["login", "ow"], user: Self.ada).status == 0)
            #expect(Self.paths(server).filter { $0 == "/user/login" }.count == 3)
        }
        try await Self.running { server, world in
            server.changeCommon { $0.failNext = Array(repeating: "/user/login:500", count: 9) }
            let result = await world.run(["login", "ow"], user: Self.ada, exits: 7)
            #expect(result.errors.contains("starting a guest session"))
            #expect(Self.paths(server).filter { $0 == "/user/login" }.count == 3)
        }
    }

    /// The session of another provider identifies the user to the publisher, at the sign-in and at a silent renewal.
    @Test func sessionOfAnotherProviderIdentifiesTheUser() async throws {
        try await Self.signedInThroughThePublisher { (_, server, world) async throws in
            #expect(try await Self.states(world).contains("ow/ada signed_in"))
            let token = await world.run("token", "work").output.dropLast()
            #expect(server.calls(of: "/api/spotim-sso").map { $0.header("Authorization") } == ["Bearer \(token)"])
            server.change { $0.refusals403 = 1 }
            await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            #expect(server.calls(of: "/api/spotim-sso").count == 2)
            // The token is the publisher's: the gateway never gets it.
            #expect(!server.requests.contains { $0.path.hasPrefix("/user") && $0.header("Authorization")?.contains(token) == true })
        }
    }

    // MARK: OW-5: JWT and provider

    @Test(arguments: [(OpenWebSettings.JWT.completes, Int32(0)), (.fails, 5), (.running, 0)])
    func jwtSignsInAtOnceOrContinuesWithCodes(jwt: OpenWebSettings.JWT, status: Int32) async throws {
        try await Server.running(OpenWebSettings.with { $0.jwt = jwt }) { server in
            let world = try CommandWorld.configured(
                """
                [providers.ow]
                kind = "openweb"
                gateway_url = "\(server.origin)"
                spot_id = "sp_sandbox"
                mode = "jwt"
                codeb_url = "\(server.origin)/api/spotim-sso"
                publisher_login_url = "\(server.origin)/api/login"
                """)
            let user = CommandWorld.User(
                hasTerminal: true, lines: ["ada"], hiddenLines: ["sandbox.ada.jwt", Self.password])
            let result = await world.run(["login", "ow"], user: user)
            #expect(result.status == status, "\(result.errors)")
            #expect(Self.paths(server).contains("/user/sso/complete") == (jwt == .running))
            #expect(!result.errors.contains("sandbox.ada.jwt"))
            #expect(world.files(containing: "sandbox.ada.jwt") == [])
        }
    }

    @Test func providerTokenSignsIn() async throws {
        try await Self.running(keys: "mode = \"provider\"\nprovider = \"piano\"\njwt_command = [\"echo\", \"sandbox-token-grace\"]") {
            (server, world) async throws in
            await world.run("login", "ow", exits: 0)
            #expect(try await Self.states(world) == ["ow/grace signed_in"])
            #expect(Self.paths(server) == ["/user/login", "/user/sso/provider"])
        }
    }

    // MARK: OW-6, OW-12: guests and their permissions

    @Test func firstRequestCreatesAGuest() async throws {
        try await Self.running { (server, world) async throws in
            let result = await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read", exits: 0)
            #expect(try result.json["by"] == "guest-1")
            #expect(try await Self.states(world) == ["ow/guest guest"])
            _ = await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read")
            #expect(Self.paths(server).filter { $0 == "/user/login" }.count == 1)
        }
    }

    @Test func actionWaitsForTheSignInAndRunsOnce() async throws {
        try await Self.running { (server, world) async throws in
            let comment = ["request", "ow", "-X", "POST", server.origin + "/comment", "--require", "signed-in"]
            await world.run(comment + ["--challenge", "fail"], exits: 9)
            #expect(server.requests.isEmpty)
            let result = await world.run(comment + ["--challenge", "prompt"], user: Self.ada, exits: 0)
            #expect(try result.json["by"] == "u_ada")
            #expect(Self.paths(server).filter { $0 == "/comment" }.count == 1)
        }
    }

    @Test func cancelledSignInDropsTheAction() async throws {
        try await Self.running { server, world in
            // The user's input ends at the question.
            let user = CommandWorld.User(hasTerminal: true, lines: ["ada"], hiddenLines: [])
            await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment", "--require", "loggedIn"], user: user, exits: 3)
            #expect(!Self.paths(server).contains("/comment"))
        }
    }

    @Test func guestWithoutPermissionIsToldToSignIn() async throws {
        try await Self.running { server, world in
            let result = await world.run("request", "ow", "-X", "POST", server.origin + "/comment", "--challenge", "fail", exits: 9)
            #expect(result.errors.contains("does not accept this from a guest") && result.errors.contains("403"))
            // One new session was tried.
            #expect(Self.paths(server).filter { $0 == "/comment" }.count == 2)
        }
    }

    // MARK: OW-7: silent renewal

    @Test func refusalRenewsSilentlyAndRetries() async throws {
        try await Self.signedIn { (server, world) async throws in
            server.change { $0.refusals403 = 1 }
            let result = await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            #expect(try result.json["by"] == "u_ada")
            #expect(
                Self.paths(server) == [
                    "/comment", "/user/data", "/user/sso/start", "/api/spotim-sso",
                    "/api/sso/v1/register-user", "/user/sso/complete", "/comment",
                ])
        }
    }

    @Test func concurrentRefusalsRenewOnce() async throws {
        try await Self.signedIn { server, world in
            server.change { $0.refusals403 = 1 }
            let url = server.origin + "/comment"
            let statuses = await withTaskGroup(of: Int32.self) { group in
                for _ in 0..<5 { group.addTask { await world.run("request", "ow", "-X", "POST", url).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [0, 0, 0, 0, 0])
            #expect(Self.paths(server).filter { $0 == "/user/data" }.count == 1)
            #expect(Self.paths(server).filter { $0 == "/api/spotim-sso" }.count == 1)
        }
    }

    @Test func refusalAfterARecoveryIsNotRecoveredAgain() async throws {
        try await Self.signedIn { server, world in
            server.change { $0.refusals403 = -1 }
            await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 6)
            #expect(Self.paths(server).filter { $0 == "/user/data" }.count == 1)
            _ = await world.run("request", "ow", "-X", "POST", server.origin + "/comment")
            #expect(Self.paths(server).filter { $0 == "/user/data" }.count == 1)
        }
    }

    @Test func silentPublisherLeavesAGuest() async throws {
        try await Self.signedIn(more: "renew_timeout = 1") { (server, world) async throws in
            server.change {
                $0.refusals403 = 1
                $0.publisherMode = .neverAnswers
            }
            let result = await world.run(
                ["renew", "ow"], untilDeadlineAfter: .seconds(1), from: "/api/spotim-sso", among: server.followRequests())
            #expect(result.status == 6)
            #expect(result.errors.contains("silent renewal") && result.errors.contains("1 s"))
            #expect(try await Self.states(world) == ["ow/ada guest"])
            // Guests may still read.
            await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read", exits: 0)
        }
    }

    @Test func renewalForAnotherUserIsRefused() async throws {
        try await Self.signedIn { (server, world) async throws in
            server.change { $0.vouchesFor = "grace" }
            let result = await world.run("renew", "ow", exits: 8)
            #expect(result.errors.contains("another user is signed in"))
            #expect(Self.paths(server).last == "/user/logout")
            #expect(try await Self.states(world) == ["ow/ada error"])
        }
    }

    @Test(arguments: [true, false])
    func usersWhoCannotBeRenewedAreNotRenewed(isSite: Bool) async throws {
        var settings = OpenWebSettings()
        settings.isSSOEnabled = !isSite
        settings.registersUsers = isSite
        try await Self.signedIn(settings) { (server, world) async throws in
            await world.run("renew", "ow", exits: 6)
            #expect(!Self.paths(server).contains("/user/sso/start"))
            #expect(try await Self.states(world) == ["ow/ada guest"])
        }
    }

    @Test func newAuthorizationInAResponseIsUsed() async throws {
        try await Self.signedIn(OpenWebSettings.with { $0.rotatesAuthorization = true }) { server, world in
            for _ in 0..<3 {
                await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            }
            #expect(Self.paths(server) == ["/comment", "/comment", "/comment"])
        }
    }

    // MARK: OW-9, OW-11: sign-out and several users

    @Test func signOutContinuesAsAGuestOfTheSameInstallation() async throws {
        try await Self.signedIn { (server, world) async throws in
            _ = await world.run("request", "ow", "-X", "POST", server.origin + "/comment")
            let before = server.requests.last?.header("x-guid")
            server.clearRequests()
            await world.run("logout", "ow", exits: 0)
            #expect(Self.paths(server) == ["/user/logout", "/user/data"])
            #expect(try await Self.states(world) == ["ow/guest guest"])
            _ = await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read")
            #expect(server.requests.last?.header("x-guid") == before)
        }
    }

    @Test func usersHaveSeparateTokens() async throws {
        try await Self.signedIn { server, world in
            await world.run(["login", "ow", "--account", "grace"], user: Self.grace, exits: 0)
            let states = try await Self.states(world)
            #expect(states == ["ow/ada signed_in", "ow/grace signed_in"])
            let url = server.origin + "/comment"
            #expect(try await world.run("request", "ow/ada", "-X", "POST", url).json["by"] == "u_ada")
            #expect(try await world.run("request", "ow/grace", "-X", "POST", url).json["by"] == "u_grace")
            let untouched = await world.run("token", "ow/grace").output
            server.change { $0.refusals403 = 1 }
            #expect(try await world.run("request", "ow/ada", "-X", "POST", url).json["by"] == "u_ada")
            #expect(await world.run("token", "ow/grace").output == untouched)
        }
    }

    // MARK: Configuration

    @Test(arguments: [
        ("spot_id = \"sp_x\"\naccess_token = \"secret\"", "access_token"), ("spot_id = \"sp x\"", "spot_id"), ("", "spot_id"),
        ("spot_id = \"sp_x\"", "codeb_url"), ("spot_id = \"sp_x\"\ncodeb_url = \"https://p.example/b\"", "publisher"),
        ("spot_id = \"sp_x\"\nmode = \"provider\"\nprovider = \"myspace\"", "provider"),
        ("spot_id = \"sp_x\"\nclient_id = \"x\"", "client_id"), ("spot_id = \"sp_x\"\ngateway_url = \"http://gw.example\"", "gateway_url"),
    ])
    func invalidSettingsAreNamed(lines: String, key: String) async throws {
        let world = try CommandWorld.configured("[providers.ow]\nkind = \"openweb\"\n\(lines)\n")
        let result = await world.run("login", "ow", exits: 2)
        #expect(result.errors.contains(key) && !result.errors.contains("secret\""))
    }
}
