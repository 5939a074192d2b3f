import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.serialized)
struct ClientAuthenticationTests {
    /// A key that only these tests use.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgr63lzCw7INIryvBo
        f8N2hBRqPzZMYTydCwMYyUIPEKmhRANCAARXJegAgj0mdaSc1E53VdlZaJ5gDLIA
        B0X1qlz3/w+4A+sQ7yvj7N9fooEsQGgJ0E7Iy1AkK/ifZ5/EilSpLbX9
        -----END PRIVATE KEY-----

        """
    private static let publicKey: JSONValue = [
        "kty": "EC", "crv": "P-256", "x": "VyXoAII9JnWknNROd1XZWWieYAyyAAdF9apc9_8PuAM", "y": "6xDvK-Ps31-igSxAaAnQTsjLUCQr-J9nn8SKVKkttf0",
        "kid": "k1",
    ]

    /// Runs `body` with the path of a temporary file with `text` and the given mode.
    private func withFile(_ text: String, mode: mode_t = 0o600, _ body: (String) async throws -> Void) async throws {
        var path = Array("/tmp/yett-key-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        let name = String(decoding: path.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        fchmod(descriptor, mode)
        close(descriptor)
        defer { unlink(name) }
        try await body(name)
    }

    private static func sandbox() -> SandboxConfiguration {
        var configuration = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)
        configuration.clients.append(
            SandboxClient(
                id: "yett-key", name: "Yett (key)", authentication: .privateKeyJWT, redirects: ["http://127.0.0.1/callback"],
                keys: [publicKey]))
        return configuration
    }

    @Test func everyRequestHasANewAssertion() async throws {
        try await withFile(Self.key) { path in
            try await EngineFixture.run(
                Self.sandbox(),
                change: {
                    $0.clientID = "yett-key"
                    $0.clientAuthentication = .privateKeyJWT
                    $0.clientKeyFile = path
                    $0.clientKeyID = "k1"
                }
            ) { world in
                let session = try await world.signedIn()
                _ = try await world.engine.renew(session.name)
                let assertions = world.sandbox.requests.compactMap { $0.field("client_assertion") }
                // Pushed request, code and renewal; a request whose connection was closed is repeated, with another assertion.
                #expect(assertions.count >= 3)
                #expect(Set(assertions).count == assertions.count)
                let claims = try assertions.map { try JSONWebSignature(compact: $0).unverifiedClaims }
                #expect(claims.allSatisfy { $0["aud"]?.string == world.sandbox.issuer && $0["iss"] == $0["sub"] })
                #expect(!world.sandbox.requests.contains { $0.field("client_secret") != nil })
            }
        }
    }

    @Test(arguments: [(key, 0o644 as mode_t, "can be read by others"), ("no key\n", 0o600, "client_key_file")])
    func invalidKeyFileFailsBeforeTheBrowserOpens(_ text: String, _ mode: mode_t, _ message: String) async throws {
        try await withFile(text, mode: mode) { path in
            try await EngineFixture.run(
                Self.sandbox(),
                change: {
                    $0.clientID = "yett-key"
                    $0.clientAuthentication = .privateKeyJWT
                    $0.clientKeyFile = path
                }
            ) { world in
                let outcome = try await world.signIn()
                #expect(outcome.failure?.kind == .configuration)
                #expect(outcome.failure?.summary.contains(message) == true)
                #expect(outcome.methods == [])
            }
        }
    }

    @Test func missingCertificateFailsBeforeTheBrowserOpens() async throws {
        try await EngineFixture.run(change: { $0.clientAuthentication = .tls }) { world in
            let outcome = try await world.signIn()
            #expect(outcome.failure?.kind == .configuration)
            #expect(outcome.methods == [])
        }
    }
}
