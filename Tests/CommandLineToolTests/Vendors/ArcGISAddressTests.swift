import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Which provider a URL belongs to if several are configured, and the effect of a portal's extreme expiry time on a session.
struct ArcGISAddressTests {
    typealias ArcGIS = ArcGISCommandTests

    /// Runs a second portal, which is the provider `other`.
    private static func withSecondPortal(_ body: (ArcGIS.Server, ArcGIS.Server, CommandWorld) async throws -> Void) async throws {
        try await ArcGIS.Server.running { other in
            try await ArcGIS.signedIn(more: "\n[providers.other]\nkind = \"arcgis\"\nportal_url = \"\(other.origin)\"") { server, world in
                try await body(server, other, world)
            }
        }
    }

    @Test(arguments: [ArcGIS.privateItem, ArcGIS.federated])
    func urlOfAnotherProviderIsRefusedWithItsName(path: String) async throws {
        try await Self.withSecondPortal { _, other, world in
            let url = other.origin + path
            for challenge in ["fail", "anonymous", "prompt"] {
                let result = await world.run(["request", "ag", url, "--challenge", challenge], user: ArcGIS.user, exits: 8)
                #expect(result.errors.contains("it belongs to the provider other"), "\(result.errors)")
                #expect(result.errors.contains("yett request other \(url)"), "\(result.errors)")
            }
            #expect(other.requests.isEmpty)
        }
    }

    /// No password is asked for, and none is sent.
    @Test func signInAtAnotherProvidersServerIsRefused() async throws {
        try await Self.withSecondPortal { _, other, world in
            let url = other.origin + ArcGIS.lonely
            let result = await world.run(["login", "ag", "--resource", url], user: ArcGIS.user, exits: 8)
            #expect(result.errors.contains("it belongs to the provider other") && result.errors.contains("yett login other --resource"))
            #expect(!result.errors.contains("You must sign in") && other.requests.isEmpty)
        }
    }

    // MARK: Extreme expiry times

    private static let endless = #"{"token": "endless-token", "expires": 9223372036854775000, "ssl": true}"#

    private static func answer(_ path: String, _ body: String) -> JSONValue {
        .object([.init("path", .string(path)), .init("status", .number(200)), .init("body", .string(body))])
    }

    /// ArcGIS's value for a token without an expiry: the session is stored, listed, read by another process, and used.
    @Test func tokenWithoutAnExpiryIsStoredAndListed() async throws {
        try await ArcGIS.running(client: nil) { server, world in
            try server.set(
                "answers",
                to: .array([
                    Self.answer("/sharing/rest/generateToken", Self.endless),
                    Self.answer("/sharing/rest/portals/self", #"{"user": {"username": "ada", "fullName": "Ada"}}"#),
                ]))
            await world.run(["login", "ag"], user: ArcGIS.user, exits: 0)
            let sessions = try await world.sessions()
            #expect(sessions.map { $0["session"]?.string } == ["ag/ada"])
            #expect(sessions.first?["state"] == "signed_in" && sessions.first?["access_expires_at"] == "9999-12-31T23:59:59Z")
            let list = await world.run("status")
            #expect(list.status == 0 && list.output.contains("ag/ada"), "\(list.errors)")
            #expect(await world.run("token", "ag").output == "endless-token\n")
            #expect(await world.run("logout", "ag").status == 0)
        }
    }

    /// The same for a server's own token, which is stored beside the portal's.
    @Test func serverTokenWithoutAnExpiryIsStored() async throws {
        try await ArcGIS.signedIn { server, world in
            try server.set("answers", to: .array([Self.answer("/sharing/rest/generateToken", Self.endless)]))
            for _ in 0..<2 { _ = await world.run("request", "ag", server.origin + ArcGIS.federated) }
            let asked = server.requests.filter { $0.path == ArcGIS.federated }.map { $0.header("Authorization") ?? "" }
            #expect(asked.contains("Bearer endless-token"), "\(asked)")
            #expect(try await world.sessions().map { $0["session"]?.string } == ["ag/ada"])
            #expect(await world.run("token", "ag").status == 0)
        }
    }
}
