import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// Which certificates the command trusts, and which environment variables cannot change that.
struct TrustCommandTests {
    /// Serves one provider document with the named certificate.
    private static func serve(_ certificate: String, of authority: TestAuthority, options: String = "") throws -> (TLSServer, String) {
        let server = try authority.serve(certificate, options: "-WWW " + options)
        let issuer = "https://127.0.0.1:\(server.port)"
        try authority.folder.shell("mkdir -p .well-known")
        try authority.folder.write(
            ".well-known/openid-configuration",
            """
            {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",
             "jwks_uri":"\(issuer)/jwks","response_types_supported":["code"],"subject_types_supported":["public"],
             "id_token_signing_alg_values_supported":["ES256"]}
            """)
        return (server, issuer)
    }

    @Test(arguments: [
        ("good", false, "is from an unknown authority"), ("elsewhere", true, "is for another host name"),
        ("expired", true, "has expired"), ("selfsigned", true, "is self-signed"),
    ])
    func invalidCertificateGetsNoRequest(name: String, isRootKnown: Bool, says: String) async throws {
        let authority = try TestAuthority()
        let (server, issuer) = try Self.serve(name, of: authority)
        let world = try CommandWorld.configured(issuer: issuer, more: isRootKnown ? "ca_file = \"\(authority.rootFile)\"" : "")
        for command in [["login"], ["providers", "check", "sandbox"]] {
            let result = await world.run(command, exits: 8)
            #expect((result.output + result.errors).contains("the certificate of 127.0.0.1:\(server.port) \(says)"), "\(result.errors)")
        }
        #expect(server.files == [])
        #expect(world.openedAddresses == [])
    }

    @Test func certificateOfTheConfiguredAuthorityIsAccepted() async throws {
        let authority = try TestAuthority()
        let (server, issuer) = try Self.serve("good", of: authority)
        let world = try CommandWorld.configured(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
        let result = await world.run(["login", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { _ in }
        #expect(result.status == 4, "\(result.errors)")
        #expect(server.files == [".well-known/openid-configuration"])
        #expect(world.openedAddresses.map(\.origin.description) == [issuer])
    }

    /// RFC 8705 section 5: only a client with a certificate uses the mutual-TLS endpoints.
    @Test(arguments: [true, false])
    func mutualTLSEndpointsAreUsedOnlyWithACertificate(hasCertificate: Bool) async throws {
        let authority = try TestAuthority()
        try authority.makeClient()
        let port = try FreePort.find()
        let (front, mutual) = (try authority.front("good", to: port), try authority.front("good", to: port, wantsCertificate: true))
        var provider = SignInTests.honest
        provider.port = port
        provider.publicOrigin = "https://127.0.0.1:\(front.port)"
        provider.certificateOrigin = "https://127.0.0.1:\(mutual.port)"
        try await SandboxServer.running(provider) { server in
            let world = try CommandWorld(["SSL_CERT_FILE": authority.rootFile])
            let files = "client_certificate_file = \"\(authority.folder.file("client.pem"))\""
            let key = "client_key_file = \"\(authority.folder.file("client.key"))\""
            try world.configure(issuer: server.issuer, more: hasCertificate ? "client_auth = \"tls\"\n\(files)\n\(key)" : "")
            try await world.signIn()
            #expect(await world.run("renew").status == 0)
            #expect(await world.run("logout").status == 0)
            let aliased: Set = ["/token", "/userinfo", "/revoke", "/device_authorization"]
            let apart = server.requests.filter { aliased.contains($0.path) }
            #expect(Set(apart.map(\.path)).isSuperset(of: ["/token", "/userinfo", "/revoke"]))
            #expect(Set(apart.map { $0.header("Host") }) == ["127.0.0.1:\(hasCertificate ? mutual.port : front.port)"])
            let others = server.requests.filter { !aliased.contains($0.path) }
            #expect(Set(others.map { $0.header("Host") }) == ["127.0.0.1:\(front.port)"])
        }
    }

    // MARK: Environment variables that libcurl and the TLS library read themselves, so each test needs its own process.

    @Test func proxyIsNotUsedForLoopback() async {
        await #expect(processExitsWith: .success) {
            try await SandboxServer.running() { proxy in
                try await withSandbox { server, world in
                    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"] { setenv(name, proxy.issuer, 1) }
                    try await world.signIn()
                    try #require(proxy.requests.isEmpty && server.requests.contains { $0.path == "/token" })
                }
            }
        }
    }

    @Test func tlsKeysAreNotLogged() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let (server, issuer) = try Self.serve("good", of: authority)
            let keys = authority.folder.file("keys")
            setenv("SSLKEYLOGFILE", keys, 1)
            let world = try CommandWorld(["SSLKEYLOGFILE": keys])
            try world.configure(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
            _ = await world.run(["login", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { _ in }
            try #require(!server.files.isEmpty)
            try #require(access(keys, F_OK) != 0)
        }
    }

    @Test func oldTLSVersionsAreRefusedEvenIfTheSystemAllowsThem() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            try authority.allowOldTLS()
            let (server, issuer) = try Self.serve("good", of: authority, options: "-tls1_1")
            let world = try CommandWorld.configured(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
            let result = await world.run("login")
            try #require(result.status == 8 && result.errors.contains("cannot open a TLS connection to 127.0.0.1:\(server.port)"))
            try #require(server.files.isEmpty)
        }
    }
}
