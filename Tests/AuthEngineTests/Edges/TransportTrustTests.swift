import AuthModel
import Glibc
import Localization
import OAuth
import TestSupport
import Testing

@testable import AuthEngine

@Suite struct TransportTrustTests {
    @Test func acceptsTheRootOfTheCAFile() async throws {
        let authority = try TestAuthority()
        let server = try authority.serve("good")
        let request = try get("https://127.0.0.1:\(server.port)/")
        let transport = transport()
        #expect(try await transport.send(request, policy: TransportPolicy(caFile: authority.rootFile)).status == 200)
        // A connection that was made with that root is not reused for a provider that did not name it.
        let failure = try await failure(of: request, with: transport)
        #expect(failure.kind == .security)
        #expect(failure.summary == "the certificate of 127.0.0.1:\(server.port) is from an unknown authority")
    }

    @Test func addsTheCAFileToTheOtherRoots() async throws {
        let machine = try TestAuthority()
        let provider = try TestAuthority()
        let policy = TransportPolicy(caFile: provider.rootFile)
        let transport = transport(["SSL_CERT_FILE": machine.rootFile])
        for authority in [machine, provider] {
            let server = try authority.serve("good")
            let response = try await transport.send(get("https://127.0.0.1:\(server.port)/"), policy: policy)
            #expect(response.status == 200)
        }
    }

    @Test func honoursTheCertificateVariables() async throws {
        let authority = try TestAuthority()
        try authority.folder.shell("mkdir hashed && cp root.pem hashed/ && openssl rehash hashed")
        let server = try authority.serve("good")
        let request = try get("https://127.0.0.1:\(server.port)/")
        for environment in [["SSL_CERT_FILE": authority.rootFile], ["SSL_CERT_DIR": authority.folder.file("hashed")]] {
            #expect(try await transport(environment).send(request).status == 200)
        }
    }

    @Test(arguments: [
        ("elsewhere", "is for another host name"), ("expired", "has expired"), ("selfsigned", "is self-signed"),
    ])
    func reportsWhyACertificateIsInvalid(_ name: String, _ text: String) async throws {
        let authority = try TestAuthority()
        let server = try authority.serve(name)
        let request = try get("https://127.0.0.1:\(server.port)/", headers: [("Authorization", "Bearer x")])
        let failure = try await failure(of: request, policy: TransportPolicy(caFile: authority.rootFile))
        #expect(failure.kind == .security)
        #expect(failure.summary == "the certificate of 127.0.0.1:\(server.port) \(text)")
        #expect(failure.hintText != nil)
    }

    @Test func caFileKeepsTheSystemRoots() throws {
        let authority = try TestAuthority()
        let system = try #require(CertificateRoots.systemBundles.first { access($0, R_OK) == 0 })
        let bundle = try #require(try CertificateRoots(caFile: authority.rootFile, environment: [:]).bundle)
        let text = String(decoding: bundle, as: UTF8.self)
        let machine = try CertificateRoots(caFile: system, environment: ["SSL_CERT_FILE": system])
        // A file that is named twice is in the bundle twice; named next to our own, once.
        let twice = String(decoding: try #require(machine.bundle), as: UTF8.self)
        let mark = "-----BEGIN CERTIFICATE-----"
        #expect(text.ranges(of: mark).count == twice.ranges(of: mark).count / 2 + 1)
        #expect(text.contains(try #require(authority.folder.read("root.pem"))))
    }

    @Test func reportsWhyACAFileIsInvalid() throws {
        let folder = try TestFolder()
        try folder.write("empty.pem", "nothing\n")
        try #require(mkfifo(folder.file("pipe"), 0o600) == 0)
        for (name, reason) in [
            ("empty.pem", "ca_file \(folder.file("empty.pem")) contains no certificate"),
            ("missing", "cannot read ca_file \(folder.file("missing")): no such file or directory"),
            ("pipe", "cannot read ca_file \(folder.file("pipe")): not a file"),
        ] {
            let failure = #expect(throws: AuthFailure.self) { try CertificateRoots(caFile: folder.file(name), environment: [:]) }
            #expect(failure?.kind == .configuration)
            #expect(failure?.summary == reason)
        }
    }
}
