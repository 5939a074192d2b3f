import AuthModel
import Crypto
import Testing

@testable import Sandbox

@Suite(.serialized) struct DPoPTests {
    static let now = Timestamp(milliseconds: 1_795_250_000_000)

    static func configuration(_ proofs: SandboxConfiguration.Proofs = .init(support: .offered)) -> SandboxConfiguration {
        SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered, proofs: proofs, time: FixedTime(now: now))
    }

    /// The token response to a code with a valid proof.
    static func tokens(_ party: RelyingParty, _ prover: ProofSigner, nonce: String? = nil) async throws -> Reply {
        try await party.exchange(
            code: party.code(), headers: [prover.proof("POST", party.server.issuer + "/token", nonce: nonce)])
    }

    static func hello(_ server: SandboxServer, _ token: String, _ prover: ProofSigner, nonce: String? = nil, path: String = "/api/hello")
        async throws
        -> Reply
    {
        let url = server.issuer + path
        return try await Wire.get(
            url, headers: [("Authorization", "DPoP \(token)"), prover.proof("GET", url, token: token, nonce: nonce)])
    }

    private let prover = ProofSigner()

    @Test func proofBindsTheTokensToItsKey() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            let tokens = try await Self.tokens(party, prover).json()
            #expect(tokens["token_type"] == "DPoP")
            let access = try tokens.text("access_token")
            #expect(try await Self.hello(server, access, prover).json()["hello"] == "Ada Lovelace")
            #expect(try await Self.hello(server, access, prover, path: "/userinfo").json()["sub"] == "sandbox-ada")

            let asBearer = try await party.userInfo(access)
            #expect(asBearer.status == 401)
            #expect(asBearer.header("www-authenticate")?.hasPrefix("DPoP realm=\"sandbox\", error=\"invalid_token\"") == true)
            let byThief = try await Self.hello(server, access, ProofSigner())
            #expect(byThief.status == 401 && byThief.header("www-authenticate")?.contains("error=\"invalid_token\"") == true)

            let basic = [("Authorization", "Basic " + Base64Text.encode("yett-rs:rs-secret-0123456789"))]
            let known = try await Wire.post(server.issuer + "/introspect", [("token", access)], headers: basic).json()
            #expect(known["cnf"] == ["jkt": .string(prover.thumbprint)] && known["token_type"] == "DPoP")
        }
    }

    @Test func jwtAccessTokenNamesItsKey() async throws {
        try await SandboxServer.running(Self.configuration().with { $0.accessTokens = .jwt }) { server in
            let access = try await Self.tokens(RelyingParty(server: server), prover).json().text("access_token")
            #expect(DecodedToken(access).claims?["cnf"] == ["jkt": .string(prover.thumbprint)])
            #expect(try await Self.hello(server, access, prover).status == 200)
        }
    }

    @Test func refreshTokenOfAPublicClientNeedsTheSameKey() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            let url = server.issuer + "/token"
            let refresh = try await Self.tokens(party, prover).json().text("refresh_token")
            #expect(try await party.refresh(refresh).json()["error"] == "invalid_grant")
            #expect(try await party.refresh(refresh, headers: [ProofSigner().proof("POST", url)]).json()["error"] == "invalid_grant")
            let second = try await party.refresh(refresh, headers: [prover.proof("POST", url)]).json()
            #expect(second["token_type"] == "DPoP")
            #expect(try await Self.hello(server, second.text("access_token"), prover).status == 200)
        }
    }

    @Test func codeBoundToAKeyNeedsThatKey() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            let url = server.issuer + "/token"
            let code = try await party.code([("dpop_jkt", prover.thumbprint)])
            #expect(try await party.exchange(code: code).json()["error"] == "invalid_grant")
            #expect(try await party.exchange(code: code, headers: [ProofSigner().proof("POST", url)]).json()["error"] == "invalid_grant")
            #expect(try await party.exchange(code: code, headers: [prover.proof("POST", url)]).status == 200)
        }
    }

    @Test func proofOnAPushedRequestBindsTheCode() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            let url = server.issuer + "/par"
            let other = try await party.push([("dpop_jkt", ProofSigner().thumbprint)], headers: [prover.proof("POST", url)])
            #expect(try other.json()["error"] == "invalid_dpop_proof")
            let uri = try await party.push(headers: [prover.proof("POST", url)]).json().text("request_uri")
            let code = try #require(try await Wire.get(party.authorizationURL(pushed: uri)).locationParameter("code"))
            #expect(try await party.exchange(code: code).json()["error"] == "invalid_grant")
            #expect(try await party.exchange(code: code, headers: [prover.proof("POST", server.issuer + "/token")]).status == 200)
        }
    }

    /// Changes that make a proof invalid, by name.
    static let invalidProofs: [(String, @Sendable (inout JSONValue, inout JSONValue) -> Void)] = [
        ("typ", { header, _ in header = header.setting("typ", "JWT") }),
        ("alg none", { header, _ in header = header.setting("alg", "none") }),
        ("alg symmetric", { header, _ in header = header.setting("alg", "HS256") }),
        ("no key", { header, _ in header = header.removing("jwk") }),
        ("another key", { header, _ in header = header.setting("jwk", ProofSigner().jwk) }),
        ("private key", { header, _ in header = header.setting("jwk", header["jwk"]?.setting("d", "AA") ?? .null) }),
        ("crit", { header, _ in header = header.setting("crit", ["x"]) }),
        ("no jti", { _, claims in claims = claims.removing("jti") }),
        ("htm", { _, claims in claims = claims.setting("htm", "PUT") }),
        ("htu", { _, claims in claims = claims.appending("/more", to: "htu") }),
        ("htu origin", { _, claims in claims = claims.mapping("htu") { $0.replacingFirst("127.0.0.1", with: "localhost") } }),
        ("htu query", { _, claims in claims = claims.appending("?x=1", to: "htu") }),
        ("no iat", { _, claims in claims = claims.removing("iat") }),
        ("iat old", { _, claims in claims = claims.adding(-301, to: "iat") }),
        ("iat future", { _, claims in claims = claims.adding(301, to: "iat") }),
        ("ath", { _, claims in claims = claims.setting("ath", "AA") }),
    ]

    @Test(arguments: invalidProofs.indices)
    func invalidProofIsRefusedByTokenEndpointAndResource(index: Int) async throws {
        try await SandboxServer.running(Self.configuration()) { server in
            let change = Self.invalidProofs[index].1
            let party = RelyingParty(server: server)
            let code = try await party.code()
            let bad = try await party.exchange(code: code, headers: [prover.proof("POST", server.issuer + "/token", change: change)])
            #expect(try bad.status == 400 && bad.json()["error"] == "invalid_dpop_proof", "\(Self.invalidProofs[index].0)")
            let good = try await party.exchange(code: code, headers: [prover.proof("POST", server.issuer + "/token")]).json()

            let access = try good.text("access_token")
            let url = server.issuer + "/api/hello"
            let proof = try prover.proof("GET", url, token: access, change: change)
            let reply = try await Wire.get(url, headers: [("Authorization", "DPoP \(access)"), proof])
            #expect(reply.status == 401, "\(Self.invalidProofs[index].0)")
            #expect(reply.header("www-authenticate")?.contains("error=\"invalid_dpop_proof\"") == true)
        }
    }

    @Test func iatMayDifferByFiveMinutes() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            for seconds in [-300, 300] {
                let proof = try ProofSigner().proof("POST", server.issuer + "/token", at: Self.now + .seconds(seconds))
                #expect(try await party.exchange(code: party.code(), headers: [proof]).status == 200)
            }
        }
    }

    @Test func proofIsValidOnceAndOnlyAlone() async throws {
        try await RelyingParty.running(Self.configuration()) { server, party in
            let proof = try prover.proof("POST", server.issuer + "/token")
            #expect(try await party.exchange(code: party.code(), headers: [proof]).status == 200)
            #expect(try await party.exchange(code: party.code(), headers: [proof]).json()["error"] == "invalid_dpop_proof")
            let two = try [prover.proof("POST", server.issuer + "/token"), prover.proof("POST", server.issuer + "/token")]
            #expect(try await party.exchange(code: party.code(), headers: two).json()["error"] == "invalid_dpop_proof")
        }
    }

    @Test func unboundTokenIsNotADPoPToken() async throws {
        try await SandboxServer.running(Self.configuration()) { server in
            let access = try await RelyingParty(server: server).tokens().text("access_token")
            #expect(try await RelyingParty(server: server).userInfo(access).status == 200)
            #expect(try await Self.hello(server, access, ProofSigner()).status == 401)
        }
    }

    @Test(arguments: SandboxConfiguration.Proofs.Support.allCases)
    func metadataAndChallengesStateTheProofSupport(support: SandboxConfiguration.Proofs.Support) async throws {
        try await RelyingParty.running(Self.configuration(.init(support: support))) { server, party in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect((metadata["dpop_signing_alg_values_supported"]?.strings?.contains("ES256") == true) == (support != .off))
            let bare = try await Wire.get(server.issuer + "/userinfo")
            let schemes = bare.headers.filter { $0.name.lowercased() == "www-authenticate" }.compactMap {
                $0.value.split(separator: " ").first
            }
            #expect(schemes == (support == .off ? ["Bearer"] : support == .offered ? ["DPoP", "Bearer"] : ["DPoP"]))
            #expect(try await party.exchange(code: party.code()).status == (support == .required ? 400 : 200))
            let with = try await Self.tokens(party, ProofSigner()).json()
            #expect(with["token_type"]?.string == (support == .off ? "Bearer" : "DPoP"))
        }
    }

    @Test func deviceFlowCanBindItsTokens() async throws {
        try await SandboxServer.running(Self.configuration()) { server in
            let code = try await Device(server: server).begin().json().text("device_code")
            let tokens = try await Device(server: server).poll(code, headers: [prover.proof("POST", server.issuer + "/token")]).json()
            #expect(tokens["token_type"] == "DPoP")
            #expect(try await Self.hello(server, tokens.text("access_token"), prover).status == 200)
        }
    }
}
