import AuthModel
import Crypto
import Testing

@testable import Sandbox

/// The ArcGIS portal and its servers, tested with plain requests.
@Suite(.serialized) struct ArcGISTests {
    typealias Server = VendorServer<ArcGISSettings>

    static let redirect = "http://127.0.0.1:9999/callback"
    static let verifier = String(repeating: "v", count: 64)
    static var challenge: String { SandboxBase64.url(Array(SHA256.hash(data: Array(verifier.utf8)))) }

    static func running(
        _ settings: ArcGISSettings = ArcGISSettings(), approving: String? = "ada", _ body: (Server) async throws -> Void
    ) async throws {
        let time = FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000))
        let server = try await Server(settings, common: VendorServerSettings(autoApproves: approving), time: time)
        try await server.stopping(after: body)
    }

    static func authorize(_ server: Server, social: Bool = false, _ changes: [(String, String?)] = []) async throws -> Reply {
        let parameters = [
            ("client_id", "yett-arcgis"), ("response_type", "code"), ("redirect_uri", redirect), ("state", "s1"),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        return try await Wire.get(
            server.origin + "/sharing/rest/oauth2/\(social ? "social/" : "")authorize?" + FormEncoding.encode(parameters.changed(changes)))
    }

    static func token(_ server: Server, _ fields: [(String, String)]) async throws -> JSONValue {
        let reply = try await Wire.post(server.origin + "/sharing/rest/oauth2/token", fields + [("client_id", "yett-arcgis")])
        #expect(reply.status == 200)
        return try reply.json()
    }

    static func tokens(_ server: Server, _ changes: [(String, String?)] = []) async throws -> JSONValue {
        let code = try #require(try await authorize(server, changes).locationParameter("code"))
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", verifier),
        ]
        return try await token(server, fields)
    }

    static func get(_ server: Server, _ path: String, token: String? = nil, headers: [(String, String)] = []) async throws -> JSONValue {
        let query = "?f=json" + (token.map { "&token=\($0)" } ?? "")
        let reply = try await Wire.get(server.origin + path + query, headers: headers)
        #expect(reply.status == 200)
        return try reply.json()
    }

    static func errorCode(_ json: JSONValue) -> Int64? { json["error"]?["code"]?.integer }

    @Test func codeGivesTokensForPrivateContent() async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server)
            #expect(tokens["expires_in"] == 1800 && tokens["refresh_token_expires_in"] == 1_209_600 && tokens["ssl"] == true)
            #expect(tokens["username"] == "ada")
            let token = try tokens.text("access_token")
            let item = "/sharing/rest/content/items/" + ArcGISPortal.privateItem
            #expect(try await Self.get(server, item, token: token)["title"] == "Traffic")
            for name in ["Authorization", "X-Esri-Authorization"] {
                #expect(try await Self.get(server, item, headers: [(name, "Bearer \(token)")])["title"] == "Traffic")
            }
            #expect(try await Self.errorCode(Self.get(server, item)) == 499)
            #expect(try await Self.errorCode(Self.get(server, item, token: "nonsense")) == 498)
            let me = try await Self.get(server, "/sharing/rest/portals/self", token: token)
            #expect(me["user"]?["username"] == "ada" && me["user"]?["role"] == "org_admin")
            #expect(try await Self.get(server, "/sharing/rest/portals/self")["user"] == nil)
            #expect(try await Self.get(server, "/sharing/rest/community/self", token: token)["email"] == "ada@example.org")
            #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self")) == 499)
        }
    }

    @Test func responsesAreHTMLUnlessJSONIsRequested() async throws {
        try await Self.running { server in
            let reply = try await Wire.get(server.origin + "/sharing/rest/content/items/" + ArcGISPortal.privateItem)
            #expect(reply.status == 200)
            #expect(reply.header("content-type")?.hasPrefix("text/html") == true)
            #expect(reply.text.contains("499"))
        }
    }

    @Test(arguments: [("60", 3600), ("129600", 7_776_000), ("999999", 7_776_000), (nil, 1_209_600)] as [(String?, Int64)])
    func expirationIsInMinutesAndLimited(asked: String?, seconds: Int64) async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server, [("expiration", asked)])
            #expect(tokens["refresh_token_expires_in"]?.integer == seconds)
        }
    }

    /// The response repeats the requested value, even if time passes between code and token.
    @Test func expirationIsReturnedToTheSecond() async throws {
        try await VendorServer<ArcGISSettings>.running(common: VendorServerSettings(autoApproves: "ada")) { (server) async throws in
            #expect(try await Self.tokens(server, [("expiration", "10")])["refresh_token_expires_in"] == 600)
        }
    }

    @Test func plainChallengesAreAccepted() async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server, [("code_challenge", Self.verifier), ("code_challenge_method", "plain")])
            #expect(tokens["access_token"]?.string != nil)
        }
    }

    @Test(
        arguments: [
            ("client_id", "other"), ("client_id", nil), ("redirect_uri", "http://127.0.0.1:9999/other"),
            ("redirect_uri", "https://evil.example/"),
            ("response_type", "token"), ("code_challenge_method", "S512"), ("expiration", "soon"),
        ] as [(String, String?)])
    func invalidRequestsStayOnThePage(name: String, value: String?) async throws {
        try await Self.running { server in
            let reply = try await Self.authorize(server, [(name, value)])
            #expect(reply.status == 400 && reply.location == nil)
        }
    }

    @Test func denialReturnsItsDescription() async throws {
        try await Self.running(ArcGISSettings.with { $0.deniesSignIn = true }) { server in
            let reply = try await Self.authorize(server)
            #expect(reply.locationParameter("error") == "access_denied")
            #expect(reply.locationParameter("error_description") == "The user has denied your request")
            #expect(reply.locationParameter("state") == "s1")
        }
    }

    @Test func pageAsksForTheUserWithoutAutomaticApproval() async throws {
        try await Self.running(approving: nil) { server in
            var visitor = Visitor(origin: server.origin)
            let page = try await Self.authorize(server)
            let action = "/sharing/rest/oauth2/authorize"
            let back = try await visitor.submit(page, action: action, [("sandbox_username", "grace")])
            #expect(back.locationParameter("code") != nil && back.locationParameter("state") == "s1")
            let denied = try await visitor.submit(page, action: action, [("sandbox_username", "")])
            #expect(denied.locationParameter("error") == "access_denied")
        }
    }

    @Test func codeIsValidOnceAndOnlyForItsRequest() async throws {
        try await Self.running { server in
            func redeem(_ code: String, redirect: String = Self.redirect, verifier: String? = Self.verifier) async throws -> JSONValue {
                try await Self.token(
                    server,
                    [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect)]
                        + (verifier.map { [("code_verifier", $0)] } ?? []))
            }
            func code() async throws -> String { try #require(try await Self.authorize(server).locationParameter("code")) }
            let first = try await code()
            #expect(try await redeem(first)["access_token"] != nil)
            #expect(try await Self.errorCode(redeem(first)) == 498)
            #expect(try await Self.errorCode(redeem(code(), redirect: "http://127.0.0.1:9998/callback")) == 498)
            #expect(try await Self.errorCode(redeem(code(), verifier: "wrong")) == 498)
            #expect(try await Self.errorCode(redeem(code(), verifier: nil)) == 498)
            let old = try await code()
            server.advance(by: .seconds(301))
            #expect(try await Self.errorCode(redeem(old)) == 498)
        }
    }

    @Test func plainChallengeIsTheVerifierItself() async throws {
        try await Self.running { server in
            for (verifier, isGood) in [(Self.verifier, true), (Self.verifier + "x", false)] {
                let changes = [("code_challenge", Self.verifier), ("code_challenge_method", "plain")]
                let code = try #require(try await Self.authorize(server, changes).locationParameter("code"))
                let answer = try await Self.token(
                    server,
                    [
                        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect),
                        ("code_verifier", verifier),
                    ])
                #expect((answer["access_token"] != nil) == isGood)
            }
        }
    }

    @Test func outOfBandCodeIsShown() async throws {
        try await Self.running { server in
            let reply = try await Self.authorize(server, [("redirect_uri", ArcGISPortal.outOfBand)])
            let location = try #require(reply.location)
            #expect(location.hasPrefix("/sharing/rest/oauth2/approval?code="))
            let code = try #require(reply.locationParameter("code"))
            #expect(try await Wire.get(server.origin + location).text.contains("SUCCESS code=\(code)"))
            let fields = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", ArcGISPortal.outOfBand),
                ("code_verifier", Self.verifier),
            ]
            #expect(try await Self.token(server, fields)["access_token"] != nil)
        }
    }

    @Test func socialSignInNeedsAnAllowedProvider() async throws {
        try await Self.running { server in
            let google = [("socialLoginProviderName", "google"), ("autoAccountCreateForSocial", "true")] as [(String, String?)]
            let letIn = try await Self.authorize(server, social: true, google)
            let refused = try await Self.authorize(server, social: true, [("socialLoginProviderName", "myspace")])
            #expect(letIn.locationParameter("code") != nil && refused.status == 400)
        }
    }

    @Test func refreshKeepsItsTokenAndAnExchangeRevokesIt() async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server, [("expiration", "60")])
            let refresh = try tokens.text("refresh_token")
            let renewed = try await Self.token(server, [("grant_type", "refresh_token"), ("refresh_token", refresh)])
            #expect(renewed["access_token"] != nil && renewed["refresh_token"] == nil)

            server.advance(by: .seconds(600))
            let exchange = [("grant_type", "exchange_refresh_token"), ("refresh_token", refresh)]
            #expect(try await Self.token(server, exchange)["error"]?["error"] == "invalid_redirect_uri")
            let exchanged = try await Self.token(server, exchange + [("redirect_uri", Self.redirect)])
            #expect(exchanged["refresh_token_expires_in"] == 3600)
            #expect(try exchanged.text("refresh_token") != refresh)
            // The old refresh token and the access tokens made from it are invalid.
            for token in try [tokens.text("access_token"), renewed.text("access_token")] {
                #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self", token: token)) == 498)
            }
            #expect(try await Self.errorCode(Self.token(server, [("grant_type", "refresh_token"), ("refresh_token", refresh)])) == 498)
            let fresh = try exchanged.text("access_token")
            #expect(try await Self.get(server, "/sharing/rest/community/self", token: fresh)["username"] == "ada")
        }
    }

    @Test func expiredAccessAndRefreshTokensHaveDifferentErrors() async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server, [("expiration", "60")])
            server.advance(by: .seconds(1801))
            let access = try tokens.text("access_token")
            #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self", token: access)) == 498)
            server.advance(by: .seconds(1800))
            let answer = try await Self.token(
                server, [("grant_type", "refresh_token"), ("refresh_token", tokens.text("refresh_token"))])
            #expect(answer["error"]?["code"] == 498 && answer["error"]?["error_description"] == "refresh_token expired")
            #expect(answer["error"]?["error"] == "invalid_request")
        }
    }

    @Test(arguments: [
        (ArcGISSettings.Renewal.expired, Int64(498)), (.invalidClient, 400), (.failing, 500),
    ])
    func renewalCanBeMadeToFail(renewal: ArcGISSettings.Renewal, code: Int64) async throws {
        try await Self.running { server in
            let refresh = try await Self.tokens(server).text("refresh_token")
            server.change { $0.renewal = renewal }
            let answer = try await Self.token(server, [("grant_type", "refresh_token"), ("refresh_token", refresh)])
            #expect(Self.errorCode(answer) == code)
        }
    }

    @Test func revokingARefreshTokenRevokesItsAccessTokens() async throws {
        try await Self.running { server in
            let tokens = try await Self.tokens(server)
            func revoke(_ token: String, client: String = "yett-arcgis") async throws -> JSONValue {
                try await Wire.post(
                    server.origin + "/sharing/rest/oauth2/revokeToken", [("auth_token", token), ("client_id", client), ("f", "json")]
                ).json()
            }
            let refresh = try tokens.text("refresh_token")
            #expect(try await revoke(refresh, client: "stranger")["error"]?["error"] == "invalid_client_id")
            #expect(try await revoke("never issued")["success"] == true)
            #expect(try await revoke(refresh)["success"] == true)
            let access = try tokens.text("access_token")
            #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self", token: access)) == 498)
            server.change { $0.revocation = .refused }
            #expect(try await revoke(refresh)["success"] == false)
        }
    }

    @Test func passwordGivesATokenBoundToItsReferer() async throws {
        try await Self.running { server in
            let url = server.origin + "/sharing/rest/generateToken"
            let user = [("username", "ada"), ("password", "correct horse battery staple"), ("f", "json")]
            let bound = [("client", "referer"), ("referer", "https://yett.example"), ("expiration", "60")]
            let answer = try await Wire.post(url, user + bound).json()
            let token = try answer.text("token")
            #expect(answer["expires"]?.integer ?? 0 > 1_700_000_000_000)
            #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self", token: token)) == 498)
            let page = [("Referer", "https://yett.example/page")]
            #expect(try await Self.get(server, "/sharing/rest/community/self", token: token, headers: page)["username"] == "ada")
            let wrong = try await Wire.post(url, [("username", "ada"), ("password", "wrong"), ("f", "json")] + bound).json()
            #expect(wrong["error"]?["message"] == "Unable to generate token.")
            #expect(wrong["error"]?["details"]?.strings == ["Invalid username or password."])
            #expect(try await Self.errorCode(Wire.get(url + "?" + FormEncoding.encode(user)).json()) == 405)
        }
    }

    @Test func federatedServerAcceptsOnlyItsOwnTokens() async throws {
        try await Self.running { server in
            let portal = try await Self.tokens(server).text("access_token")
            let info = try await Self.get(server, "/server/rest/info")
            #expect(info["owningSystemUrl"]?.string == server.origin)
            let service = "/server/rest/services/Traffic/MapServer"
            #expect(try await Self.errorCode(Self.get(server, service, token: portal)) == 498)
            func serverToken(_ url: String) async throws -> JSONValue {
                try await Wire.post(
                    info["authInfo"]?["tokenServicesUrl"]?.string ?? "", [("token", portal), ("serverUrl", url), ("f", "json")]
                ).json()
            }
            let token = try await serverToken(server.origin + "/server").text("token")
            #expect(try await Self.get(server, service, token: token)["user"] == "ada")
            #expect(try await Self.errorCode(Self.get(server, "/sharing/rest/community/self", token: token)) == 498)
            #expect(try await Self.errorCode(serverToken(server.origin + "/lonely")) == 400)
            #expect(try await Self.get(server, "/lonely/rest/info")["owningSystemUrl"] == nil)
            server.change { $0.federation = .elsewhere }
            #expect(try await Self.get(server, "/server/rest/info")["owningSystemUrl"] == "https://other-portal.example/portal")
        }
    }

    @Test func publicContentNeedsNoToken() async throws {
        try await Self.running { server in
            let token = try await Self.tokens(server).text("access_token")
            #expect(try await Self.get(server, "/sharing/rest/search")["total"] == 1)
            #expect(try await Self.get(server, "/sharing/rest/search", token: token)["total"] == 2)
            #expect(try await Self.get(server, "/lonely/rest/services")["services"]?.array?.count == 1)
        }
    }

    @Test func refusalsAreCounted() async throws {
        try await Self.running { server in
            let token = try await Self.tokens(server).text("access_token")
            let path = "/sharing/rest/community/self"
            server.change { $0.refusals498 = 1 }
            #expect(try await Self.errorCode(Self.get(server, path, token: token)) == 498)
            #expect(try await Self.errorCode(Self.get(server, path, token: token)) == nil)
            server.change { $0.refusals499 = -1 }
            for _ in 0..<3 { #expect(try await Self.errorCode(Self.get(server, path, token: token)) == 499) }
            server.change {
                $0.refusals499 = 0
                $0.forbids = true
            }
            #expect(try await Self.errorCode(Self.get(server, path, token: token)) == 403)
        }
    }

    @Test func webTierMayRequireItsOwnAuthentication() async throws {
        try await Self.running(ArcGISSettings.with { $0.webTier = .basic }) { server in
            let url = server.origin + "/server/rest/services/Streets/MapServer?f=json"
            let refused = try await Wire.get(url)
            #expect(refused.status == 401)
            #expect(refused.header("www-authenticate") == "Basic realm=\"sandbox web tier\"")
            let credentials = SandboxBase64.standard(Array("ada:correct horse battery staple".utf8))
            #expect(try await Wire.get(url, headers: [("Authorization", "Basic \(credentials)")]).json()["mapName"] == "Streets")
            server.change { $0.webTier = .digest }
            #expect(try await Wire.get(url).header("www-authenticate")?.hasPrefix("Digest realm=") == true)
        }
    }

    @Test func settingsCanBeChangedByNameOverHTTP() async throws {
        try await Server.running(common: VendorServerSettings(autoApproves: "ada", showsControls: true)) { server in
            let answer = try await Wire.ask(
                .post, server.origin + "/__set", headers: [("Content-Type", "application/json")],
                body: #"{"renewal":"expired","refusals_498":2,"clock_advance":60}"#)
            #expect(answer?.status == 200)
            #expect(server.settings.renewal == .expired && server.settings.refusals498 == 2)
            let wrong = try await Wire.ask(.post, server.origin + "/__set", body: #"{"renewal":"sometimes"}"#)
            #expect(wrong?.status == 400)
        }
    }
}
