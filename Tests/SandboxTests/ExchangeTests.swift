import AuthModel
import Testing

@testable import Sandbox

/// Token exchange (RFC 8693), assertions as grants (RFC 7523), and clients that sign (private_key_jwt).
@Suite(.serialized) struct ExchangeTests {
    private static let configuration = SandboxConfiguration(
        autoApproves: "ada", proofs: .init(support: .offered), time: FixedTime(now: DPoPTests.now))
    private static let accessType = "urn:ietf:params:oauth:token-type:access_token"

    private func exchange(
        _ server: SandboxServer, _ subject: String, _ changes: [(String, String?)] = [], headers: [(String, String)] = []
    ) async throws -> Reply {
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("client_id", "yett"), ("subject_token", subject),
            ("subject_token_type", Self.accessType),
        ]
        return try await Wire.post(server.issuer + "/token", fields.changed(changes), headers: headers)
    }

    @Test func accessTokenIsExchangedForAResource() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let first = try await RelyingParty(server: server).tokens([("scope", "openid mcp offline_access")])
            let reply = try await exchange(
                server, first.text("access_token"), [("resource", server.issuer + "/mcp"), ("scope", "mcp")])
            #expect(reply.status == 200 && reply.header("cache-control") == "no-store")
            let second = try reply.json()
            #expect(second["issued_token_type"]?.string == Self.accessType && second["token_type"] == "Bearer")
            #expect(second["scope"] == "mcp" && second["refresh_token"] == nil && second["id_token"] == nil)
            #expect(try await ResourceTests.ask(server, "/mcp", first.text("access_token")).status == 401)
            #expect(try await ResourceTests.ask(server, "/mcp", second.text("access_token")).json()["sub"] == "sandbox-ada")
        }
    }

    @Test func idTokenIsExchangedUntilItExpires() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let token = try await RelyingParty(server: server).tokens().text("id_token")
            let type = ("subject_token_type", Optional("urn:ietf:params:oauth:token-type:id_token"))
            let good = try await exchange(server, token, [type, ("scope", "email")])
            #expect(try good.json()["scope"] == "email")
            #expect(try await exchange(server, token, [type, ("client_id", "yett-fixed")]).status == 400)
            await server.advance(by: .seconds(300))
            #expect(try await exchange(server, token, [type]).json()["error"] == "invalid_request")
        }
    }

    @Test(
        arguments: [
            ("subject_token", nil, "invalid_request"), ("subject_token", "unknown", "invalid_request"),
            ("subject_token_type", nil, "invalid_request"), ("subject_token_type", "urn:x", "invalid_request"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:saml2", "invalid_request"),
            ("requested_token_type", "urn:ietf:params:oauth:token-type:jwt", "invalid_request"), ("actor_token", "x", "invalid_request"),
            ("scope", "openid hello", "invalid_scope"), ("resource", "not a URI", "invalid_target"),
            ("client_id", "yett-fixed", "invalid_request"), ("client_id", "nobody", "invalid_client"),
        ] as [(String, String?, String)])
    func invalidExchangeIsRefused(name: String, value: String?, error: String) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let subject = try await RelyingParty(server: server).tokens().text("access_token")
            let reply = try await exchange(server, subject, [(name, value)])
            #expect(reply.status == (error == "invalid_client" ? 401 : 400))
            #expect(try reply.json()["error"]?.string == error)
        }
    }

    @Test func boundTokenIsExchangedOnlyWithItsKey() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let prover = ProofSigner()
            let url = server.issuer + "/token"
            let bound = try await DPoPTests.tokens(RelyingParty(server: server), prover).json().text("access_token")
            #expect(try await exchange(server, bound).status == 400)
            #expect(try await exchange(server, bound, headers: [ProofSigner().proof("POST", url)]).status == 400)
            #expect(try await exchange(server, bound, headers: [prover.proof("POST", url)]).json()["token_type"] == "DPoP")
        }
    }

    @Test(arguments: ExchangeFault.allCases)
    func exchangeResponseHasTheFault(fault: ExchangeFault) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let subject = try await RelyingParty(server: server).tokens().text("access_token")
            await server.set([.exchange(fault)])
            let reply = try await exchange(server, subject)
            let answer = try reply.json()
            #expect((reply.status == 200) == ![.invalidTarget, .accessDenied].contains(fault))
            switch fault {
            case .issuedTypeMissing: #expect(answer["issued_token_type"] == nil && answer["access_token"] != nil)
            case .issuedTypeOther: #expect(answer["issued_token_type"]?.string?.hasSuffix(":saml2") == true)
            case .tokenTypeNotApplicable: #expect(answer["token_type"] == "N_A" && answer["access_token"] != nil)
            case .invalidTarget: #expect(reply.status == 400 && answer["error"] == "invalid_target")
            case .accessDenied: #expect(reply.status == 400 && answer["error"] == "access_denied")
            }
        }
    }

    // MARK: Grants for other servers

    @Test func grantIsRedeemedOnceAtTheServerThatTrustsTheIssuer() async throws {
        try await SandboxServer.running(Self.configuration.with { $0.issuesIdentityGrants = true }) { company in
            let trusting = Self.configuration.with { $0.identityProviders = [company.issuer] }
            try await SandboxServer.running(trusting) { server in
                let token = try await RelyingParty(server: company).tokens().text("id_token")
                let type = "urn:ietf:params:oauth:token-type:id-jag"
                let wanted: [(String, String?)] = [
                    ("requested_token_type", type), ("audience", server.issuer), ("resource", server.issuer + "/mcp"),
                    ("scope", "mcp"), ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                ]
                let answer = try await exchange(company, token, wanted).json()
                #expect(answer["issued_token_type"]?.string == type && answer["token_type"] == "N_A")
                let grant = try answer.text("access_token")
                #expect(SignedToken(grant)?.header["typ"] == "oauth-id-jag+jwt")
                let fields = [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("client_id", "yett"), ("assertion", grant),
                    ("scope", "mcp"), ("resource", server.issuer + "/mcp"),
                ]
                // Another client, another server, and a second time.
                let foreign = fields.map { $0.0 == "client_id" ? ("client_id", "yett-fixed") : $0 }
                #expect(try await Wire.post(server.issuer + "/token", foreign).json()["error"] == "invalid_grant")
                #expect(try await Wire.post(company.issuer + "/token", fields).json()["error"] == "invalid_grant")
                let redeemed = try await Wire.post(server.issuer + "/token", fields).json()
                #expect(redeemed["refresh_token"] == nil && redeemed["scope"] == "mcp")
                let access = try redeemed.text("access_token")
                #expect(try await ResourceTests.ask(server, "/mcp", access).json()["sub"] == "sandbox-ada")
                #expect(try await Wire.post(server.issuer + "/token", fields).json()["error"] == "invalid_grant")
            }
        }
    }

    @Test func clientGetsItsOwnTokenIfItAuthenticates() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let fields = [("grant_type", "client_credentials"), ("scope", "mcp"), ("resource", server.issuer + "/mcp")]
            let secret = [("client_id", "yett-post"), ("client_secret", "confidential-secret-0123456789")]
            let answer = try await Wire.post(server.issuer + "/token", fields + secret).json()
            #expect(answer["refresh_token"] == nil && answer["id_token"] == nil)
            #expect(try await ResourceTests.ask(server, "/mcp", answer.text("access_token")).json()["sub"] == "yett-post")
            let refused = try await Wire.post(server.issuer + "/token", fields + [("client_id", "yett")])
            #expect(try refused.json()["error"] == "unauthorized_client")
        }
    }

    // MARK: Assertions

    /// Runs a server that has registered a client with a key.
    private func withSigner<Result: Sendable>(_ body: (SandboxServer, ProofSigner) async throws -> Result) async throws -> Result {
        let prover = ProofSigner()
        var configuration = Self.configuration
        configuration.clients.append(
            SandboxClient(
                id: "yett-key", name: "Yett (key)", authentication: .privateKeyJWT, redirects: ["http://127.0.0.1/callback"],
                keys: [prover.jwk]))
        return try await SandboxServer.running(configuration) { try await body($0, prover) }
    }

    private static func assertion(_ server: SandboxServer, _ prover: ProofSigner, _ change: (JSONValue) -> JSONValue = { $0 }) throws
        -> String
    {
        let claims: JSONValue = [
            "iss": "yett-key", "sub": "yett-key", "aud": .string(server.issuer), "jti": .string(OpenIDProvider.makeName()),
            "iat": .number(DPoPTests.now.seconds), "exp": .number(DPoPTests.now.seconds + 60),
        ]
        return try prover.sign(header: ["alg": "ES256"], claims: change(claims))
    }

    private static func authentication(_ assertion: String) -> [(String, String?)] {
        [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), ("client_assertion", assertion),
            ("client_id", nil),
        ]
    }

    @Test func clientAuthenticatesWithASignedAssertion() async throws {
        try await withSigner { server, prover in
            let party = RelyingParty(server: server, clientID: "yett-key")
            for audience in [server.issuer, server.issuer + "/token"] {
                let assertion = try Self.assertion(server, prover) { $0.setting("aud", .string(audience)) }
                #expect(try await party.exchange(code: party.code(), Self.authentication(assertion)).status == 200)
                #expect(try await party.exchange(code: party.code(), Self.authentication(assertion)).status == 401)
            }
            #expect(try await party.exchange(code: party.code()).status == 401)
            #expect(try await party.exchange(code: party.code(), [("client_secret", "x")]).status == 401)
        }
    }

    @Test(
        arguments: [
            ("iss", "yett"), ("sub", "yett"), ("aud", "https://other.example"), ("aud", nil), ("exp", nil), ("jti", nil),
            ("exp", .number(DPoPTests.now.seconds)), ("exp", .number(DPoPTests.now.seconds + 86_400)),
        ] as [(String, JSONValue?)])
    func invalidAssertionIsRefused(name: String, value: JSONValue?) async throws {
        try await withSigner { server, prover in
            let party = RelyingParty(server: server, clientID: "yett-key")
            let bad = try Self.assertion(server, prover) { claims in value.map { claims.setting(name, $0) } ?? claims.removing(name) }
            let signedWithUnpublishedKey = try Self.assertion(server, ProofSigner())
            for assertion in [bad, signedWithUnpublishedKey] {
                let reply = try await party.exchange(code: party.code(), Self.authentication(assertion))
                #expect(try reply.status == 401 && reply.json()["error"] == "invalid_client")
            }
        }
    }

    @Test func clientRegistersWithItsKey() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let prover = ProofSigner()
            let metadata = RegistrationTests.native.setting("token_endpoint_auth_method", "private_key_jwt")
                .setting("jwks", ["keys": [prover.jwk]])
            let registered = try await RegistrationTests.register(server, metadata).json()
            #expect(registered["client_secret"] == nil)
            let party = RelyingParty(server: server, clientID: try registered.text("client_id"))
            let id = party.clientID
            let assertion = try Self.assertion(server, prover) { $0.setting("iss", .string(id)).setting("sub", .string(id)) }
            #expect(try await party.exchange(code: party.code(), Self.authentication(assertion)).status == 200)
        }
    }

    private func redeem(_ server: SandboxServer, _ assertion: String, _ extra: [(String, String)]) async throws -> Reply {
        let fields = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)]
        return try await Wire.post(server.issuer + "/token", fields + extra)
    }

    @Test func idTokenIsAnAssertionForItsClient() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let token = try await RelyingParty(server: server).tokens().text("id_token")
            let good = try await redeem(server, token, [("client_id", "yett"), ("scope", "openid hello offline_access")]).json()
            #expect(good["scope"] == "openid hello offline_access" && good["refresh_token"] != nil)
            #expect(DecodedToken(try good.text("id_token")).claims?["sub"] == "sandbox-ada")
            #expect(try await redeem(server, token, [("client_id", "yett-fixed"), ("scope", "hello")]).json()["error"] == "invalid_grant")
            #expect(try await redeem(server, token, [("client_id", "yett")]).json()["error"] == "invalid_scope")
            #expect(try await redeem(server, "unknown", [("client_id", "yett"), ("scope", "hello")]).json()["error"] == "invalid_grant")
            await server.advance(by: .seconds(300))
            #expect(try await redeem(server, token, [("client_id", "yett"), ("scope", "hello")]).json()["error"] == "invalid_grant")
        }
    }

    @Test func assertionOfAClientNamesTheUser() async throws {
        try await withSigner { server, prover in
            func fields() throws -> [(String, String)] {
                Self.authentication(try Self.assertion(server, prover)).compactMap { pair in pair.1.map { (pair.0, $0) } } + [
                    ("scope", "hello")
                ]
            }
            let assertion = try Self.assertion(server, prover) { $0.setting("sub", "grace") }
            let token = try await redeem(server, assertion, fields()).json().text("access_token")
            #expect(try await ResourceTests.ask(server, "/api/hello", token).json()["hello"] == "Grace Hopper")
            #expect(try await redeem(server, assertion, fields()).json()["error"] == "invalid_grant")
            let unknownUser = try Self.assertion(server, prover) { $0.setting("sub", "nobody") }
            #expect(try await redeem(server, unknownUser, fields()).json()["error"] == "invalid_grant")
        }
    }
}
