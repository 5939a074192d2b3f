import AuthModel
import Glibc
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// ArcGIS from the user's side: the real command at the sandbox's portal and servers.
struct ArcGISCommandTests {
    typealias Server = VendorServer<ArcGISSettings>

    static let privateItem = "/sharing/rest/content/items/00000000000000000000000000000002"
    static let token = "/sharing/rest/oauth2/token"
    static let federated = "/server/rest/services/Traffic/MapServer"
    static let lonely = "/lonely/rest/services/Traffic/MapServer"

    /// Runs the sandbox's portal as the provider `ag`.
    static func running(
        _ settings: ArcGISSettings = ArcGISSettings(), client: String? = "yett-arcgis", more: String = "",
        _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await Server.running(settings, common: VendorServerSettings(autoApproves: "ada")) { server in
            let world = try CommandWorld.configured(
                """
                [providers.ag]
                kind = "arcgis"
                portal_url = "\(server.origin)"
                \(client.map { "client_id = \"\($0)\"" } ?? "")
                \(more)
                """)
            try await body(server, world)
        }
    }

    static func signedIn(
        _ settings: ArcGISSettings = ArcGISSettings(), more: String = "", _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        try await running(settings, more: more) { server, world in
            try await world.signIn("ag")
            server.clearRequests()
            try await body(server, world)
        }
    }

    static func calls(_ server: Server, _ path: String) -> [LoggedRequest] { server.requests.filter { $0.path == path } }

    static let user = CommandWorld.User(
        hasTerminal: true, lines: ["ada"], hiddenLines: ["correct horse battery staple"])

    // MARK: AG-1, AG-5, AG-14: signing in

    @Test(arguments: [("-1", "129600"), ("0", nil), ("600", "600")] as [(String, String?)])
    func refreshMinutesSetTheExpiration(minutes: String, expiration: String?) async throws {
        try await Self.running(more: "refresh_minutes = \(minutes)\nlocale = \"de\"\nstyle = \"dark\"") { server, world in
            try await world.signIn("ag")
            let request = try #require(Self.calls(server, "/sharing/rest/oauth2/authorize").first)
            #expect(request.parameter("expiration") == expiration)
            #expect(request.parameter("locale") == "de" && request.parameter("style") == "dark")
            #expect(request.parameter("code_challenge_method") == "S256" && request.parameter("client_id") == "yett-arcgis")
            let redeemed = try #require(Self.calls(server, Self.token).first)
            #expect(redeemed.field("redirect_uri") == request.parameter("redirect_uri"))
            #expect(redeemed.field("code_verifier") != nil && redeemed.field("f") == "json")
        }
    }

    @Test func socialAccountUsesItsOwnPage() async throws {
        try await Self.running(more: "social = [\"google\", \"github\"]") { server, world in
            try await world.signIn("ag", "--idp", "google")
            let request = try #require(Self.calls(server, "/sharing/rest/oauth2/social/authorize").first)
            #expect(request.parameter("socialLoginProviderName") == "google")
            #expect(request.parameter("autoAccountCreateForSocial") == "true")
            await world.run(["login", "ag", "--force"], user: .init(hasTerminal: true, lines: ["3"]), exits: 0)
            #expect(Self.calls(server, "/sharing/rest/oauth2/social/authorize").last?.parameter("socialLoginProviderName") == "github")
            #expect(await world.run("login", "ag", "--idp", "facebook").status == 2)
        }
    }

    /// No other sign-in method is possible there, so standard input is read without an option.
    @Test(arguments: [["login", "ag", "--flow", "manual"], ["login", "ag"]])
    func shownCodeIsPasted(arguments: [String]) async throws {
        try await Self.running(more: "redirect = \"urn:ietf:wg:oauth:2.0:oob\"") { server, world in
            let (pastes, continuation) = AsyncStream.makeStream(of: String.self)
            let result = await world.run(
                arguments, browser: .isMissing, paste: pastes,
                told: { text in
                    guard let line = text.split(separator: "\n").first(where: { $0.contains("/oauth2/authorize?") }),
                        let url = WebURL(String(line.drop { $0 == " " }))
                    else { return }
                    Task {
                        let page = await world.answer(to: url).flatMap { WebURL(server.origin + $0) }
                        let code = FormEncoding.decode(page?.query ?? "")?.first { $0.name == "code" }?.value
                        continuation.yield(code ?? "nothing was shown")
                    }
                }, exits: 0)
            let redeemed = try #require(Self.calls(server, Self.token).first)
            #expect(redeemed.field("redirect_uri") == "urn:ietf:wg:oauth:2.0:oob")
            #expect(result.errors.contains("paste the code that the page shows here") && !result.errors.contains("full URL"))
        }
    }

    // MARK: AG-6: identity

    @Test func statusShowsUserRoleAndBothExpiryTimes() async throws {
        try await Self.signedIn { server, world in
            let session = try #require(try await world.sessions().first)
            #expect(session["session"] == "ag/ada" && session["state"] == "signed_in" && session["renewable"] == true)
            #expect(session["issuer"]?.string == server.origin)
            let granted = try #require(session["granted_at"]?.string.flatMap { Timestamp($0) })
            func seconds(_ name: String) throws -> Double {
                let end = try #require(session[name]?.string.flatMap { Timestamp($0) })
                return Double((end - granted).wholeSeconds)
            }
            #expect(try abs(seconds("access_expires_at") - 1800) <= 300)
            #expect(try abs(seconds("refresh_expires_at") - 1_209_600) <= 300)
            let named = try await world.run("status", "ag", "--json").json
            let identity = try #require(named["sessions"]?.array?.first?["identity"])
            #expect(identity["username"] == "ada" && identity["role"] == "org_admin" && identity["fullName"] == "Ada Lovelace")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func signInFailsWhenThePortalHidesTheUser() async throws {
        try await Self.running(ArcGISSettings.with { $0.hidesUser = true }) { (server, world) async throws in
            let result = await world.run("login", "ag", exits: 5)
            #expect(result.errors.contains("does not identify the user of the token"))
            #expect(try await world.sessions().isEmpty)
        }
    }

    // MARK: AG-2, AG-3, AG-4: challenges

    @Test func challengeSignsInAndRetriesTheRequest() async throws {
        try await Self.running { (server, world) async throws in
            let result = await world.run("request", "ag", server.origin + Self.privateItem, "--challenge", "prompt", exits: 0)
            #expect(try result.json["title"] == "Traffic")
            #expect(Self.calls(server, Self.privateItem).count == 2)
            #expect(Self.calls(server, "/sharing/rest/oauth2/authorize").count == 1)
        }
    }

    @Test func challengeFailsIfSignInIsNotAllowed() async throws {
        try await Self.running { server, world in
            let result = await world.run("request", "ag", server.origin + Self.privateItem, "--challenge", "fail", exits: 9)
            #expect(result.errors.contains("499 Token Required"))
            #expect(Self.calls(server, "/sharing/rest/oauth2/authorize").isEmpty)
        }
    }

    @Test func errorInASuccessfulResponseRenewsAndRetriesOnce() async throws {
        try await Self.signedIn { (server, world) async throws in
            server.change { $0.refusals498 = 1 }
            let result = await world.run("request", "ag", server.origin + Self.privateItem, exits: 0)
            #expect(try result.json["title"] == "Traffic")
            #expect(Self.calls(server, Self.token).map { $0.field("grant_type") } == ["refresh_token"])
            #expect(Self.calls(server, Self.privateItem).count == 2)
        }
    }

    @Test(arguments: [498, 499])
    func endlessRefusalEndsAfterOneRetry(code: Int) async throws {
        try await Self.signedIn { server, world in
            server.change { if code == 498 { $0.refusals498 = -1 } else { $0.refusals499 = -1 } }
            let result = await world.run("request", "ag", server.origin + Self.privateItem, exits: 6)
            #expect(result.errors.contains("\(code)"))
            #expect(Self.calls(server, Self.privateItem).count == 2)
            #expect(Self.calls(server, Self.token).count == 1)
        }
    }

    @Test func missingPermissionDoesNotRenew() async throws {
        try await Self.signedIn { server, world in
            server.change { $0.forbids = true }
            let result = await world.run("request", "ag", server.origin + Self.privateItem, exits: 5)
            #expect(result.errors.contains("403"))
            #expect(Self.calls(server, Self.token).isEmpty)
        }
    }

    @Test func denialAtTheChallengeEndsTheRequest() async throws {
        try await Self.running { server, world in
            server.change { $0.deniesSignIn = true }
            let result = await world.run("request", "ag", server.origin + Self.privateItem, "--challenge", "prompt", exits: 5)
            #expect(result.errors.contains("access_denied"))
            #expect(Self.calls(server, Self.token).isEmpty)
        }
    }

    @Test func anonymousRequestGetsPublicContent() async throws {
        try await Self.signedIn { (server, world) async throws in
            server.change { $0.refusals498 = -1 }
            let result = await world.run("request", "ag", server.origin + "/sharing/rest/search", "--challenge", "anonymous", exits: 0)
            #expect(try result.json["total"] == 1)
            #expect(result.errors.contains("sent without a token"))
            #expect(Self.calls(server, "/sharing/rest/search").last?.header("Authorization") == nil)
        }
    }

    @Test(arguments: [true, false])
    func jsonStatesWhetherTheRequestWasAnonymous(isAnonymous: Bool) async throws {
        try await Self.signedIn { server, world in
            server.change { $0.refusals498 = isAnonymous ? -1 : 0 }
            let result = await world.run(
                "request", "ag", server.origin + "/sharing/rest/search", "--challenge", "anonymous", "--json", exits: 0)
            let answer = try result.json
            #expect(answer["anonymous"] == .bool(isAnonymous) && answer["status"] == 200)
            #expect(answer["body"]?["total"]?.integer == (isAnonymous ? 1 : 2))
        }
    }

    // MARK: AG-7: renewal and exchange

    /// Advances both clocks.
    private func pass(_ duration: Duration, _ server: Server, _ world: CommandWorld) {
        server.advance(by: duration)
        world.time.advance(by: duration)
    }

    @Test func tokenIsExchangedInItsLastDayAndNotReused() async throws {
        try await Self.signedIn { server, world in
            pass(.seconds(13 * 86_400 + 3600), server, world)
            await world.run("token", "ag", exits: 0)
            let exchange = try #require(Self.calls(server, Self.token).first)
            #expect(exchange.field("grant_type") == "exchange_refresh_token" && exchange.field("redirect_uri") != nil)
            #expect(await world.run("renew", "ag").status == 0)
            let renewal = try #require(Self.calls(server, Self.token).last)
            #expect(renewal.field("grant_type") == "refresh_token")
            #expect(renewal.field("refresh_token") != exchange.field("refresh_token"))
        }
    }

    /// As after a crash between the portal's response and the store's write: the portal refuses the old token, and the error says so.
    @Test func oldTokenAfterAnExchangeNeedsANewSignIn() async throws {
        try await Self.signedIn { server, world in
            let before = try #require(try PrivateFile.read(world.storePath))
            pass(.seconds(13 * 86_400 + 3600), server, world)
            #expect(await world.run("token", "ag").status == 0)
            for end in ["-wal", "-shm"] { unlink(world.storePath + end) }
            try PrivateFile.replace(world.storePath, with: before)
            let result = await world.run("token", "ag", exits: 6)
            #expect(result.errors.contains("498 invalid_request") && result.errors.contains("sign in again with: yett login ag"))
            #expect(Self.calls(server, Self.token).count == 2)
            #expect(await world.run("login", "ag").status == 0)
        }
    }

    @Test(arguments: [
        ("exchange_minutes = 600", "exchange_refresh_token"), ("exchange_minutes = 0", "refresh_token"), ("", "refresh_token"),
    ])
    func exchangeMinutesSetTheTimeOfTheExchange(line: String, grant: String) async throws {
        try await Self.signedIn(more: line) { server, world in
            pass(.seconds(601 * 60), server, world)
            #expect(await world.run("token", "ag").status == 0)
            #expect(Self.calls(server, Self.token).map { $0.field("grant_type") } == [grant])
        }
    }

    @Test func expiredSessionAsksForANewSignIn() async throws {
        try await Self.signedIn { server, world in
            pass(.seconds(15 * 86_400), server, world)
            let result = await world.run("token", "ag", exits: 6)
            #expect(result.errors.contains("498") && result.errors.contains("sign in again"))
        }
    }

    @Test func renewalGivesAnotherToken() async throws {
        try await Self.signedIn { server, world in
            let before = await world.run("token", "ag").output
            await world.run("renew", "ag", "--json", exits: 0)
            let after = await world.run("token", "ag").output
            #expect(before != after && !after.isEmpty)
        }
    }

    @Test(arguments: [
        (ArcGISSettings.Renewal.expired, Int32(6), "498"), (.invalidClient, 6, "invalid_client_id"), (.failing, 7, "500"),
        (.page, 7, "JSON"),
    ])
    func failedRenewalStatesTheReason(renewal: ArcGISSettings.Renewal, status: Int32, word: String) async throws {
        try await Self.signedIn { server, world in
            server.change { $0.renewal = renewal }
            let result = await world.run("renew", "ag")
            #expect(result.status == status)
            #expect(result.errors.contains(word) && result.errors.contains("renewing the session"))
            let state = try #require(try await world.sessions().first)["state"]
            #expect(state?.string == (status == 6 ? "needs_sign_in" : "signed_in"))
        }
    }

    // MARK: AG-8: servers

    @Test func federatedServerGetsItsOwnTokenOnce() async throws {
        try await Self.signedIn { (server, world) async throws in
            for _ in 0..<2 {
                let result = await world.run("request", "ag", server.origin + Self.federated, exits: 0)
                #expect(try result.json["user"] == "ada")
            }
            let made = Self.calls(server, "/sharing/rest/generateToken")
            #expect(made.count == 1 && made.first?.field("serverUrl") == server.origin + "/server")
            let portal = await world.run("token", "ag").output.dropLast()
            #expect(Self.calls(server, Self.federated).allSatisfy { $0.header("Authorization") != "Bearer \(portal)" })
        }
    }

    @Test func refusedServerTokenIsReplaced() async throws {
        try await Self.signedIn { server, world in
            _ = await world.run("request", "ag", server.origin + Self.federated)
            server.change { $0.refusals498 = 1 }
            await world.run("request", "ag", server.origin + Self.federated, exits: 0)
            #expect(Self.calls(server, "/sharing/rest/generateToken").count == 2)
        }
    }

    @Test func serverOfAnotherPortalNeverGetsAToken() async throws {
        try await Self.signedIn(ArcGISSettings.with { $0.federation = .elsewhere }) { server, world in
            let result = await world.run("request", "ag", server.origin + Self.federated, exits: 8)
            #expect(result.errors.contains("belongs to a different portal"))
            let portal = await world.run("token", "ag").output.dropLast()
            let seen = server.requests.filter { $0.path.hasPrefix("/server") }
            #expect(!seen.isEmpty)
            #expect(seen.allSatisfy { $0.header("Authorization") == nil && $0.parameter("token") == nil && $0.field("token") == nil })
            #expect(!seen.contains { String(decoding: $0.body, as: UTF8.self).contains(portal) })
            // Public content needs no token.
            await world.run("request", "ag", server.origin + "/server/rest/services/Streets/MapServer", exits: 0)
        }
    }

    @Test func standaloneServerAsksForItsOwnPassword() async throws {
        try await Self.signedIn { server, world in
            let url = server.origin + Self.lonely
            let refused = await world.run("request", "ag", url, "--challenge", "fail", exits: 9)
            #expect(refused.errors.contains("not signed in at \(server.origin)/lonely"))
            let result = await world.run(["request", "ag", url, "--challenge", "prompt"], user: Self.user, exits: 0)
            #expect(result.errors.contains("You must sign in to access '127.0.0.1"))
            #expect(try result.json["user"] == "ada")
            let sessions = try await world.sessions()
            #expect(sessions.map { $0["session"]?.string } == ["ag/ada", "ag/ada@127.0.0.1"])
            // The log says where the user signed in.
            let log = await world.run("activity").output
            #expect(log.contains("signed in at \(server.origin)/lonely"), "\(log)")
            #expect(log.contains("signed in at \(server.origin)\n") || log.contains("signed in at \(server.origin) "), "\(log)")
            // The longest matching prefix decides which session is used.
            server.clearRequests()
            await world.run("request", "ag", url, exits: 0)
            #expect(Self.calls(server, "/lonely/tokens/generateToken").isEmpty)
            #expect(try await world.run("request", "ag", server.origin + Self.privateItem).json["title"] == "Traffic")
        }
    }

    // MARK: Passwords

    @Test func passwordSignsInWithoutAClient() async throws {
        try await Self.running(client: nil) { (server, world) async throws in
            let result = await world.run(["login", "ag"], user: Self.user, exits: 0)
            #expect(try await world.sessions().first?["session"] == "ag/ada")
            await world.run("request", "ag", server.origin + Self.privateItem, exits: 0)
            #expect(!result.errors.contains("correct horse"))
        }
    }

    @Test func wrongPasswordCanBeCorrected() async throws {
        try await Self.running(client: nil) { server, world in
            let user = CommandWorld.User(
                hasTerminal: true, lines: ["ada", ""], hiddenLines: ["wrong", "correct horse battery staple"])
            let result = await world.run(["login", "ag"], user: user, exits: 0)
            #expect(result.errors.contains("400 Unable to generate token. Invalid username or password."))
            #expect(Self.calls(server, "/sharing/rest/generateToken").count == 2)
        }
    }

    // MARK: AG-9, AG-10: sign-out and storage

    @Test func signOutRevokesAndForgets() async throws {
        try await Self.signedIn { server, world in
            await world.run("logout", "ag", "--json", exits: 0)
            let revoked = try #require(Self.calls(server, "/sharing/rest/oauth2/revokeToken").first)
            #expect(revoked.field("client_id") == "yett-arcgis" && revoked.field("auth_token") != nil && revoked.field("f") == "json")
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test(arguments: [ArcGISSettings.Revocation.failing, .refused])
    func signOutForgetsDespitePortalErrors(revocation: ArcGISSettings.Revocation) async throws {
        try await Self.signedIn { (server, world) async throws in
            server.change { $0.revocation = revocation }
            await world.run("logout", "ag", exits: 7)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func severalSignOutsRunInParallel() async throws {
        try await Self.signedIn { server, world in
            for name in ["grace", "linus"] {
                server.changeCommon { $0.autoApproves = name }
                try await world.signIn("ag")
            }
            // The sandbox answers none of the requests before all three have arrived.
            server.change { $0.revocationBatchSize = 3 }
            await world.run("logout", "--all", exits: 0)
            #expect(Self.calls(server, "/sharing/rest/oauth2/revokeToken").count == 3)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func memoryStoreSessionEndsWithTheProcess() async throws {
        try await Self.running(more: "[store]\nseal = \"memory\"") { server, world in
            try await world.signIn("ag")
            #expect(try await world.sessions().isEmpty)
        }
    }

    // MARK: Configuration

    @Test(arguments: [
        ("portal_url = \"http://gis.example.org\"", "portal_url"), ("portal_url = \"javascript:alert(1)\"", "portal_url"),
        ("portal_url = \"https://a.example\"\nstyle = \"pink\"", "style"),
        ("portal_url = \"https://a.example\"\nrefresh_minutes = -2", "refresh_minutes"),
        ("portal_url = \"https://a.example\"\nsocial = [\"myspace\"]", "social"), ("", "portal_url"),
        ("portal_url = \"https://a.example\"\nissuer = \"https://a.example\"", "issuer"),
    ])
    func invalidSettingsAreNamed(lines: String, key: String) async throws {
        let world = try CommandWorld.configured("[providers.ag]\nkind = \"arcgis\"\nclient_id = \"x\"\n\(lines)\n")
        let result = await world.run("login", "ag", exits: 2)
        #expect(result.errors.contains(key))
    }
}
