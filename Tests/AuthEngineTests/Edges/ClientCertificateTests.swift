import AuthModel
import OAuth
import TestCertificates
import Testing

@testable import AuthEngine

/// A server that asks for the client's certificate in the handshake (RFC 8705 section 2).
@Suite struct ClientCertificateTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.folder.shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key -out client.csr -subj '/CN=yett-client' &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in client.csr -days 1 -out client.pem &&
            cat client.pem client.key > both.pem &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout stranger.key -out stranger.pem -subj '/CN=x' -days 2
            """)
    }

    /// - Parameter protocol: `-tls1_2` or `-tls1_3`, which refuse a client at different times.
    private func demandingServer(_ version: String) throws -> TLSServer {
        try authority.serve("good", options: "-www -Verify 1 -verify_return_error -CAfile root.pem \(version)")
    }

    private func policy(_ certificate: String?, key: String?) -> TransportPolicy {
        TransportPolicy(
            caFile: authority.rootFile,
            clientCertificate: certificate.map {
                .init(certificateFile: authority.folder.file($0), keyFile: key.map(authority.folder.file))
            })
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"], [("client.pem", "client.key"), ("both.pem", nil as String?)])
    func showsTheCertificateThatIsAskedFor(version: String, files: (String, String?)) async throws {
        let server = try demandingServer(version)
        let response = try await transport().send(
            WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/")), policy: policy(files.0, key: files.1))
        #expect(response.status == 200)
        // The page of the server tells whom it saw.
        #expect(String(decoding: response.body, as: UTF8.self).contains("yett-client"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func saysThatACertificateIsWanted(version: String) async throws {
        let server = try demandingServer(version)
        let failure = try await failure(
            of: WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/")), policy: policy(nil, key: nil))
        #expect(failure.kind == .configuration)
        #expect(failure.summary.hasPrefix("127.0.0.1:\(server.port) takes no connection without a client certificate"))
        #expect(failure.hint?.contains("client_certificate_file") == true)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func saysThatACertificateIsNotTaken(version: String) async throws {
        let server = try demandingServer(version)
        let failure = try await failure(
            of: WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/")),
            policy: policy("stranger.pem", key: "stranger.key"))
        #expect(failure.kind == .configuration)
        #expect(failure.summary.hasPrefix("127.0.0.1:\(server.port) does not take the client certificate"))
    }

    @Test func certificateIsShownToNobodyWhoDoesNotAsk() async throws {
        let server = try authority.serve("good")
        let response = try await transport().send(
            WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/")), policy: policy("client.pem", key: "client.key"))
        #expect(response.status == 200)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("yett-client"))
    }

    /// A connection that was made with one client's certificate carries no request of another client.
    @Test func connectionBelongsToItsClient() async throws {
        let server = try demandingServer("-tls1_2")
        let request = WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/"))
        let transport = transport()
        #expect(try await transport.send(request, policy: policy("client.pem", key: "client.key")).status == 200)
        let failure = try await failure(of: request, policy: policy(nil, key: nil), with: transport)
        #expect(failure.kind == .configuration)
    }
}
