import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// The requirements of ArcGIS, each checked with the built command against the built sandbox.
@Suite(.startsPrograms) struct ArcGISRowTests {
    private let rows: VendorRows
    private static let token = "/sharing/rest/oauth2/token"
    private static let item = "/sharing/rest/content/items/00000000000000000000000000000002"
    private static let publicItem = "/sharing/rest/content/items/00000000000000000000000000000001"
    private static let service = "/server/rest/services/Traffic/MapServer"

    init() async throws { rows = try await VendorRows("arcgis", as: "ag") }

    @Test(arguments: [(-1, "129600"), (0, nil), (77, "77")] as [(Int, String?)])
    func refreshMinutesSetTheExpiration(minutes: Int, expiration: String?) async throws {
        try rows.configure("refresh_minutes = \(minutes)\nlocale = \"de\"\nstyle = \"dark\"\nsocial = [\"google\"]")
        #expect(try await rows.run("login", "ag", "--idp", "google").status == 0)
        let asked = try #require(try await rows.vendor.requests(at: "/sharing/rest/oauth2/social/authorize").first)
        #expect(asked.parameter("expiration") == expiration)
        #expect(asked.parameter("locale") == "de" && asked.parameter("style") == "dark")
        #expect(asked.parameter("socialLoginProviderName") == "google" && asked.parameter("autoAccountCreateForSocial") == "true")
    }

    @Test func challengeSignsInFailsOrContinuesAnonymously() async throws {
        let failed = try await rows.run("request", "ag", rows.origin + Self.item)
        #expect(failed.status == 9 && failed.errors.contains("499 Token Required"), "\(failed)")
        let anonymous = try await rows.run("request", "ag", rows.origin + Self.publicItem, "--challenge", "anonymous", "--json")
        #expect(anonymous.status == 0, "\(anonymous)")
        #expect(try JSONValue(strict: anonymous.output)["anonymous"] == true)
        try await rows.turn(["denies_sign_in": true])
        let denied = try await rows.run("request", "ag", rows.origin + Self.item, "--challenge", "prompt")
        #expect(denied.status == 5 && denied.errors.contains("access_denied"), "\(denied)")
        #expect(try await rows.vendor.requests(at: Self.token).isEmpty)
        try await rows.turn(["denies_sign_in": false])
        let item = try await rows.run("request", "ag", rows.origin + Self.item, "--challenge", "prompt")
        #expect(item.status == 0 && item.output.contains("Traffic"), "\(item)")
    }

    @Test func errorInASuccessfulResponseIsRetriedOnce() async throws {
        #expect(try await rows.run("login", "ag").status == 0)
        try await rows.turn(["refusals_498": 1])
        #expect(try await rows.run("request", "ag", rows.origin + Self.item).status == 0)
        #expect(try await rows.vendor.paths() == [Self.item, Self.token, Self.item])
        try await rows.turn(["refusals_498": -1])
        let always = try await rows.run("request", "ag", rows.origin + Self.item)
        #expect(always.status == 6 && always.errors.contains("498 Invalid token."), "\(always)")
        #expect(try await rows.vendor.requests(at: Self.item).count == 2)
        try await rows.turn(["refusals_498": 0, "forbids": true])
        let forbidden = try await rows.run("request", "ag", rows.origin + Self.item)
        #expect(forbidden.status == 5 && forbidden.errors.contains("403"), "\(forbidden)")
    }

    /// When `agent stop` returns, sessions with the lifetime of the agent have ended, however slow the portal is.
    @Test func stoppedAgentLeavesNoProcessLifetimeSession() async throws {
        try rows.configure("session_lifetime = \"process\"")
        func yett(_ arguments: String...) async throws -> ProgramResult {
            try await rows.home.program("yett-main", arguments, with: ["BROWSER": Browser.following]).run()
        }
        #expect(try await yett("login", "ag").status == 0)
        try await rows.turn([
            "answers": [["path": "/sharing/rest/oauth2/revokeToken", "status": 200, "body": "{\"success\": true}"]], "delay_ms": 1500,
        ])
        let stopped = try await yett("agent", "stop")
        // Stops right after the sign-in, without another request to the portal that would give the agent time.
        #expect(stopped.status == 0, "\(stopped)")
        #expect(try await rows.sessions().isEmpty)
        #expect(try await rows.vendor.requests(at: "/sharing/rest/oauth2/revokeToken").count == 1)
    }

    @Test func statusShowsTheIdentityAndBothExpiryTimes() async throws {
        #expect(try await rows.run("login", "ag").status == 0)
        let status = try await rows.run("status", "ag", "--json")
        let session = try #require(try JSONValue(strict: status.output)["sessions"]?.array?.first)
        #expect(session["identity"]?["username"] == "ada" && session["identity"]?["role"] == "org_admin")
        #expect(session["access_expires_at"]?.string != nil && session["refresh_expires_at"]?.string != nil)
    }

    @Test func refreshTokenInItsLastDayIsExchanged() async throws {
        try await rows.turn(["refresh_lifetime": 3600, "access_lifetime": 30])
        #expect(try await rows.run("login", "ag").status == 0)
        try await rows.turn(["access_lifetime": 1800])
        #expect(try await rows.run("token", "ag").status == 0)
        let sent = try #require(try await rows.vendor.requests(at: Self.token).first)
        #expect(sent.field("grant_type") == "exchange_refresh_token" && sent.field("redirect_uri") != nil)
        try await rows.turn(["renewal": "expired"])
        let ended = try await rows.run("renew", "ag")
        #expect(ended.status == 6 && ended.errors.contains("498 invalid_request: refresh_token expired"), "\(ended)")
        #expect(try await rows.vendor.requests(at: Self.token).allSatisfy { $0.field("refresh_token") != sent.field("refresh_token") })
    }

    @Test func federatedServerGetsItsOwnTokenOnceAndAnotherPortalsServerNone() async throws {
        #expect(try await rows.run("login", "ag").status == 0)
        let token = try await rows.run("token", "ag").output.filter { !$0.isNewline }
        try await rows.turn()
        for _ in 0..<2 { #expect(try await rows.run("request", "ag", rows.origin + Self.service).status == 0) }
        #expect(try await rows.vendor.requests(at: "/sharing/rest/generateToken").map { $0.field("serverUrl") != nil } == [true])
        #expect(try await rows.run("logout", "ag").status == 0)
        try await rows.turn(["federation": "elsewhere"])
        #expect(try await rows.run("login", "ag").status == 0)
        let refused = try await rows.run("request", "ag", rows.origin + Self.service)
        #expect(refused.status == 8 && refused.errors.contains("belongs to a different portal"), "\(refused)")
        let atServer = try await rows.vendor.requests().filter { $0.path.hasPrefix("/server") }
        #expect(!atServer.isEmpty && atServer.allSatisfy { !$0.holds(token) && $0.header("Authorization") == nil })
    }

    @Test func signOutRevokesInParallelAndAlwaysRemovesTheSession() async throws {
        let settings = rows.vendor.settings
        try rows.home.configure("[store]\nseal = \"key-file\"\n" + (1...3).map { "[providers.a\($0)]\n\(settings)\n" }.joined())
        for number in 1...3 { #expect(try await rows.run("login", "a\(number)").status == 0) }
        // The sandbox answers none of the requests before all three have arrived.
        try await rows.turn(["revocation_quorum": 3])
        #expect(try await rows.run("logout", "--all").status == 0)
        let revoked = try await rows.vendor.requests(at: "/sharing/rest/oauth2/revokeToken")
        #expect(revoked.map { $0.field("client_id") } == ["yett-arcgis", "yett-arcgis", "yett-arcgis"])
        #expect(revoked.allSatisfy { $0.field("auth_token") != nil })
        #expect(try await rows.run("login", "a1").status == 0)
        try await rows.turn(["revocation_quorum": 1, "revocation": "failing"])
        #expect(try await rows.run("logout", "a1").status == 7)
        #expect(try await rows.sessions().isEmpty)
    }

    @Test func untrustedCertificateIsRefusedBeforeTheBrowserOpens() async throws {
        try await rows.turn(["tls": "self_signed"])
        try rows.configure(without: ["portal_url"], "portal_url = \"https://\(rows.authority)\"")
        let refused = try await rows.run("login", "ag")
        #expect(refused.status == 8 && refused.errors.contains("untrusted certificate"), "\(refused)")
        #expect(try await rows.vendor.requests().isEmpty)
        let certificate = try await Resource.get(rows.origin + "/__certificate").body
        let file = try rows.home.write(certificate, to: "portal.pem")
        try rows.configure(without: ["portal_url"], "portal_url = \"https://\(rows.authority)\"\nca_file = \"\(file)\"")
        // A browser does not trust that file, so this test follows the redirect without one.
        let login = try rows.home.program("yett-main", ["login", "ag"], with: ["BROWSER": "none", "YETT_NO_AGENT": "1"]).start()
        let waiting = try await login.until { $0.errors.contains("/oauth2/authorize?") && $0.errors.contains("Wait for you") }
        let line = try #require(waiting.errors.split(separator: "\n").first { $0.contains("/oauth2/authorize?") })
        let address = String(line.drop { $0 == " " }).replacing("https://", with: "http://")
        let back = try await Resource.redirect(of: address)
        _ = try await Resource.get(back)
        let result = await login.finish()
        #expect(result.status == 0, "\(result)")
    }

    @Test func webTierAuthenticationIsNamed() async throws {
        #expect(try await rows.run("login", "ag").status == 0)
        try await rows.turn(["web_tier": "basic"])
        let basic = try await rows.run("request", "ag", rows.origin + Self.service, "--challenge", "fail")
        #expect(basic.status == 9 && basic.errors.contains("(basic)"), "\(basic)")
        let ntlm: JSONValue = ["path": .string(Self.service), "status": 401, "headers": ["WWW-Authenticate": "NTLM"]]
        try await rows.turn([
            "web_tier": "open", "answers": [ntlm, ["path": "/server/rest/info", "status": 401, "headers": ["WWW-Authenticate": "NTLM"]]],
        ])
        let unknown = try await rows.run("request", "ag", rows.origin + Self.service)
        #expect(unknown.status == 2 && unknown.errors.contains("NTLM"), "\(unknown)")
    }
}
