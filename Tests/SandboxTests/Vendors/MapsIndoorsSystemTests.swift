import AuthModel
import Testing

@testable import Sandbox

/// The sandbox's MapsIndoors, tested with plain requests.
struct MapsIndoorsSystemTests {
    private static let verifier = String(repeating: "v", count: 43)

    private func running(
        _ settings: MapsIndoorsSettings = MapsIndoorsSettings(), common: VendorServerSettings = VendorServerSettings(autoApproves: "ada"),
        _ body: (VendorServer<MapsIndoorsSettings>) async throws -> Void
    ) async throws {
        try await VendorServer.running(settings, common: common) { try await body($0) }
    }

    private func authorize(_ server: VendorServer<MapsIndoorsSettings>, _ changes: [(String, String?)] = []) async throws -> Reply {
        let parameters = [
            ("client_id", "mapsindoors-app"), ("redirect_uri", "http://127.0.0.1:50123/callback"), ("response_type", "code"),
            ("scope", "openid profile client-apis offline_access"), ("state", "s"), ("nonce", "n"),
            ("code_challenge", AuthorizationCodes<Int>.challenge(for: Self.verifier)), ("code_challenge_method", "S256"),
        ]
        return try await Wire.get(server.origin + "/connect/authorize?" + FormEncoding.encode(parameters.changed(changes)))
    }

    private func redeem(
        _ server: VendorServer<MapsIndoorsSettings>, code: String, verifier: String = verifier
    ) async throws -> Reply {
        try await Wire.post(
            server.origin + "/connect/token",
            [
                ("grant_type", "authorization_code"), ("client_id", "mapsindoors-app"), ("code", code),
                ("redirect_uri", "http://127.0.0.1:50123/callback"), ("code_verifier", verifier),
            ])
    }

    @Test func responseCanBeInTheFragment() async throws {
        try await running { server in
            let reply = try await authorize(server, [("response_mode", "fragment")])
            #expect(reply.header("location")?.hasPrefix("http://127.0.0.1:50123/callback#code=") == true)
        }
    }

    // MARK: Common to every vendor's system

    /// A client with its own redirect URIs has no others.
    @Test func redirectsAreRegisteredForEachClient() async throws {
        try await running { server in
            let own: JSONValue = ["mapsindoors-app": ["http://127.0.0.1/own"]]
            try server.set("client_redirects", to: own)
            #expect(try await authorize(server).header("location") == nil)
            let reply = try await authorize(server, [("redirect_uri", "http://127.0.0.1:50123/own")])
            #expect(reply.header("location")?.hasPrefix("http://127.0.0.1:50123/own?") == true)
            let other = try await authorize(server, [("client_id", "booking-app"), ("scope", "booking")])
            #expect(other.header("location")?.hasPrefix("http://127.0.0.1:50123/callback?") == true)
        }
    }

    @Test func failuresAndDelaysCanBeSetByEitherName() async throws {
        try await running(common: VendorServerSettings(showsControls: true)) { server in
            try server.set("fail_next", to: "/data:503")
            try server.set("delay_ms", to: 20)
            let settings = try await Wire.get(server.origin + "/__set").json()
            #expect(settings["fail_next"]?.strings == ["/data:503"] && settings["delay_ms"] == 20)
            #expect(try await Wire.get(server.origin + "/data").status == 503)
            #expect(try await Wire.get(server.origin + "/data").status == 401)
        }
    }

    // MARK: The gateway

    @Test func detailsHaveTwoSpellings() async throws {
        try await running { server in
            let details = try await Wire.get(server.origin + "/gateway/sandbox-key").json()
            #expect(details["authIssuer"]?.string == server.origin)
            #expect(details["authClients"]?.array?.first?["clientId"] == "mapsindoors-app")
            server.change { $0.spelling = .iOS }
            let other = try await Wire.get(server.origin + "/gateway/sandbox-key").json()
            #expect(other["authClients"]?.array?.first?["preferredIDPS"]?.strings == ["google", "microsoft"])
            let refused = try await Wire.get(server.origin + "/gateway/unknown")
            #expect(refused.status == 401)
            #expect(try refused.json()["code"] == 101_500)
        }
    }

    /// `AuthorizeResult` of IdentityServer4: five errors are sent to the client, every other one is shown on a page.
    @Test(arguments: MapsIndoorsSystem.safeErrors + ["invalid_scope", "server_error", "unauthorized_client"])
    func onlySafeErrorsAreSentToTheClient(code: String) async throws {
        try await running { server in
            server.change { $0.authorizeError = code }
            let reply = try await authorize(server)
            #expect((reply.locationParameter("error") == code) == MapsIndoorsSystem.safeErrors.contains(code))
        }
    }

    @Test(arguments: [
        ("client_id", "nobody"), ("redirect_uri", "http://127.0.0.1:50123/elsewhere"), ("redirect_uri", "http://localhost:50123/callback"),
        ("scope", "openid unknown"), ("code_challenge", nil), ("code_challenge_method", "plain"), ("response_type", "token"),
    ])
    func invalidRequestStaysOnThePage(name: String, value: String?) async throws {
        try await running { server in
            let reply = try await authorize(server, [(name, value)])
            #expect(reply.location == nil)
            #expect(reply.text.contains("<h1>Error</h1>"))
        }
    }

    @Test func redirectPortMustMatchUnlessConfigured() async throws {
        try await running { (server) async throws in
            server.changeCommon { $0.allowsAnyLoopbackPort = false }
            #expect(try await authorize(server).location == nil)
            server.changeCommon { $0.redirects = ["http://127.0.0.1:50123/callback"] }
            #expect(try await authorize(server).locationParameter("code") != nil)
        }
    }

    @Test func codeIsValidOnceAndOnlyWithItsVerifier() async throws {
        try await running { server in
            let code = try #require(try await authorize(server).locationParameter("code"))
            #expect(try await redeem(server, code: code, verifier: String(repeating: "w", count: 43)).status == 400)
            // A code that was presented is used up.
            #expect(try await redeem(server, code: code).json() == ["error": "invalid_grant"])
            let late = try #require(try await authorize(server).locationParameter("code"))
            server.advance(by: .seconds(301))
            #expect(try await redeem(server, code: late).json()["error"] == "invalid_grant")
        }
    }

    @Test func tokensLastADayAndARefreshTokenIsValidOnce() async throws {
        try await running { server in
            let code = try #require(try await authorize(server, [("acr_values", "idp:google")]).locationParameter("code"))
            let reply = try await redeem(server, code: code)
            let tokens = try reply.json()
            #expect(reply.header("Cache-Control") == "no-store")
            #expect(tokens["expires_in"] == 86_400)
            let claims = try #require(DecodedToken(try tokens.text("id_token")).claims)
            #expect(claims["idp"] == "google" && claims["nonce"] == "n" && claims["aud"] == "mapsindoors-app")
            let keys = try await Wire.get(server.origin + "/.well-known/openid-configuration/jwks").json()
            #expect(try DecodedToken(try tokens.text("id_token")).isSigned(byOneOf: keys))
            let refresh = [
                ("grant_type", "refresh_token"), ("client_id", "mapsindoors-app"), ("refresh_token", try tokens.text("refresh_token")),
            ]
            #expect(try await Wire.post(server.origin + "/connect/token", refresh).status == 200)
            #expect(try await Wire.post(server.origin + "/connect/token", refresh).json()["error"] == "invalid_grant")
        }
    }

    @Test(
        arguments: [
            (["id_token_hint", "post_logout_redirect_uri", "state"], nil, "http://127.0.0.1:50123/callback?state=bye%26x"),
            (["id_token_hint", "post_logout_redirect_uri"], nil, "http://127.0.0.1:50123/callback"),
            (["id_token_hint", "post_logout_redirect_uri"], "https://evil.example/", nil), (["id_token_hint", "state"], nil, nil),
            (["post_logout_redirect_uri", "state"], nil, nil),
        ] as [([String], String?, String?)])
    func logoutRedirectsOnlyToARegisteredURL(sent: [String], target: String?, location: String?) async throws {
        try await running { server in
            let code = try #require(try await authorize(server).locationParameter("code"))
            let hint = try await redeem(server, code: code).json().text("id_token")
            let fields = [
                ("id_token_hint", hint), ("post_logout_redirect_uri", target ?? "http://127.0.0.1:50123/callback"), ("state", "bye&x"),
            ].filter { sent.contains($0.0) }
            let url = server.origin + "/connect/endsession"
            for reply in [try await Wire.get(url + "?" + FormEncoding.encode(fields)), try await Wire.post(url, fields)] {
                #expect(reply.header("location") == location)
                #expect(reply.status == (location == nil ? 200 : 303))
            }
        }
    }

    @Test func dataAndBookingNeedDifferentTokens() async throws {
        try await running { server in
            let code = try #require(try await authorize(server).locationParameter("code"))
            let token = try await redeem(server, code: code).json().text("access_token")
            let field = [("Authorization", "Bearer \(token)")]
            #expect(try await Wire.get(server.origin + "/data").status == 401)
            #expect(try await Wire.get(server.origin + "/data", headers: field).status == 200)
            #expect(try await Wire.get(server.origin + "/booking", headers: field).status == 401)
            server.advance(by: .seconds(86_400))
            #expect(try await Wire.get(server.origin + "/data", headers: field).status == 401)
        }
    }

    // MARK: Common to every vendor's system

    @Test func controlsExistOnlyIfEnabled() async throws {
        try await running { (server) async throws in
            #expect(try await Wire.get(server.origin + "/__log").status == 404)
        }
        try await running(common: VendorServerSettings(showsControls: true)) { server in
            let turned = try #require(
                try await Wire.ask(.post, server.origin + "/__set", body: "{\"is_auth_required\":false,\"clock_advance\":60}"))
            #expect(try turned.json()["is_auth_required"] == false)
            #expect(!server.settings.isAuthRequired)
            let unknown = try #require(try await Wire.ask(.post, server.origin + "/__set", body: "{\"nonsense\":1}"))
            #expect(unknown.status == 400)
            let log = try await Wire.get(server.origin + "/__log").json().array ?? []
            #expect(log.map { $0["path"]?.string } == ["/__set", "/__set", "/__log"])
            #expect(log.first?["body"]?.string?.contains("is_auth_required") == true)
        }
    }

    @Test(arguments: [
        #"{"delay_ms":5,"nope":1}"#, #"{"delay_ms":5,"fail_next":"bad"}"#, #"{"delay_ms":5,"fail_next":["/data:x"]}"#,
        #"{"delay_ms":5,"code_lifetime":-1}"#, #"{"delay_ms":5,"delay":1e300}"#, #"{"delay_ms":-1}"#,
        #"{"delay_ms":5,"clock_advance":9223372036854775807}"#, #"{"delay_ms":5,"tls":"sometimes"}"#,
    ])
    func invalidSettingsChangeNothing(body: String) async throws {
        try await running(common: VendorServerSettings(showsControls: true)) { server in
            let refused = try #require(try await Wire.ask(.post, server.origin + "/__set", body: body))
            #expect(refused.status == 400)
            #expect(try await Wire.get(server.origin + "/__set").json()["delay_ms"] == 0)
        }
    }

    @Test func refreshTokensExpireThirtyDaysAfterTheSignIn() async throws {
        try await running { server in
            let code = try #require(try await authorize(server).locationParameter("code"))
            var refreshToken = try await redeem(server, code: code).json().text("refresh_token")
            for (days, isGood) in [(14, true), (14, true), (3, false)] {
                server.advance(by: .seconds(days * 86_400))
                let answer = try await Wire.post(
                    server.origin + "/connect/token",
                    [("grant_type", "refresh_token"), ("client_id", "mapsindoors-app"), ("refresh_token", refreshToken)]
                ).json()
                #expect((answer["error"] == "invalid_grant") == !isGood)
                if isGood { refreshToken = try answer.text("refresh_token") }
            }
        }
    }

    @Test func cannedAnswersReplaceTheSystemsOwn() async throws {
        try await running { server in
            try server.set(
                "answers",
                to: [
                    [
                        "path": "/data", "status": 418, "headers": ["X-Where": "{origin}/{a}"], "body": "{\"a\": \"{a}\"}", "once": true,
                    ]
                ])
            let canned = try await Wire.get(server.origin + "/data?a=b")
            #expect(canned.status == 418 && canned.header("X-Where") == server.origin + "/b")
            #expect(try canned.json()["a"] == "b")
            #expect(try await Wire.get(server.origin + "/data").status == 401)
            for wrong: JSONValue in [[["status": 200]], [["path": "/x", "status": 99]], "x"] {
                #expect(throws: UnknownSandboxSetting(name: "answers", isKnown: true, nearest: nil)) {
                    try server.set("answers", to: wrong)
                }
            }
        }
    }

    @Test func failureAffectsOneRequest() async throws {
        try await running { (server) async throws in
            server.changeCommon { $0.failNext = ["/data:503"] }
            #expect(try await Wire.get(server.origin + "/data").status == 503)
            #expect(try await Wire.get(server.origin + "/data").status == 401)
        }
    }

    @Test func userChoosesAnAccountOrDenies() async throws {
        try await running(common: VendorServerSettings()) { server in
            #expect(try await authorize(server).text.contains("Ada Lovelace"))
            let fields = server.requests.last?.query.map { ($0.name, $0.value) } ?? []
            let denied = try await Wire.post(server.origin + "/connect/authorize", fields + [(AccountChooserPage.username, "")])
            #expect(denied.locationParameter("error") == "access_denied")
            let approved = try await Wire.post(server.origin + "/connect/authorize", fields + [(AccountChooserPage.username, "grace")])
            #expect(approved.locationParameter("code") != nil && approved.locationParameter("state") == "s")
        }
    }
}
