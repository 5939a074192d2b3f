import AuthModel
import Sandbox
import TestCertificates
import Testing

@testable import YettCommand

/// AG-12: a portal whose certificate no known authority signed.
struct UntrustedServerTests {
    typealias ArcGIS = ArcGISCommandTests

    private static let password = "correct horse battery staple"

    /// The sandbox's portal behind TLS.
    private struct Place {
        let server: VendorServer<ArcGISSettings>
        let world: CommandWorld
        let front: TLSFront
        let fingerprint: String

        var origin: String { "https://127.0.0.1:\(front.port)" }

        /// A browser whose person went on past its own warning.
        var browser: CommandWorld.Browser {
            let (world, plain, origin) = (world, server.origin, origin)
            return .does { url in
                if let address = WebURL(url.text.replacing(origin, with: plain)) { await world.visit(address) }
            }
        }
    }

    private func running(
        certificate: String = "selfsigned", client: String? = "yett-arcgis", asks: Bool = true, _ body: (Place) async throws -> Void
    ) async throws {
        try await VendorServer<ArcGISSettings>.running(stage: StageSettings(autoApproves: "ada")) { server in
            let authority = try TestAuthority()
            let front = try authority.front(certificate, to: server.port)
            let world = try CommandWorld()
            try world.configure(
                """
                [providers.ag]
                kind = "arcgis"
                portal_url = "https://127.0.0.1:\(front.port)"
                \(client.map { "client_id = \"\($0)\"" } ?? "")
                \(asks ? "prompt_untrusted = true" : "")
                """)
            try await body(Place(server: server, world: world, front: front, fingerprint: try authority.fingerprint(certificate)))
        }
    }

    private static func person(_ lines: [String], hidden: [String] = []) -> CommandWorld.Person {
        CommandWorld.Person(hasTerminal: true, lines: lines, hiddenLines: hidden)
    }

    @Test func isRefusedUnlessTheConfigurationSaysOtherwise() async throws {
        try await running(client: nil, asks: false) { place in
            let result = await place.world.run(["login", "ag"], person: Self.person(["ada", "2"], hidden: [Self.password]))
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains("is self-signed, by no known authority") && result.errors.contains("ca_file"))
            #expect(!result.errors.contains("Dangerous"))
            #expect(place.server.requests.isEmpty)
        }
    }

    @Test(arguments: [["1"], [""]])
    func refusingItSendsNothing(lines: [String]) async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, person: Self.person(lines))
            #expect(result.status == 8, "\(result.errors)")
            #expect(
                result.errors.contains("Dangerous: the certificate of 127.0.0.1:\(place.front.port) is not signed by a trusted authority"))
            #expect(place.server.requests.allSatisfy { $0.path == "/" || $0.path == "" })
            #expect(place.world.openedAddresses.isEmpty)
        }
    }

    @Test func nobodyIsAskedWhereNobodyIs() async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser)
            #expect(result.status == 8, "\(result.errors)")
            #expect(place.world.openedAddresses.isEmpty)
        }
    }

    @Test func allowedOnceItStandsForTheSession() async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, person: Self.person(["2"]))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains(place.fingerprint))
            let session = try #require(try await place.world.sessions().first)
            #expect(session["warnings"]?.strings?.contains { $0.contains("not signed by a trusted authority; you allowed it") } == true)
            // Nobody is asked again: not for a request, not for a renewal, not for the end.
            let item = await place.world.run("request", "ag", place.origin + ArcGIS.privateItem)
            #expect(item.status == 0, "\(item.errors)")
            #expect(try item.json["title"] == "Traffic")
            #expect(await place.world.run("renew", "ag").status == 0)
            let out = await place.world.run("logout", "ag")
            #expect(out.status == 0, "\(out.errors)")
            #expect(ArcGIS.calls(place.server, "/sharing/rest/oauth2/revokeToken").count == 1)
            // The next session asks anew.
            #expect(await place.world.run("login", "ag", browser: place.browser).status == 8)
        }
    }

    /// What was allowed is that certificate: another one in its place is refused.
    @Test func anotherCertificateIsNotAllowed() async throws {
        try await running { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, person: Self.person(["2"]))
            #expect(result.status == 0, "\(result.errors)")
            place.front.end()
            let other = try TestAuthority().front("selfsigned", to: place.server.port, port: place.front.port)
            let item = await place.world.run("request", "ag", place.origin + ArcGIS.privateItem, "--challenge", "fail")
            #expect(item.status == 8, "\(item.errors)")
            #expect(!item.output.contains("Traffic"))
            withExtendedLifetime(other) {}
        }
    }

    @Test(arguments: [("elsewhere", "is for another host name"), ("expired", "has expired")])
    func whatElseIsWrongWithItIsNoQuestion(certificate: String, says: String) async throws {
        try await running(certificate: certificate) { place in
            let result = await place.world.run(["login", "ag"], browser: place.browser, person: Self.person(["2"]))
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains(says) && !result.errors.contains("Dangerous"))
        }
    }

    @Test func requestAsksWithItsSignIn() async throws {
        try await running(client: nil) { place in
            let result = await place.world.run(
                ["request", "ag", place.origin + ArcGIS.privateItem, "--challenge", "prompt"],
                person: Self.person(["2", "ada"], hidden: [Self.password]))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("Traffic"))
            #expect(place.world.files(containing: Self.password) == [])
        }
    }
}
