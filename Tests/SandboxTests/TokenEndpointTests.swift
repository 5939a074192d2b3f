import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct TokenEndpointTests {
    private static let configuration = SandboxConfiguration(autoApproves: "ada")

    @Test(
        arguments: [
            ("code_verifier", nil, "invalid_grant"), ("code_verifier", String(repeating: "w", count: 64), "invalid_grant"),
            ("code_verifier", "short", "invalid_grant"), ("redirect_uri", "http://127.0.0.1:9998/callback", "invalid_grant"),
            ("redirect_uri", nil, "invalid_grant"), ("code", "unknown", "invalid_grant"), ("code", nil, "invalid_request"),
            ("client_id", "yett-fixed", "invalid_grant"), ("client_id", "nobody", "invalid_client"), ("client_id", nil, "invalid_client"),
            ("grant_type", nil, "invalid_request"), ("grant_type", "password", "unsupported_grant_type"),
        ] as [(String, String?, String)])
    func invalidCodeExchangeIsRefused(name: String, value: String?, error: String) async throws {
        try await RelyingParty.running(Self.configuration) { _, party in
            let code = try await party.code()
            let reply = try await party.exchange(code: code, [(name, value)])
            #expect(reply.status == (error == "invalid_client" ? 401 : 400))
            #expect(try reply.json()["error"]?.string == error)
            #expect(reply.header("cache-control") == "no-store")
            #expect(try await party.exchange(code: code).status == 200)
        }
    }

    @Test func codeUsedTwiceRevokesItsTokens() async throws {
        try await RelyingParty.running(Self.configuration) { _, party in
            let code = try await party.code()
            let tokens = try await party.exchange(code: code).json()
            #expect(try await party.exchange(code: code).status == 400)
            #expect(try await party.userInfo(tokens.text("access_token")).status == 401)
            #expect(try await party.refresh(tokens.text("refresh_token")).status == 400)
        }
    }

    @Test func refreshTokensRotateAndReuseIsDetected() async throws {
        try await RelyingParty.running(Self.configuration) { _, party in
            let first = try await party.tokens()
            let second = try await party.refresh(first.text("refresh_token")).json()
            #expect(second["refresh_token"] != first["refresh_token"])
            let refreshed = DecodedToken(try second.text("id_token"))
            #expect(refreshed.claims?["nonce"] == nil)
            #expect(refreshed.claims?["sub"] == "sandbox-ada")
            let reuse = try await party.refresh(first.text("refresh_token"))
            #expect(try reuse.json()["error"] == "invalid_grant")
            #expect(try await party.refresh(second.text("refresh_token")).status == 400)
            #expect(try await party.userInfo(second.text("access_token")).status == 401)
        }
    }

    @Test func revokingARefreshTokenRevokesTheGrant() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            let fields = [("token", try tokens.text("refresh_token")), ("client_id", "yett")]
            let reply = try await Wire.post(server.issuer + "/revoke", fields)
            #expect(reply.status == 200 && reply.body.isEmpty)
            #expect(try await party.userInfo(tokens.text("access_token")).status == 401)
            #expect(try await Wire.post(server.issuer + "/revoke", fields).status == 200)
        }
    }

    @Test(arguments: [
        (LogoutFault.revocationUnauthorized, 401, true), (.revocationUnsupported, 400, true), (.revocationHTML, 200, false),
    ])
    func revocationResponseHasTheFault(fault: LogoutFault, status: Int, survives: Bool) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            await server.set([.logout(fault)])
            let reply = try await Wire.post(
                server.issuer + "/revoke", [("token", try tokens.text("refresh_token")), ("client_id", "yett")])
            #expect(reply.status == status)
            #expect(try await party.userInfo(tokens.text("access_token")).status == (survives ? 200 : 401))
        }
    }

    @Test func introspectionAnswersOnlyResourceServers() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let access = try await party.tokens().text("access_token")
            let basic = [("Authorization", "Basic " + Base64Text.encode("yett-rs:rs-secret-0123456789"))]
            let good = try await Wire.post(server.issuer + "/introspect", [("token", access)], headers: basic).json()
            #expect(good["active"] == true && good["username"] == "ada" && good["client_id"] == "yett")
            #expect(good["aud"]?.string == server.issuer + "/api" && good["token_type"] == "Bearer" && good["cnf"] == nil)
            #expect(good["acr"] == "urn:yett:sandbox:password" && good["auth_time"]?.integer != nil)
            let named = try await party.tokens([("resource", "https://api.example/v1")]).text("access_token")
            let forResource = try await Wire.post(server.issuer + "/introspect", [("token", named)], headers: basic).json()
            #expect(forResource["aud"] == "https://api.example/v1")
            let unknown = try await Wire.post(server.issuer + "/introspect", [("token", "unknown")], headers: basic).json()
            #expect(unknown == ["active": false])
            let byPublic = try await Wire.post(server.issuer + "/introspect", [("token", access), ("client_id", "yett")])
            #expect(byPublic.status == 401)
        }
    }

    @Test func revokeEverythingEndsEveryGrant() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let tokens = try await party.tokens()
            await server.revokeEverything()
            #expect(try await party.refresh(tokens.text("refresh_token")).status == 400)
        }
    }

    @Test(arguments: [(Wire.Method.get, "/token", 405), (.post, "/jwks", 405), (.get, "/no-such-path", 404)])
    func otherMethodsAndPathsAreRefused(method: Wire.Method, path: String, status: Int) async throws {
        try await SandboxServer.running { server in
            let reply = try #require(try await Wire.ask(method, server.issuer + path))
            #expect(reply.status == status)
        }
    }
}
