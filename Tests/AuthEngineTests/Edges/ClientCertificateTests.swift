import AuthModel
import Localization
import OAuth
import TestSupport
import Testing

@testable import AuthEngine

/// A server that requests a client certificate in the TLS handshake (RFC 8705 section 2).
@Suite struct ClientCertificateTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
        try authority.folder.shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout client.key -out client.csr -subj '/CN=yett-client' &&
            : > index && openssl ca -batch -notext -config ca.cnf -cert root.pem -keyfile root.key -in client.csr -days 1 -out client.pem &&
            cat client.pem client.key > both.pem &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout stranger.key -out stranger.pem -subj '/CN=x' -days 2 &&
            openssl pkey -in client.key -aes128 -passout pass:word -out sealed.key &&
            openssl genrsa -traditional -aes128 -passout pass:word -out sealed-old.key 2048 &&
            cat client.pem sealed.key > sealed-both.pem &&
            openssl x509 -in client.pem -outform der -out client.der &&
            openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:word -out client.p12
            """)
    }

    /// - Parameter version: `-tls1_2` or `-tls1_3`, which refuse a client at different times.
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
    func presentsTheRequestedCertificate(version: String, files: (String, String?)) async throws {
        let server = try demandingServer(version)
        let response = try await transport().send(get("https://127.0.0.1:\(server.port)/"), policy: policy(files.0, key: files.1))
        #expect(response.status == 200)
        // The server's page names the client that it saw.
        #expect(String(decoding: response.body, as: UTF8.self).contains("yett-client"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func reportsThatACertificateIsRequired(version: String) async throws {
        let server = try demandingServer(version)
        let failure = try await failure(of: get("https://127.0.0.1:\(server.port)/"), policy: policy(nil, key: nil))
        #expect(failure.kind == .configuration)
        #expect(failure.summary.hasPrefix("127.0.0.1:\(server.port) requires a client certificate"))
        #expect(failure.hintText?.contains("client_certificate_file") == true)
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func reportsARejectedCertificate(version: String) async throws {
        let server = try demandingServer(version)
        let failure = try await failure(
            of: get("https://127.0.0.1:\(server.port)/"),
            policy: policy("stranger.pem", key: "stranger.key"))
        #expect(failure.kind == .configuration)
        #expect(failure.summary.hasPrefix("127.0.0.1:\(server.port) rejected the client certificate"))
    }

    @Test func certificateIsPresentedOnlyOnRequest() async throws {
        let server = try authority.serve("good")
        let response = try await transport().send(
            get("https://127.0.0.1:\(server.port)/"), policy: policy("client.pem", key: "client.key"))
        #expect(response.status == 200)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("yett-client"))
    }

    /// A connection with one client's certificate is not reused for another client.
    @Test func connectionIsNotSharedBetweenClients() async throws {
        let server = try demandingServer("-tls1_2")
        let request = try get("https://127.0.0.1:\(server.port)/")
        let transport = transport()
        #expect(try await transport.send(request, policy: policy("client.pem", key: "client.key")).status == 200)
        #expect(try await failure(of: request, policy: policy(nil, key: nil), with: transport).kind == .configuration)
    }

    /// Certificate and key files that cannot be used.
    struct UnusableFiles: Sendable, CustomTestStringConvertible {
        let certificate: String
        let key: String?
        /// The file at fault, as the configuration names it.
        let fileAtFault: String
        let message: String
        let hint: String

        init(_ certificate: String, _ key: String? = nil, fileAtFault: String, message: String, hint: String) {
            (self.certificate, self.key, self.fileAtFault, self.message, self.hint) = (certificate, key, fileAtFault, message, hint)
        }

        var testDescription: String { "\(certificate) \(key ?? "-")" }
    }

    static let unusableFiles = [
        UnusableFiles("gone.pem", fileAtFault: "client_certificate_file gone.pem", message: ": no such file", hint: "PEM"),
        UnusableFiles(
            "client.der", "client.key", fileAtFault: "client_certificate_file client.der", message: "is not a PEM file", hint: "PEM"),
        UnusableFiles("client.p12", fileAtFault: "client_certificate_file client.p12", message: "PKCS #12", hint: "openssl pkcs12 -in "),
        UnusableFiles("client.key", fileAtFault: "client_certificate_file client.key", message: "contains no certificate", hint: "PEM"),
        UnusableFiles(
            "client.pem", fileAtFault: "client_certificate_file client.pem", message: "contains no private key", hint: "client_key_file"),
        UnusableFiles(
            "client.pem", "gone.key", fileAtFault: "client_key_file gone.key", message: ": no such file", hint: "PEM"),
        UnusableFiles(
            "client.pem", "stranger.pem", fileAtFault: "client_key_file stranger.pem", message: "contains no private key", hint: "PEM"),
        UnusableFiles(
            "client.pem", "client.p12", fileAtFault: "client_key_file client.p12", message: "PKCS #12", hint: "openssl pkcs12 -in "),
        UnusableFiles(
            "client.pem", "sealed.key", fileAtFault: "client_key_file sealed.key", message: "is encrypted", hint: "openssl pkey -in "),
        UnusableFiles(
            "client.pem", "sealed-old.key", fileAtFault: "client_key_file sealed-old.key", message: "is encrypted",
            hint: "openssl pkey -in "),
        UnusableFiles(
            "sealed-both.pem", fileAtFault: "client_certificate_file sealed-both.pem", message: "is encrypted", hint: "client_key_file"),
    ]

    /// Unusable files are reported before any connection, with the name of the file.
    @Test(arguments: unusableFiles)
    func reportsTheUnusableFile(unusable: UnusableFiles) async throws {
        // No server listens there: a connection attempt would report another error.
        let failure = try await failure(of: get("https://127.0.0.1:1/"), policy: policy(unusable.certificate, key: unusable.key))
        let folder = authority.folder.file("")
        let summary = failure.summary.replacing(folder, with: "")
        #expect(failure.kind == .configuration)
        #expect(summary.contains(unusable.fileAtFault) && summary.contains(unusable.message), "\(failure.summary)")
        #expect(failure.hintText?.contains(unusable.hint) == true)
    }

    /// Both files are valid but do not belong together.
    @Test func reportsAKeyThatDoesNotMatchTheCertificate() async throws {
        let server = try demandingServer("-tls1_3")
        let failure = try await failure(
            of: get("https://127.0.0.1:\(server.port)/"),
            policy: policy("client.pem", key: "stranger.key"))
        #expect(failure.kind == .configuration)
        #expect(failure.summary == "the client certificate \(authority.folder.file("client.pem")) and its key cannot be used")
    }
}
