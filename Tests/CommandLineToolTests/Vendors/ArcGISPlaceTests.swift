import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Whose an address is, where several providers are configured, and what a portal's strangest time does to a session.
struct ArcGISPlaceTests {
    typealias ArcGIS = ArcGISCommandTests

    /// A second portal, which is the provider `other`.
    private static func besideAnother(_ body: (ArcGIS.Server, ArcGIS.Server, CommandWorld) async throws -> Void) async throws {
        try await ArcGIS.Server.running { other in
            try await ArcGIS.signedIn(more: "\n[providers.other]\nkind = \"arcgis\"\nportal_url = \"\(other.origin)\"") { server, world in
                try await body(server, other, world)
            }
        }
    }

    @Test(arguments: [ArcGIS.privateItem, ArcGIS.federated])
    func addressOfAnotherProviderIsRefusedWithItsName(path: String) async throws {
        try await Self.besideAnother { _, other, world in
            let url = other.origin + path
            for challenge in ["fail", "anonymous", "prompt"] {
                let result = await world.run(["request", "ag", url, "--challenge", challenge], person: ArcGIS.person)
                #expect(result.status == 8, "\(result.errors)")
                #expect(result.errors.contains("it belongs to the provider other"), "\(result.errors)")
                #expect(result.errors.contains("yett request other \(url)"), "\(result.errors)")
            }
            #expect(other.requests.isEmpty)
        }
    }

    /// No password is asked for, and none is sent.
    @Test func nobodySignsInAtAnotherProvidersServer() async throws {
        try await Self.besideAnother { _, other, world in
            let url = other.origin + ArcGIS.lonely
            let result = await world.run(["login", "ag", "--resource", url], person: ArcGIS.person)
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains("it belongs to the provider other") && result.errors.contains("yett login other --resource"))
            #expect(!result.errors.contains("You must sign in") && other.requests.isEmpty)
        }
    }

    // MARK: A time beyond all times

    private static let endless = #"{"token": "endless-token", "expires": 9223372036854775000, "ssl": true}"#

    private static func answer(_ path: String, _ body: String) -> JSONValue {
        .object([.init("path", .string(path)), .init("status", .number(200)), .init("body", .string(body))])
    }

    /// ArcGIS's own word for a token without an end: the session is kept, listed, read again by another process, and used.
    @Test func tokenWithoutAnEndIsKeptAndListed() async throws {
        try await ArcGIS.running(client: nil) { server, world in
            try server.turn(
                "answers",
                to: .array([
                    Self.answer("/sharing/rest/generateToken", Self.endless),
                    Self.answer("/sharing/rest/portals/self", #"{"user": {"username": "ada", "fullName": "Ada"}}"#),
                ]))
            let login = await world.run(["login", "ag"], person: ArcGIS.person)
            #expect(login.status == 0, "\(login.errors)")
            let sessions = try await world.sessions()
            #expect(sessions.map { $0["session"]?.string } == ["ag/ada"])
            #expect(sessions.first?["state"] == "signed_in" && sessions.first?["access_expires_at"] == "9999-12-31T23:59:59Z")
            let list = await world.run("status")
            #expect(list.status == 0 && list.output.contains("ag/ada"), "\(list.errors)")
            #expect(await world.run("token", "ag").output == "endless-token\n")
            #expect(await world.run("logout", "ag").status == 0)
        }
    }

    /// The same of a server's own token, which is kept beside the portal's.
    @Test func serverTokenWithoutAnEndIsKept() async throws {
        try await ArcGIS.signedIn { server, world in
            try server.turn("answers", to: .array([Self.answer("/sharing/rest/generateToken", Self.endless)]))
            for _ in 0..<2 { _ = await world.run("request", "ag", server.origin + ArcGIS.federated) }
            let asked = server.requests.filter { $0.path == ArcGIS.federated }.map { $0.header("Authorization") ?? "" }
            #expect(asked.contains("Bearer endless-token"), "\(asked)")
            let sessions = try await world.sessions()
            #expect(sessions.map { $0["session"]?.string } == ["ag/ada"])
            #expect(await world.run("token", "ag").status == 0)
        }
    }
}
