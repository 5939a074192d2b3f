import AuthModel
import Testing

@testable import Sandbox

/// Protected resources that name their authorization servers (RFC 9728, RFC 8707), and step-up authentication (RFC 9470).
@Suite(.serialized) struct ResourceTests {
    static let configuration = SandboxConfiguration(
        autoApproves: "ada", time: FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000)))

    static func ask(_ server: SandboxServer, _ path: String, _ token: String?) async throws -> Reply {
        try await Wire.get(server.issuer + path, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    private static func tokens(_ server: SandboxServer, for resource: String?, scope: String = "openid mcp offline_access") async throws
        -> JSONValue
    {
        try await RelyingParty(server: server).tokens([("scope", scope), ("resource", resource)])
    }

    @Test(arguments: ["", "/tenant/a"])
    func challengeLeadsToAWorkingToken(path: String) async throws {
        try await SandboxServer.running(Self.configuration.with { $0.issuerPath = path }) { server in
            let bare = try await Self.ask(server, "/mcp", nil)
            let place = "http://127.0.0.1:\(server.port)/.well-known/oauth-protected-resource\(path)/mcp"
            #expect(bare.status == 401)
            #expect(bare.header("www-authenticate") == "Bearer realm=\"sandbox\", resource_metadata=\"\(place)\", scope=\"mcp\"")
            let metadata = try await Wire.get(place).json()
            #expect(metadata["resource"]?.string == server.issuer + "/mcp")
            #expect(metadata["authorization_servers"]?.strings == [server.issuer])
            #expect(metadata["scopes_supported"]?.strings == ["mcp"])

            let tokens = try await Self.tokens(server, for: server.issuer + "/mcp")
            let answer = try await Self.ask(server, "/mcp", tokens.text("access_token"))
            #expect(try answer.json()["hello"] == "Ada Lovelace")
            let call = try await Wire.ask(
                .post, server.issuer + "/mcp",
                headers: [("Authorization", "Bearer \(tokens.text("access_token"))"), ("Content-Type", "application/json")],
                body: #"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#)
            #expect(try call?.json()["id"] == 7 && call?.json()["result"]?["sub"] == "sandbox-ada")
            let refreshed = try await RelyingParty(server: server).refresh(tokens.text("refresh_token")).json()
            #expect(try await Self.ask(server, "/mcp", refreshed.text("access_token")).status == 200)
        }
    }

    @Test(arguments: ["", "/api/hello", "/api/vault"])
    func everyResourceHasMetadata(path: String) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/oauth-protected-resource" + path).json()
            #expect(metadata["resource"]?.string == server.issuer + path)
            let challenge = try await Self.ask(server, path == "" ? "/mcp" : path, nil).header("www-authenticate")
            #expect(challenge?.contains("resource_metadata=\"\(server.issuer)/.well-known/oauth-protected-resource\(path)") == true)
        }
    }

    @Test(
        arguments: [
            (nil, false, true), ("/mcp", true, false), ("", true, true), ("/api/hello", false, true), ("/other", false, false),
        ] as [(String?, Bool, Bool)])
    func tokenIsValidOnlyForItsResource(resource: String?, atTools: Bool, atHello: Bool) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let token = try await Self.tokens(server, for: resource.map { server.issuer + $0 }).text("access_token")
            let tools = try await Self.ask(server, "/mcp", token)
            #expect(tools.status == (atTools ? 200 : 401))
            #expect((tools.header("www-authenticate")?.contains("error=\"invalid_token\"") == true) == !atTools)
            #expect(try await Self.ask(server, "/api/hello", token).status == (atHello ? 200 : 401))
        }
    }

    @Test func tokenMayHaveFewerResourcesButNoOther() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let both =
                party.authorizationURL([("scope", "openid mcp")]) + "&"
                + FormEncoding.encode([("resource", server.issuer + "/mcp"), ("resource", server.issuer + "/api/hello")])
            func code() async throws -> String { try #require(try await Wire.get(both).locationParameter("code")) }
            let all = try await party.exchange(code: code()).json().text("access_token")
            #expect(try await Self.ask(server, "/mcp", all).status == 200)
            #expect(try await Self.ask(server, "/api/hello", all).status == 200)
            let one = try await party.exchange(code: code(), [("resource", server.issuer + "/mcp")]).json().text("access_token")
            #expect(try await Self.ask(server, "/mcp", one).status == 200)
            #expect(try await Self.ask(server, "/api/hello", one).status == 401)
            let other = try await party.exchange(code: code(), [("resource", "https://other.example/")])
            #expect(try other.json()["error"] == "invalid_target")
            let malformed = try await Wire.get(party.authorizationURL([("resource", "not a URI")]))
            #expect(malformed.locationParameter("error") == "invalid_target")
        }
    }

    @Test func missingScopeIsReported() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let token = try await Self.tokens(server, for: server.issuer + "/mcp", scope: "openid").text("access_token")
            let reply = try await Self.ask(server, "/mcp", token)
            #expect(reply.status == 403)
            #expect(reply.header("www-authenticate")?.contains("error=\"insufficient_scope\"") == true)
            #expect(reply.header("www-authenticate")?.hasSuffix("scope=\"mcp\"") == true)
        }
    }

    @Test func authorizationServerCanBeAnotherSandbox() async throws {
        let elsewhere = Self.configuration.with { $0.proofs = .init(support: .offered) }
        try await SandboxServer.running(elsewhere) { authority in
            var configuration = elsewhere
            configuration.resources.authorizationServers = [authority.issuer]
            try await SandboxServer.running(configuration) { server in
                let metadata = try await Wire.get(server.issuer + "/.well-known/oauth-protected-resource/mcp").json()
                #expect(metadata["authorization_servers"]?.strings == [authority.issuer])
                let tokens = try await Self.tokens(authority, for: server.issuer + "/mcp")
                #expect(try await Self.ask(server, "/mcp", tokens.text("access_token")).json()["sub"] == "sandbox-ada")
                let own = try await Self.tokens(server, for: server.issuer + "/mcp")
                #expect(try await Self.ask(server, "/mcp", own.text("access_token")).status == 401)

                let prover = ProofSigner()
                let party = RelyingParty(server: authority)
                let code = try await party.code([("scope", "mcp"), ("resource", server.issuer + "/mcp")])
                let bound = try await party.exchange(code: code, headers: [prover.proof("POST", authority.issuer + "/token")])
                    .json().text("access_token")
                #expect(try await DPoPTests.hello(server, bound, prover, path: "/mcp").status == 200)
                #expect(try await DPoPTests.hello(server, bound, ProofSigner(), path: "/mcp").status == 401)
                await authority.revokeEverything()
                #expect(try await Self.ask(server, "/mcp", tokens.text("access_token")).status == 401)
            }
        }
    }

    @Test func vaultNeedsARecentSignIn() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            let again = "urn:yett:sandbox:password-again"
            #expect(metadata["acr_values_supported"]?.strings?.contains(again) == true)
            let party = RelyingParty(server: server)
            let plain = try await Self.ask(server, "/api/vault", party.tokens().text("access_token"))
            #expect(plain.status == 401)
            let challenge = plain.header("www-authenticate")
            #expect(challenge?.contains("error=\"insufficient_user_authentication\"") == true)
            #expect(challenge?.hasSuffix("acr_values=\"\(again)\", max_age=\"300\"") == true)

            let tokens = try await party.tokens([("acr_values", "urn:unknown " + again), ("max_age", "300")])
            #expect(DecodedToken(try tokens.text("id_token")).claims?["acr"]?.string == again)
            #expect(try await Self.ask(server, "/api/vault", tokens.text("access_token")).status == 200)
            await server.advance(by: .seconds(299))
            #expect(try await Self.ask(server, "/api/vault", tokens.text("access_token")).status == 200)
            let refreshed = try await party.refresh(tokens.text("refresh_token")).json().text("access_token")
            await server.advance(by: .seconds(2))
            #expect(try await Self.ask(server, "/api/vault", refreshed).status == 401)
        }
    }

    @Test func vaultChallengesABoundTokenWithTheDPoPScheme() async throws {
        try await SandboxServer.running(Self.configuration.with { $0.proofs = .init(support: .offered) }) { server in
            let prover = ProofSigner()
            let token = try await DPoPTests.tokens(RelyingParty(server: server), prover).json().text("access_token")
            let challenge = try await DPoPTests.hello(server, token, prover, path: "/api/vault").header("www-authenticate")
            #expect(challenge?.hasPrefix("DPoP ") == true)
            #expect(challenge?.contains("error=\"insufficient_user_authentication\"") == true)
        }
    }

    @Test func higherAuthenticationClassNeedsThePassword() async throws {
        try await RelyingParty.running(Self.configuration.with { $0.autoApproves = nil }) { _, party in
            var visitor = Visitor(origin: party.origin)
            let consent = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "grace", password: "nanosecond")
            _ = try await visitor.submit(
                consent, action: "/consent", [("scope", "profile"), ("scope", "email"), ("scope", "offline_access"), ("decision", "allow")])
            let url = party.authorizationURL([("acr_values", "urn:yett:sandbox:password-again")])
            let page = try await visitor.open(url)
            #expect(page.text.contains("id=\"login\""))
            let back = try await visitor.signIn(page, username: "grace", password: "nanosecond")
            let tokens = try await party.exchange(code: #require(back.locationParameter("code"))).json()
            #expect(DecodedToken(try tokens.text("id_token")).claims?["acr"] == "urn:yett:sandbox:password-again")
            #expect(try await visitor.open(url + "&prompt=none").locationParameter("error") == "login_required")
        }
    }
}
