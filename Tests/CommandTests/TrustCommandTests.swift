import AuthModel
import Glibc
import Sandbox
import TestCertificates
import Testing

@testable import YettCommand

/// Whom the command trusts, and what of its environment it does not let change that.
struct TrustCommandTests {
    /// A provider of one document, behind the certificate of that name.
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
        ("expired", true, "has expired"), ("selfsigned", true, "is self-signed, by no known authority"),
    ])
    func certificateThatIsNotRightIsToldNothing(name: String, isRootKnown: Bool, says: String) async throws {
        let authority = try TestAuthority()
        let (server, issuer) = try Self.serve(name, of: authority)
        let world = try CommandWorld()
        try world.configure(issuer: issuer, more: isRootKnown ? "ca_file = \"\(authority.rootFile)\"" : "")
        for command in [["login"], ["providers", "check", "sandbox"]] {
            let result = await world.run(command)
            #expect(result.status == 8, "\(result.errors)")
            #expect((result.output + result.errors).contains("the certificate of 127.0.0.1:\(server.port) \(says)"), "\(result.errors)")
        }
        #expect(server.files == [])
        #expect(world.openedAddresses == [])
    }

    @Test func certificateOfTheNamedAuthorityIsTaken() async throws {
        let authority = try TestAuthority()
        let (server, issuer) = try Self.serve("good", of: authority)
        let world = try CommandWorld()
        try world.configure(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
        let result = await world.run("login", "--timeout", "1", browser: .isClosed)
        #expect(result.status == 4, "\(result.errors)")
        #expect(server.files == [".well-known/openid-configuration"])
        #expect(world.openedAddresses.map(\.origin.description) == [issuer])
    }

    // MARK: The environment, which libcurl and the TLS library read themselves: each in a process of its own.

    @Test func proxyIsNeverAskedForThisMachine() async {
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

    @Test func noKeysOfConnectionsAreWritten() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            let (server, issuer) = try Self.serve("good", of: authority)
            let keys = authority.folder.file("keys")
            setenv("SSLKEYLOGFILE", keys, 1)
            let world = try CommandWorld(["SSLKEYLOGFILE": keys])
            try world.configure(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
            await world.run("login", "--timeout", "1", browser: .isClosed)
            try #require(!server.files.isEmpty)
            try #require(access(keys, F_OK) != 0)
        }
    }

    @Test func oldVersionsOfTLSAreRefusedWhereTheSystemAllowsThem() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestAuthority()
            try authority.folder.write(
                "openssl.cnf",
                """
                openssl_conf = all
                [all]
                ssl_conf = ssl
                [ssl]
                system_default = lax
                [lax]
                MinProtocol = TLSv1
                CipherString = ALL:@SECLEVEL=0

                """)
            setenv("OPENSSL_CONF", authority.folder.file("openssl.cnf"), 1)
            let (server, issuer) = try Self.serve("good", of: authority, options: "-tls1_1")
            let world = try CommandWorld()
            try world.configure(issuer: issuer, more: "ca_file = \"\(authority.rootFile)\"")
            let result = await world.run("login")
            try #require(result.status == 8 && result.errors.contains("no TLS connection to 127.0.0.1:\(server.port)"))
            try #require(server.files.isEmpty)
        }
    }
}
