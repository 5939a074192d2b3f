import AuthModel
import Crypto
import TestSupport
import Testing

@testable import Sandbox
@testable import CommandLineTool

/// AG-12: a portal whose certificate no known authority signed.
struct UntrustedServerTests {
    typealias ArcGIS = ArcGISCommandTests

    private static let password = "correct horse battery staple"

    /// The sandbox's portal over TLS.
    private struct UntrustedPortal {
        let server: VendorServer<ArcGISSettings>
        let world: CommandWorld

        var origin: String { server.origin }
        var authority: String { "127.0.0.1:\(server.port)" }

        /// A browser whose user accepted its certificate warning.
        var browser: CommandWorld.Browser {
            let world = world
            // The port also answers without TLS.
            return .does { url in
                if let address = WebURL(url.text.replacing("https://127.0.0.1", with: "http://127.0.0.1")) { await world.visit(address) }
            }
        }

        /// Returns the SHA-256 of the current certificate, in the format of openssl.
        func fingerprint() throws -> String {
            let lines = try #require(server.certificate).split(separator: "\n").filter { !$0.hasPrefix("-----") }
            let certificate = try #require(SandboxBase64.decodeStandard(lines.joined()))
            return SHA256.hash(data: certificate).map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }.joined(separator: ":")
        }
    }

    private func running(
        _ use: TLSUse = .selfSigned, client: String? = "yett-arcgis", asks: Bool = true, more: String = "",
        _ body: (UntrustedPortal) async throws -> Void
    ) async throws {
        var common = VendorServerSettings(autoApproves: "ada")
        common.tls = use
        try await VendorServer<ArcGISSettings>.running(common: common) { server in
            let world = try CommandWorld.configured(
                """
                [providers.ag]
                kind = "arcgis"
                portal_url = "\(server.origin)"
                \(client.map { "client_id = \"\($0)\"" } ?? "")
                \(asks ? "prompt_untrusted = true" : "")
                \(more)
                """)
            try await body(UntrustedPortal(server: server, world: world))
        }
    }

    private static func user(_ lines: [String], hidden: [String] = []) -> CommandWorld.User {
        CommandWorld.User(hasTerminal: true, lines: lines, hiddenLines: hidden)
    }

    /// Refused before a browser opens, and before a password is asked for.
    @Test(arguments: ["yett-arcgis", nil])
    func untrustedCertificateIsRefusedByDefault(client: String?) async throws {
        try await running(client: client, asks: false) { place in
            let result = await place.world.run(["login", "ag"], user: Self.user(["ada", "2"], hidden: [Self.password]), exits: 8)
            #expect(result.errors.contains("is self-signed") && result.errors.contains("ca_file"))
            #expect(!result.errors.contains("Dangerous"))
            #expect(result.errors.contains("untrusted certificate"))
            #expect(place.server.requests.isEmpty && place.world.openedAddresses.isEmpty)
        }
    }

    @Test(arguments: [["1"], [""]])
    func refusingTheCertificateSendsNothing(lines: [String]) async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, user: Self.user(lines), exits: 8)
            #expect(
                result.errors.contains("Dangerous: the certificate of \(place.authority) is not signed by a trusted authority"))
            #expect(place.server.requests.allSatisfy { $0.path == "/" || $0.path == "" })
            #expect(place.world.openedAddresses.isEmpty)
        }
    }

    @Test func withoutATerminalTheCertificateIsRefused() async throws {
        try await running { place in
            await place.world.run(["login", "ag"], browser: place.browser, exits: 8)
            #expect(place.world.openedAddresses.isEmpty)
        }
    }

    @Test func acceptedCertificateIsKeptForTheSession() async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, user: Self.user(["2"]), exits: 0)
            #expect(result.errors.contains(try place.fingerprint()))
            let session = try #require(try await place.world.sessions().first)
            #expect(session["warnings"]?.strings?.contains { $0.contains("not signed by a trusted authority; you allowed it") } == true)
            // The question does not come again: not for a request, a renewal or the sign-out.
            let item = await place.world.run("request", "ag", place.origin + ArcGIS.privateItem, exits: 0)
            #expect(try item.json["title"] == "Traffic")
            #expect(await place.world.run("renew", "ag").status == 0)
            await place.world.run("logout", "ag", exits: 0)
            #expect(ArcGIS.calls(place.server, "/sharing/rest/oauth2/revokeToken").count == 1)
            // The next session asks again.
            #expect(await place.world.run("login", "ag", browser: place.browser).status == 8)
        }
    }

    /// Only that certificate was accepted: another one is refused.
    @Test func differentCertificateIsRefused() async throws {
        try await running { place in
            await place.world.run(["login", "ag"], browser: place.browser, user: Self.user(["2"]), exits: 0)
            place.server.changeCommon { $0.tls = .otherSelfSigned }
            let item = await place.world.run("request", "ag", place.origin + ArcGIS.privateItem, "--challenge", "fail", exits: 8)
            #expect(!item.output.contains("Traffic"))
        }
    }

    @Test(arguments: [(TLSUse.wrongHost, "is for another host name"), (.expired, "has expired")])
    func otherCertificateErrorsCannotBeAccepted(use: TLSUse, says: String) async throws {
        try await running(use) { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, user: Self.user(["2"]), exits: 8)
            #expect(result.errors.contains(says) && !result.errors.contains("Dangerous"))
        }
    }

    @Test func requestAsksAboutTheCertificateInItsSignIn() async throws {
        try await running(client: nil) { place in
            let result = await place.world.run(
                ["request", "ag", place.origin + ArcGIS.privateItem, "--challenge", "prompt"],
                user: Self.user(["2", "ada"], hidden: [Self.password]), exits: 0)
            #expect(result.output.contains("Traffic"))
            #expect(place.world.files(containing: Self.password) == [])
        }
    }

    @Test func configuredCertificateIsAccepted() async throws {
        let folder = try TestFolder()
        try await running(asks: false, more: "ca_file = \"\(folder.file("portal.pem"))\"") { place in
            try folder.write("portal.pem", try #require(place.server.certificate))
            await place.world.run(["login", "ag"], browser: place.browser, exits: 0)
            #expect(ArcGIS.calls(place.server, "/sharing/rest/oauth2/token").map(\.isEncrypted) == [true])
            #expect(try await place.world.sessions().first?["warnings"]?.array?.isEmpty == true)
        }
    }

    @Test(arguments: [true, false])
    func portalMayRequireAClientCertificate(hasCertificate: Bool) async throws {
        let authority = try TestAuthority()
        try authority.makeClient()
        let key = "client_key_file = \"\(authority.folder.file("client.key"))\""
        let certificate = "client_certificate_file = \"\(authority.folder.file("client.pem"))\""
        let own = "\(key)\n\(certificate)\n"
        let trust = "ca_file = \"\(authority.folder.file("portal.pem"))\"\n"
        try await running(.clientCertificate, asks: false, more: trust + (hasCertificate ? own : "")) { place in
            try authority.folder.write("portal.pem", try #require(place.server.certificate))
            let result = await place.world.run(["login", "ag"], browser: place.browser)
            #expect(result.status == (hasCertificate ? 0 : 2), "\(result.errors)")
            #expect(place.world.openedAddresses.isEmpty != hasCertificate)
            #expect(result.errors.contains("requires a client certificate") != hasCertificate)
        }
    }
}
