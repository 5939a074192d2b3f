import AuthModel
import Crypto
import OAuth
import Sandbox
import SessionStore
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// What binds a sign-in to this program, tested by the command: pushed requests, proofs of possession and client authentication.
struct BindingCommandTests {
    // MARK: Pushed requests

    @Test(arguments: [SandboxConfiguration.PushedRequests.offered, .required])
    func browserCarriesASingleUseRequestURI(support: SandboxConfiguration.PushedRequests) async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", pushedRequests: support)) { server, world in
            for _ in 1...2 { try await world.signIn() }
            let requests = server.requests.filter { $0.path == "/authorize" }
            #expect(requests.count == 2 && requests.allSatisfy { $0.query.map(\.name).sorted() == ["client_id", "request_uri"] })
            #expect(Set(requests.map { $0.parameter("request_uri") }).count == 2)
            let pushed = server.requests.filter { $0.path == "/par" }
            #expect(pushed.count == 2 && pushed.allSatisfy { $0.field("request_uri") == nil && $0.query.isEmpty })
            for name in ["state", "nonce", "code_challenge"] { #expect(Set(pushed.map { $0.field(name) }).count == 2) }
        }
    }

    /// If the configured way does not work, the program tries no weaker one.
    @Test(arguments: [
        (SandboxConfiguration.PushedRequests.off, "required", nil as String?), (.required, "off", nil),
        (.offered, "auto", "par-invalid-request"), (.required, "auto", "par-request-uri-missing"),
        (.offered, "auto", "par-request-uri-number"),
        (.offered, "auto", "par-500"), (.offered, "required", "par-404"), (.required, "auto", "par-redirect-307"),
    ])
    func failedPushedRequestHasNoFallback(support: SandboxConfiguration.PushedRequests, rule: String, fault: String?) async throws {
        let faults = try FaultSet(names: fault.map { [$0] } ?? [])
        let sandbox = SandboxConfiguration(autoApproves: "ada", pushedRequests: support, faultSet: faults)
        try await withSandbox(sandbox, more: "par = \"\(rule)\"") { server, world in
            let result = await world.run("login", "--flow", "browser")
            #expect(result.status != 0)
            #expect(result.errors.contains("yett: error: ") && result.errors.contains("127.0.0.1"), "\(result.errors)")
            #expect(world.openedAddresses.isEmpty)
            #expect(!server.requests.contains { ["/authorize", "/token"].contains($0.path) || $0.path.hasPrefix("/elsewhere") })
        }
    }

    // MARK: Verifier and token

    @Test func verifierIsLongFreshAndMatchesTheChallenge() async throws {
        try await withSandbox(SignInTests.honest) { server, world in
            for _ in 1...3 { try await world.signIn() }
            let verifiers = server.requests.compactMap { $0.field("code_verifier") }
            let requests = server.requests.filter { $0.path == "/authorize" }
            #expect(verifiers.count == 3 && Set(verifiers).count == 3)
            let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
            // 32 random bytes are 43 characters.
            #expect(verifiers.allSatisfy { (43...128).contains($0.count) && unreserved.isSuperset(of: $0) })
            #expect(requests.allSatisfy { $0.parameter("code_challenge_method") == "S256" })
            let challenges = verifiers.map { Base64URL.encode(SHA256.hash(data: Array($0.utf8))) }
            #expect(requests.map { $0.parameter("code_challenge") } == challenges)
        }
    }

    @Test func tokenIsSentInTheHeaderOnly() async throws {
        try await withSession(SignInTests.honest) { server, world in
            let token = await world.run("token", "sandbox").output.filter { $0 != "\n" }
            let userInfo = try #require(server.requests.first { $0.path == "/userinfo" })
            #expect(userInfo.header("Authorization") == "Bearer \(token)" && userInfo.query.isEmpty && userInfo.body.isEmpty)
            #expect(!server.requests.contains { request in request.query.contains { $0.value == token } })
        }
    }

    // MARK: Proofs

    private static func proving(
        _ nonces: SandboxConfiguration.Proofs.Nonces = .none, _ faults: FaultSet = .none
    ) -> SandboxConfiguration {
        SandboxConfiguration(
            autoApproves: "ada", proofs: .init(support: .required, authorizationServerNonces: nonces, resourceNonces: nonces),
            faultSet: faults)
    }

    private func proofs(_ server: SandboxServer) throws -> [(request: LoggedRequest, proof: JSONWebSignature)] {
        try server.requests.compactMap { request in
            try request.header("DPoP").map { (request, try JSONWebSignature(compact: $0)) }
        }
    }

    @Test(arguments: [SandboxConfiguration.Proofs.Nonces.none, .fixed, .rotating])
    func everyProofIsFreshAndDescribesItsRequest(nonces: SandboxConfiguration.Proofs.Nonces) async throws {
        try await withSession(Self.proving(nonces), more: "dpop = \"required\"") { server, world in
            // The command runs again: the key comes from the store.
            #expect(await world.run("renew").status == 0)
            let proofs = try proofs(server)
            #expect(proofs.count >= 3)
            #expect(Set(proofs.map { $0.proof.unverifiedClaims["jti"]?.string }).count == proofs.count)
            #expect(Set(proofs.map { $0.proof.header["jwk"]?.text }).count == 1)
            for (request, proof) in proofs {
                #expect(proof.type == "dpop+jwt" && proof.algorithm == "ES256")
                #expect(proof.header["jwk"]?["d"] == nil)
                #expect(proof.unverifiedClaims["htm"]?.string == request.method)
                #expect(proof.unverifiedClaims["htu"]?.string == server.issuer + request.path)
                #expect(abs((proof.unverifiedClaims["iat"]?.integer ?? 0) - request.receivedAt.seconds) <= 300)
                let isAtResource = request.header("Authorization") != nil
                #expect(isAtResource == (request.path == "/userinfo"))
                let words = request.header("Authorization")?.split(separator: " ").map(String.init)
                #expect(words.map { $0.first == "DPoP" && $0.count == 2 } != false)
                #expect(proof.unverifiedClaims["ath"]?.string == words?.last.map { Base64URL.encode(SHA256.hash(data: Array($0.utf8))) })
            }
            // RFC 7638: the key that the authorization request named made every proof.
            let key = try #require(proofs.first?.proof.header["jwk"])
            let members = try ["crv", "kty", "x", "y"].map { name in "\"\(name)\":\"\(try #require(key[name]?.string))\"" }
            let thumbprint = Base64URL.encode(SHA256.hash(data: Array("{\(members.joined(separator: ","))}".utf8)))
            #expect(server.requests.compactMap { $0.parameter("dpop_jkt") } == [thumbprint])
        }
    }

    @Test func twoAccountsHaveTwoKeys() async throws {
        try await withSession(Self.proving(), more: "dpop = \"required\"") { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn()
            #expect(Set(server.requests.compactMap { $0.parameter("dpop_jkt") }).count == 2)
            #expect(Set(try proofs(server).map { $0.proof.header["jwk"]?.text }).count == 2)
        }
    }

    @Test(arguments: [
        ("dpop-use-nonce-for-ever", "/token", 2), ("dpop-resource-use-nonce-for-ever", "/userinfo", 2), ("dpop-nonce-4k", "/token", 1),
        ("dpop-nonce-illegal", "/token", 1), ("dpop-nonce-missing", "/token", 1), ("dpop-token-type-bearer", "/token", 1),
    ])
    func nonceIsRetriedOnceWithoutADowngrade(fault: String, path: String, count: Int) async throws {
        try await withSandbox(Self.proving(.fixed, try FaultSet(names: [fault])), more: "dpop = \"required\"") {
            (server, world) async throws in
            let result = await world.run("login")
            #expect(result.status != 0)
            #expect(result.errors.contains("yett: error: ") && !result.errors.contains("nnnnnnnn"))
            let asked = server.requests.filter { $0.path == path }
            // Without a known nonce, the first request is always told to use one.
            #expect(asked.count <= max(count, 2) && !asked.isEmpty)
            #expect(asked.allSatisfy { $0.headers.count { $0.name.lowercased() == "dpop" } == 1 })
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test(arguments: ["token-redirect-307", "userinfo-redirect-307"])
    func proofIsNotSentToARedirectTarget(fault: String) async throws {
        try await withSandbox(Self.proving(.none, try FaultSet(names: [fault])), more: "dpop = \"required\"") { server, world in
            #expect(await world.run("login").status == 8)
            #expect(!server.requests.contains { $0.path.hasPrefix("/elsewhere") })
        }
    }

    // MARK: Client authentication

    @Test func secretIsFormEncodedBeforeBasicAndNowhereElse() async throws {
        let secret = "p%+:=&\u{e9}"
        var configuration = SignInTests.honest
        configuration.clients.append(
            SandboxClient(
                id: "yett:odd", name: "Odd", secret: Secret(secret), authentication: .clientSecretBasic,
                redirects: ["http://127.0.0.1/callback"]))
        try await withEmptyHome(configuration) { server, world in
            try world.configure(
                """
                [providers.sandbox]
                kind = "oidc"
                issuer = "\(server.issuer)"
                client_id = "yett:odd"
                client_secret_file = "secret"
                scopes = ["openid", "offline_access"]
                """)
            try PrivateFile.replace(world.home + "/.config/yett/secret", with: Array((secret + "\n").utf8))
            let result = await world.run("login", "--log", exits: 0)
            let token = try #require(server.requests.first { $0.path == "/token" })
            #expect(token.header("Authorization") == "Basic eWV0dCUzQW9kZDpwJTI1JTJCJTNBJTNEJTI2JUMzJUE5")
            #expect(token.field("client_secret") == nil && token.field("client_id") == nil)
            let log = try world.text(world.home + "/.local/state/yett/yett.log")
            #expect(!(result.output + result.errors + log).contains("p%+:"))
        }
    }

    @Test func clientAuthenticatesWithASignedAssertion() async throws {
        let key = """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr63lzCw7INIryvBo
            f8N2hBRqPzZMYTydCwMYyUIPEKmhRANCAARXJegAgj0mdaSc1E53VdlZaJ5gDLIA
            B0X1qlz3/w+4A+sQ7yvj7N9fooEsQGgJ0E7Iy1AkK/ifZ5/EilSpLbX9
            -----END PRIVATE KEY-----

            """
        let publicKey: JSONValue = [
            "kty": "EC", "crv": "P-256", "x": "VyXoAII9JnWknNROd1XZWWieYAyyAAdF9apc9_8PuAM",
            "y": "6xDvK-Ps31-igSxAaAnQTsjLUCQr-J9nn8SKVKkttf0", "kid": "k1",
        ]
        var configuration = SignInTests.honest
        configuration.pushedRequests = .offered
        configuration.clients.append(
            SandboxClient(
                id: "yett-key", name: "Yett (key)", authentication: .privateKeyJWT, redirects: ["http://127.0.0.1/callback"],
                keys: [publicKey]))
        try await withEmptyHome(configuration) { server, world in
            try world.configure(
                """
                [providers.sandbox]
                kind = "oidc"
                issuer = "\(server.issuer)"
                client_id = "yett-key"
                client_auth = "private_key_jwt"
                client_key_file = "key.pem"
                client_key_id = "k1"
                scopes = ["openid", "offline_access"]
                """)
            try PrivateFile.replace(world.home + "/.config/yett/key.pem", with: Array(key.utf8))
            try await world.signIn()
            #expect(await world.run("renew").status == 0)
            let assertions = try server.requests.compactMap { $0.field("client_assertion") }.map { try JSONWebSignature(compact: $0) }
            #expect(assertions.count >= 3)
            #expect(Set(assertions.map { $0.unverifiedClaims["jti"]?.string }).count == assertions.count)
            for claims in assertions.map(\.unverifiedClaims) {
                #expect(claims["aud"]?.string == server.issuer)
                #expect(claims["iss"] == "yett-key" && claims["sub"] == "yett-key")
                #expect(claims["exp"] != nil && claims["iat"] != nil)
            }
        }
    }
}
