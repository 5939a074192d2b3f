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
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout stranger.key -out stranger.pem -subj '/CN=x' -days 2 &&
            openssl pkey -in client.key -aes128 -passout pass:word -out sealed.key &&
            openssl genrsa -traditional -aes128 -passout pass:word -out sealed-old.key 2048 &&
            cat client.pem sealed.key > sealed-both.pem &&
            openssl x509 -in client.pem -outform der -out client.der &&
            openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:word -out client.p12
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

    /// A pair of files that no connection can be made with.
    struct Misfit: Sendable, CustomTestStringConvertible {
        let certificate: String
        let key: String?
        /// The file that is to blame, as the configuration calls it.
        let culprit: String
        let says: String
        let hint: String

        init(_ certificate: String, _ key: String? = nil, culprit: String, says: String, hint: String) {
            (self.certificate, self.key, self.culprit, self.says, self.hint) = (certificate, key, culprit, says, hint)
        }

        var testDescription: String { "\(certificate) \(key ?? "-")" }
    }

    static let misfits = [
        Misfit("gone.pem", culprit: "client_certificate_file gone.pem", says: "cannot be read: no such file", hint: "PEM"),
        Misfit("client.der", "client.key", culprit: "client_certificate_file client.der", says: "is no PEM file", hint: "PEM"),
        Misfit("client.p12", culprit: "client_certificate_file client.p12", says: "PKCS #12", hint: "openssl pkcs12 -in "),
        Misfit("client.key", culprit: "client_certificate_file client.key", says: "holds no certificate", hint: "PEM"),
        Misfit("client.pem", culprit: "client_certificate_file client.pem", says: "holds no private key", hint: "client_key_file"),
        Misfit("client.pem", "gone.key", culprit: "client_key_file gone.key", says: "cannot be read: no such file", hint: "PEM"),
        Misfit("client.pem", "stranger.pem", culprit: "client_key_file stranger.pem", says: "holds no private key", hint: "PEM"),
        Misfit("client.pem", "client.p12", culprit: "client_key_file client.p12", says: "PKCS #12", hint: "openssl pkcs12 -in "),
        Misfit("client.pem", "sealed.key", culprit: "client_key_file sealed.key", says: "is encrypted", hint: "openssl pkey -in "),
        Misfit("client.pem", "sealed-old.key", culprit: "client_key_file sealed-old.key", says: "is encrypted", hint: "openssl pkey -in "),
        Misfit("sealed-both.pem", culprit: "client_certificate_file sealed-both.pem", says: "is encrypted", hint: "client_key_file"),
    ]

    /// What is wrong with the files is known before anybody is asked, and said of the file.
    @Test(arguments: misfits)
    func saysWhichFileIsOfNoUse(misfit: Misfit) async throws {
        // Nobody listens there: whoever connects fails with another word.
        let failure = try await failure(
            of: WebRequest(method: .get, url: try url("https://127.0.0.1:1/")), policy: policy(misfit.certificate, key: misfit.key))
        let folder = authority.folder.file("")
        let summary = failure.summary.replacing(folder, with: "")
        #expect(failure.kind == .configuration)
        #expect(summary.contains(misfit.culprit) && summary.contains(misfit.says), "\(failure.summary)")
        #expect(failure.hint?.contains(misfit.hint) == true)
    }

    /// Both are in order, and do not belong together.
    @Test func saysThatAKeyIsOfAnotherCertificate() async throws {
        let server = try demandingServer("-tls1_3")
        let failure = try await failure(
            of: WebRequest(method: .get, url: try url("https://127.0.0.1:\(server.port)/")),
            policy: policy("client.pem", key: "stranger.key"))
        #expect(failure.kind == .configuration)
        #expect(failure.summary == "the client certificate \(authority.folder.file("client.pem")) and its key cannot be used")
    }
}
