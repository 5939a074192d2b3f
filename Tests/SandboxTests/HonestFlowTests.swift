import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct HonestFlowTests {
    @Test func userSignsInConsentsAndGetsWorkingTokens() async throws {
        try await RelyingParty.running { server, party in
            var visitor = Visitor(origin: party.origin)
            let signIn = try await visitor.open(party.authorizationURL())
            #expect(signIn.status == 200)
            #expect(
                signIn.text.contains("id=\"username\"") && signIn.text.contains("id=\"password\"") && signIn.text.contains("id=\"login\""))
            let consent = try await visitor.signIn(signIn, username: "ada", password: "correct horse battery staple")
            #expect(consent.text.contains("id=\"allow\"") && consent.text.contains("id=\"deny\"") && consent.text.contains("Ada Lovelace"))
            let back = try await visitor.submit(
                consent, action: "/consent",
                [("scope", "profile"), ("scope", "email"), ("scope", "offline_access"), ("decision", "allow")])
            #expect(back.location?.hasPrefix(party.redirect + "?") == true)
            #expect(back.locationParameter("state") == party.state)
            #expect(back.locationParameter("iss") == server.issuer)

            let reply = try await party.exchange(code: #require(back.locationParameter("code")))
            #expect(reply.status == 200)
            #expect(reply.header("cache-control") == "no-store")
            let tokens = try reply.json()
            #expect(tokens["token_type"]?.string == "Bearer")
            #expect(tokens["expires_in"]?.integer == 300)
            #expect(tokens["scope"]?.string == "openid profile email offline_access")
            #expect(tokens["refresh_token"]?.string?.isEmpty == false)

            let idToken = DecodedToken(try tokens.text("id_token"))
            let keys = try await Wire.get(server.issuer + "/jwks").json()
            #expect(try idToken.isSigned(byOneOf: keys))
            #expect(idToken.claims?["iss"]?.string == server.issuer)
            #expect(idToken.claims?["aud"]?.string == "yett")
            #expect(idToken.claims?["nonce"]?.string == party.nonce)
            #expect(idToken.claims?["name"]?.string == "Ada Lovelace")

            let info = try await party.userInfo(tokens.text("access_token")).json()
            #expect(info["sub"] == idToken.claims?["sub"])
            #expect(info["email"]?.string == "ada@example.org")
            let hello = try await Wire.get(
                server.issuer + "/api/hello", headers: [("Authorization", "bearer " + tokens.text("access_token"))])
            #expect(try hello.json()["hello"]?.string == "Ada Lovelace")
        }
    }

    @Test(arguments: SandboxConfiguration.SigningAlgorithm.allCases, SandboxConfiguration.KeySet.allCases)
    func signsWithEachAlgorithm(algorithm: SandboxConfiguration.SigningAlgorithm, keySet: SandboxConfiguration.KeySet) async throws {
        let configuration = SandboxConfiguration(autoApproves: "grace", idTokenAlgorithm: algorithm).with { $0.keySet = keySet }
        try await SandboxServer.running(configuration) { server in
            let tokens = try await RelyingParty(server: server).tokens()
            let token = DecodedToken(try tokens.text("id_token"))
            #expect(token.header?["alg"]?.string == algorithm.rawValue)
            #expect(try await token.isSigned(byOneOf: Wire.get(server.issuer + "/jwks").json()))
        }
    }

    @Test func metadataIsServedAtBothWellKnownPaths() async throws {
        try await SandboxServer.running(SandboxConfiguration().with { $0.issuerPath = "/tenant/a" }) { server in
            #expect(server.issuer == "http://127.0.0.1:\(server.port)/tenant/a")
            let openID = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            let oauth = try await Wire.get("http://127.0.0.1:\(server.port)/.well-known/oauth-authorization-server/tenant/a").json()
            #expect(openID == oauth)
            #expect(openID["issuer"]?.string == server.issuer)
            #expect(openID["code_challenge_methods_supported"]?.strings == ["S256"])
            #expect(openID["prompt_values_supported"]?.strings?.contains("create") == true)
            for endpoint in ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint"] {
                #expect(openID[endpoint]?.string?.hasPrefix(server.issuer + "/") == true)
            }
        }
    }

    @Test(arguments: [
        (SandboxConfiguration.Metadata.openID, 200, 404), (.oauth, 404, 200), (.both, 200, 200),
    ])
    func onlyConfiguredMetadataIsServed(metadata: SandboxConfiguration.Metadata, openID: Int, oauth: Int) async throws {
        try await SandboxServer.running(SandboxConfiguration().with { $0.metadata = metadata }) { server in
            let first = try await Wire.get(server.issuer + "/.well-known/openid-configuration")
            let second = try await Wire.get(server.issuer + "/.well-known/oauth-authorization-server")
            #expect([first.status, second.status] == [openID, oauth])
        }
    }

    @Test func userInfoCanBeASignedJWT() async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "layla").with { $0.userInfo = .jwt }) { server, party in
            let reply = try await party.userInfo(party.tokens().text("access_token"))
            #expect(reply.header("content-type") == "application/jwt")
            let token = DecodedToken(reply.text)
            #expect(try await token.isSigned(byOneOf: Wire.get(server.issuer + "/jwks").json()))
            #expect(token.claims?["aud"]?.string == "yett")
            #expect(token.claims?["sub"]?.string == "sandbox-layla")
        }
    }

    @Test func accessTokensCanBeSignedJWTs() async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada").with { $0.accessTokens = .jwt }) { _, party in
            let access = try await party.tokens().text("access_token")
            #expect(DecodedToken(access).header?["typ"]?.string == "at+jwt")
            #expect(try await party.userInfo(access).status == 200)
        }
    }

    @Test(arguments: [
        ("yett-confidential", SandboxClient.Authentication.clientSecretBasic), ("yett-post", .clientSecretPost),
    ])
    func confidentialClientsMustUseTheirAuthenticationMethod(id: String, method: SandboxClient.Authentication) async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { server in
            let party = RelyingParty(server: server, clientID: id)
            let secret = "confidential-secret-0123456789"
            let basic = [("Authorization", "Basic " + Base64Text.encode("\(id):\(secret)"))]
            let byBasic = try await party.exchange(code: party.code(), [("client_id", nil)], headers: basic)
            let byPost = try await party.exchange(code: party.code(), [("client_secret", secret)])
            let wrong = try await party.exchange(code: party.code(), [("client_secret", "wrong")])
            let without = try await party.exchange(code: party.code())
            #expect(byBasic.status == (method == .clientSecretBasic ? 200 : 401))
            #expect(byPost.status == (method == .clientSecretPost ? 200 : 401))
            #expect(wrong.status == 401)
            #expect(without.status == 401)
            #expect(try without.json()["error"]?.string == "invalid_client")
        }
    }

    @Test func clockAndDateHeaderCanBeMoved() async throws {
        let start = Timestamp(milliseconds: 1_795_250_000_000)
        let configuration = SandboxConfiguration(autoApproves: "ada", time: FixedTime(now: start)).with {
            $0.dateHeaderSkew = .seconds(-3600)
        }
        try await RelyingParty.running(configuration) { server, party in
            let access = try await party.tokens().text("access_token")
            let before = try await party.userInfo(access)
            #expect(before.status == 200)
            #expect(before.header("date") == "Sat, 21 Nov 2026 07:33:20 GMT")
            await server.advance(by: .seconds(299))
            #expect(try await party.userInfo(access).status == 200)
            await server.advance(by: .seconds(1))
            let after = try await party.userInfo(access)
            #expect(after.status == 401)
            #expect(after.header("www-authenticate") == "Bearer realm=\"sandbox\", error=\"invalid_token\"")
        }
    }

    @Test func keysRotateOnDemandAndDifferBetweenServers() async throws {
        try await SandboxServer.running { first in
            try await SandboxServer.running { second in
                func moduli(_ server: SandboxServer) async throws -> [String] {
                    try await Wire.get(server.issuer + "/jwks").json()["keys"]?.array?.compactMap { $0["n"]?.string ?? $0["x"]?.string }
                        ?? []
                }
                let before = try await moduli(first)
                #expect(before.count == 4)
                #expect(try await Set(before).isDisjoint(with: moduli(second)))
                try await first.rotateKeys()
                #expect(try await Set(before).isDisjoint(with: moduli(first)))
            }
        }
    }

    @Test func requestLogIsShownOnlyIfEnabled() async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada").with { $0.showsRequestLog = true }) { server, party in
            _ = try await party.tokens()
            #expect(server.requests.map(\.path) == ["/authorize", "/token"])
            #expect(server.requests.last?.field("code_verifier") == party.verifier)
            #expect(server.requests.first?.parameter("state") == party.state)
            #expect(try await Wire.get(party.origin + "/__log").json().array?.count == 3)
        }
        try await SandboxServer.running { (server) async throws in
            #expect(try await Wire.get(server.issuer + "/__log").status == 404)
        }
    }

    @Test func occupiedPortIsReported() async throws {
        try await SandboxServer.running { server in
            let failure = await #expect(throws: AuthFailure.self) {
                _ = try await SandboxServer.start(SandboxConfiguration(port: server.port))
            }
            #expect(failure?.kind == .configuration)
        }
    }

    @Test func portIsFreeAfterStopping() async throws {
        let first = try await SandboxServer.start()
        await first.stop()
        let second = try await SandboxServer.start(SandboxConfiguration(port: first.port))
        #expect(second.port == first.port)
        await second.stop()
    }

    @Test func runsUntilItsTaskIsCancelled() async throws {
        let server = try await SandboxServer.start()
        let running = Task { await server.runUntilCancelled() }
        running.cancel()
        await running.value
        await #expect(throws: (any Error).self) { try await Wire.get(server.issuer + "/") }
    }
}

/// A clock that does not advance.
struct FixedTime: TimeSource {
    let now: Timestamp
    var bootTime: Duration { .zero }
    func sleep(until deadline: Duration) async throws {}
}

/// Base64 of ASCII text, for Basic authentication.
enum Base64Text {
    static func encode(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 6).map { start in
            (0..<6).reduce(0) { $0 << 1 | Int(start + $1 < bits.count ? bits[start + $1] : 0) }
        }
        let encoded = String(digits.map { alphabet[$0] })
        return encoded + String(repeating: "=", count: (4 - encoded.count % 4) % 4)
    }
}
