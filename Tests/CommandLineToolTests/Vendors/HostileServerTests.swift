import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// The same for ArcGIS and OpenWeb, with requests to their resources.
struct HostileServerTests {
    typealias Row = HostileVendorTests.Row

    private static let page = HostileVendorTests.page
    private static let huge = HostileVendorTests.huge
    private static let elsewhere = HostileVendorTests.elsewhere
    private static func body(_ text: String, _ status: Int = 200, _ headers: [String: String] = [:]) -> PredefinedResponse {
        HostileVendorTests.body(text, status, headers)
    }

    // MARK: ArcGIS

    private static let token = "/sharing/rest/oauth2/token"
    private static let portalSelf = "/sharing/rest/portals/self"

    static let signingIn: [Row] = [
        Row(token, page, 7, "not JSON when redeeming the code"),
        Row(
            token, body("{\"error\":{\"code\":400,\"error\":\"invalid_client_id\",\"error_description\":\"Invalid client_id\"}}"), 5,
            "refused when redeeming the code: 400 invalid_client_id: Invalid client_id"),
        Row(
            token, body("{\"error\":{\"code\":498,\"error\":\"invalid_request\",\"error_description\":\"old\"}}", 400), 5,
            "498 invalid_request: old"),
        Row(token, body("{\"error\":\"invalid_grant\",\"error_description\":\"no such code\"}"), 5, "invalid_grant: no such code"),
        Row(token, body("{\"error\":{\"code\":\"498\",\"message\":\"Invalid \\u001b[31mtoken\"}}"), 5, "498 Invalid ?[31mtoken"),
        Row(token, body("{\"error\":{\"code\":500,\"message\":\"Unable to perform\"}}"), 7, "failed when redeeming the code: 500"),
        Row(token, body("{\"access_token\":\"a\\r\\nX-Evil: 1\"}"), 8, "invalid characters when redeeming the code"),
        Row(token, body("{\"access_token\":\"a\",\"access_token\":\"b\"}"), 7, "not JSON when redeeming the code"),
        Row(token, elsewhere, 8, "redirects to another address when redeeming the code"),
        Row(portalSelf, page, 7, "not JSON when getting the user's name"),
        Row(
            portalSelf, body("{\"error\":{\"code\":403,\"message\":\"no rights\",\"messageCode\":\"GWM_0003\"}}"), 5,
            "refused when getting the user's name: 403 no rights"),
        Row(portalSelf, body("{\"user\":{\"username\":\"a\\u0000\"}}"), 8, "the user's name from"),
        Row(portalSelf, elsewhere, 8, "redirects to another address when getting the user's name"),
        Row(
            "/sharing/rest/oauth2/authorize",
            HostileVendorTests.redirect(
                "{redirect_uri}?error=access_denied&error_description=The+user+has+denied+your+request.&state={state}"),
            5, "access_denied: The user has denied your request"),
    ]

    @Test(arguments: signingIn)
    func faultyPortalIsReported(row: Row) async throws {
        try await Self.portal { server, world in
            try await world.signIn("ag")
            let before = try await world.sessions()
            try await HostileVendorTests.expect(row, of: server, in: world, ["login", "ag"])
            #expect(try await world.sessions() == before)
        }
    }

    static let renewing: [Row] = [
        Row(token, page, 7, "not JSON when renewing the session"),
        Row(token, huge, 7, "larger than 1 MB"),
        Row(token, body("{}"), 7, "no access_token when renewing the session"),
        Row(token, body("{\"error\":\"invalid_grant\",\"error_description\":\"expired\"}"), 6, "invalid_grant: expired"),
        Row(
            token, body("{\"error\":{\"code\":498,\"error\":\"invalid_request\",\"error_description\":\"refresh_token expired\"}}", 400), 6,
            "498 invalid_request: refresh_token expired"),
    ]

    @Test(arguments: renewing)
    func faultyRenewalResponseIsReported(row: Row) async throws {
        try await Self.portal { server, world in
            try await world.signIn("ag")
            try await HostileVendorTests.expect(row, of: server, in: world, ["renew", "ag"])
        }
    }

    private static let info = "/server/rest/info"
    private static let generate = "/sharing/rest/generateToken"

    static let federating: [Row] = [
        Row(
            info, body("{\"owningSystemUrl\":\"https://other.example/portal\"}"), 8,
            "belongs to a different portal than ag: https://other.example"),
        Row(info, body("{\"owningSystemUrl\":\"{origin}@other.example/\"}"), 8, "belongs to a different portal than ag"),
        Row(info, page, 8, "which is not a server of its portal"),
        Row(info, elsewhere, 8, "which is not a server of its portal"),
        Row(info, huge, 7, "larger than 1 MB"),
        Row(
            generate, body("{\"error\":{\"code\":400,\"message\":\"Unable to generate token.\",\"details\":[\"Invalid server URL\"]}}"), 5,
            "refused when requesting a token for", "400 Unable to generate token. Invalid server URL"),
        Row(generate, body("{\"token\":\"t\\r\\nX: y\",\"expires\":99999999999999}"), 8, "invalid characters"),
        Row(generate, body("{\"token\":\"t\",\"expires\":1e300}"), 7, "returned no token when requesting a token for"),
        Row(generate, elsewhere, 8, "redirects to another address when requesting a token for"),
    ]

    /// The server at `/server` never gets a token.
    @Test(arguments: federating)
    func faultyServerGetsNoToken(row: Row) async throws {
        try await Self.portal { server, world in
            try await world.signIn("ag")
            server.clearRequests()
            try await HostileVendorTests.expect(
                row, of: server, in: world, ["request", "ag", server.origin + "/server/rest/services/Traffic/MapServer"])
            let atServer = server.requests.filter { $0.path.hasPrefix("/server/") }
            #expect(!atServer.isEmpty)
            for request in atServer {
                #expect(request.header("Authorization") == nil && request.field("token") == nil && request.parameter("token") == nil)
            }
        }
    }

    /// A password is typed for the displayed host: a server that wants it sent to another host gets none.
    @Test func passwordGoesOnlyToTheDisplayedHost() async throws {
        try await Self.portal { server, world in
            let row = Row(
                "/lonely/rest/info", Self.body("{\"authInfo\":{\"tokenServicesUrl\":\"https://other.example/tokens/generateToken\"}}"), 8,
                "wants passwords sent to other.example")
            let user = CommandWorld.User(hasTerminal: true, lines: ["ada"], hiddenLines: [OpenWebCommandTests.password])
            try await HostileVendorTests.expect(
                row, of: server, in: world, ["request", "ag", server.origin + "/lonely/rest/services/Traffic/MapServer"], user: user)
        }
    }

    /// Another machine does not choose where this one sends requests: it gets the tokens of servers that were asked here.
    @Test func forwardedRequestReachesNoNewServer() async throws {
        try await Self.portal { server, world in
            try await world.signIn("ag")
            let edges = world.edges(into: StreamRecorder(told: nil))
            let console = Console(streams: edges.streams, environment: edges.environment)
            let service = try await CommandContext(edges: edges, options: GlobalOptions(), console: console).unlockedService()
            let sessions = try await service.sessions()
            let name = try #require(sessions.first).name
            let own = TokenRequest(session: name, resource: WebURL(server.origin + "/server/rest/services/Traffic/MapServer"))
            var forwarded = own
            forwarded.isForwarded = true
            do throws(AuthFailure) {
                _ = try await service.token(forwarded)
                Issue.record("a token was issued")
            } catch {
                #expect(error.kind == .security)
            }
            let issued = try await service.token(own)
            #expect(try await service.token(forwarded).token == issued.token)
        }
    }

    /// The last and the first possible time, and one in 1970.
    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "1"])
    func absurdExpiryOfATokenBreaksNothing(end: String) async throws {
        try await Self.portal { server, world in
            try await world.signIn("ag")
            server.changeCommon {
                $0.answers = [
                    PredefinedResponse(at: Self.generate, body: "{\"token\":\"t\",\"expires\":\(end)}"),
                    PredefinedResponse(at: "/server/rest/services/Traffic/MapServer", body: "{\"mapName\":\"Traffic\"}"),
                ]
            }
            let result = await world.run("request", "ag", server.origin + "/server/rest/services/Traffic/MapServer")
            #expect(result.status == 0 && result.output.contains("Traffic"), "\(result.errors)")
            #expect(await world.run("status", "--json").status == 0)
        }
    }

    private static func portal(_ body: (VendorServer<ArcGISSettings>, CommandWorld) async throws -> Void) async throws {
        try await withVendor(ArcGISSettings(), as: "ag") {
            "portal_url = \"\($0)\"\nclient_id = \"yett-arcgis\""
        } _: { server, world in
            try await body(server, world)
        }
    }

    // MARK: OpenWeb

    static let openWeb: [Row] = [
        Row("/api/login", page, 7, "the publisher", "returned no token"),
        Row("/api/login", body("{\"token\":\"p\\r\\nX: 1\"}"), 8, "the publisher", "invalid characters"),
        Row("/api/login", body("x", 500), 7, "the publisher", "status 500"),
        Row("/api/login", elsewhere, 8, "redirects to another address when checking the password"),
        Row("/user/login", page, 7, "not JSON when starting a guest session"),
        Row("/user/login", body("{\"id\":\"g\"}"), 7, "sent no Authorization when starting a guest session"),
        Row("/user/login", body("{\"id\":\"g\"}", 200, ["Authorization": "g\u{E9}"]), 8, "a field Authorization with invalid characters"),
        Row("/user/login", body("{\"error\":\"unknown spot\"}", 400), 5, "starting a guest session: status 400, unknown spot"),
        Row("/user/login", elsewhere, 8, "redirects to another address when starting a guest session"),
        Row("/user/sso/start", page, 7, "not JSON when starting the sign-in (startSSO)"),
        Row("/user/sso/start", body("{\"code_a\":\"A\",\"code_a\":\"B\"}"), 7, "not JSON when starting the sign-in (startSSO)"),
        Row("/user/sso/start", body("[1]"), 5, "startSSO returned no code_a"),
        Row("/user/sso/start", body("{}", 403), 5, "starting the sign-in (startSSO): status 403"),
        Row("/api/spotim-sso", page, 5, "returned an invalid code B"),
        Row("/api/spotim-sso", body("{\"error\":\"not signed in\"}", 401), 5, "returned no code B: status 401, not signed in"),
        Row("/api/spotim-sso", body("{\"message\":\"boom\"}", 500), 7, "returned no code B: status 500: boom"),
        Row("/api/spotim-sso", elsewhere, 8, "redirects to another address when asked for a code B"),
        Row("/api/spotim-sso", body("abcdefghij0123456789"), 5, "completeSSO rejected the publisher's code (step 4)"),
        Row("/user/sso/complete", body("{\"success\":true}"), 5, "completeSSO returned no user"),
        Row(
            "/user/sso/complete", body("{\"success\":true,\"user\":{\"id\":\"u\\u0000\"}}", 200, ["Authorization": "U"]), 8,
            "the user's name from"),
        Row("/user/sso/complete", body("{\"error\":\"Authentication error\"}", 403), 5, "(completeSSO): status 403, Authentication error"),
    ]

    @Test(arguments: openWeb)
    func faultyGatewayOrPublisherIsReported(row: Row) async throws {
        try await OpenWebCommandTests.running { server, world in
            try await HostileVendorTests.expect(row, of: server, in: world, ["login", "ow"], user: OpenWebCommandTests.ada)
            let states = try await world.sessions().map { $0["state"]?.string }
            #expect(!states.contains("signed_in"))
        }
    }

    /// However often it is refused: one recovery, and one retry.
    @Test(arguments: [401, 403])
    func endlessRefusalEndsAfterOneRecovery(status: Int) async throws {
        try await OpenWebCommandTests.signedIn { server, world in
            let row = Row("/comment", Self.body("{}", status), 6, "also refused the renewed token: status \(status)")
            try await HostileVendorTests.expect(row, of: server, in: world, ["request", "ow", "-X", "POST", server.origin + "/comment"])
            #expect(server.calls(of: "/comment").count == 2)
            #expect(server.calls(of: "/user/data").count == 1)
        }
    }

    /// An invalid field value is not stored, and the session stays unchanged.
    @Test func invalidAuthorizationInAResponseIsNotStored() async throws {
        try await OpenWebCommandTests.signedIn { server, world in
            server.changeCommon {
                $0.answers = [PredefinedResponse(at: "/comment", headers: ["Authorization": "x\u{E9}"], body: "{}", isForOnce: true)]
            }
            for _ in 0..<2 {
                await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            }
            #expect(server.calls(of: "/user/data").isEmpty)
        }
    }
}
