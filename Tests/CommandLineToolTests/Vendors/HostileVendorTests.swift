import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Vendors' systems that are broken, failing or hostile: each ends with its exit status, and a message that names the step and the vendor's
/// error code. An older session stays unchanged, and no token goes where it does not belong.
struct HostileVendorTests {
    /// One failure.
    struct Row: Sendable, CustomTestStringConvertible {
        var path: String
        var answer: PredefinedResponse
        var status: Int32
        /// Parts of the message.
        var says: [String]

        init(_ path: String, _ answer: PredefinedResponse, _ status: Int32, _ says: String...) {
            self.path = path
            self.answer = answer
            self.answer.path = path
            self.status = status
            self.says = says
        }

        var testDescription: String { "\(path) \(answer.status) \(answer.body.prefix(40)) \(answer.headers["Location"] ?? "")" }
    }

    static func body(_ text: String, _ status: Int = 200, _ headers: [String: String] = [:]) -> PredefinedResponse {
        PredefinedResponse(at: "/", status: status, headers: ["Content-Type": "application/json"].merging(headers) { $1 }, body: text)
    }

    static let page = body("<html><body>Sign in to the network</body></html>", 200, ["Content-Type": "text/html"])
    static let huge = body(String(repeating: " ", count: 1_100_000))

    /// Redirects to another host.
    static let elsewhere = redirect("http://127.0.0.1:9/elsewhere", 307)

    static func redirect(_ location: String, _ status: Int = 302) -> PredefinedResponse {
        PredefinedResponse(at: "/", status: status, headers: ["Location": location])
    }

    /// Runs a command that must fail as `row` says, while `server` sends the response in the row.
    static func expect<Settings: VendorSettings>(
        _ row: Row, of server: VendorServer<Settings>, in world: CommandWorld, _ arguments: [String],
        user: CommandWorld.User = CommandWorld.User()
    ) async throws {
        server.changeCommon { $0.answers = [row.answer] }
        let result = await world.run(arguments, user: user)
        #expect(result.status == row.status, "\(result.errors)")
        for part in row.says { #expect(result.errors.contains(part), "\(result.errors)") }
        #expect(result.errors.contains("yett: error: ") && result.errors.contains("yett: hint: "), "\(result.errors)")
        let controls = (result.errors + result.output).unicodeScalars.filter {
            $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
        }
        #expect(controls.isEmpty, "\(result.errors)")
    }

    // MARK: MapsIndoors

    static let mapsIndoors: [Row] = [
        Row("/gateway/sandbox-key", page, 7, "the authentication details from", "not a JSON object"),
        Row("/gateway/sandbox-key", huge, 7, "larger than 1 MB"),
        Row("/gateway/sandbox-key", body("oops", 500), 7, "status 500 instead of the details"),
        Row("/gateway/sandbox-key", body("{\"code\":101500}", 404), 2, "the api_key of mi", "status 404, code 101500"),
        Row("/gateway/sandbox-key", elsewhere, 7, "the gateway at", "redirects the details to another address"),
        Row(
            "/gateway/sandbox-key", body("{\"isAuthRequired\":false,\"isAuthRequired\":true,\"authIssuer\":\"{origin}\"}"), 7,
            "repeat a member"),
        Row("/gateway/sandbox-key", body("{\"isAuthRequired\":\"yes\",\"authIssuer\":\"{origin}\"}"), 7, "isAuthRequired is missing"),
        Row(
            "/gateway/sandbox-key", body("{\"isAuthRequired\":true,\"authIssuer\":\"http://id.example.org\",\"authClients\":[]}"), 8,
            "names an authIssuer that is not a plain https URL"),
        Row(
            "/gateway/sandbox-key",
            body("{\"isAuthRequired\":true,\"authIssuer\":\"{origin}\",\"authClients\":[{\"clientId\":\"a\\u0000b\"}]}"),
            7, "a client has no clientId, or an invalid one"),
        Row("/.well-known/openid-configuration", page, 7, "is a web page, not JSON"),
        Row("/connect/authorize", redirect("{redirect_uri}?error=access_denied&state={state}"), 5, "refused the sign-in: access_denied"),
        Row(
            "/connect/authorize", redirect("{redirect_uri}?error=login_required&error_description=%1b%5b31m&state={state}"), 5,
            "refused the sign-in: login_required: ?[31m"),
        Row("/connect/authorize", redirect("{redirect_uri}?code=a%00%1b%0a&state={state}"), 5, "refused the code exchange: invalid_grant"),
        Row("/connect/token", page, 7, "the token response", "is a web page, not JSON"),
        Row("/connect/token", body("{\"error\":\"invalid_client\"}", 400), 5, "refused the code exchange: invalid_client"),
        Row("/connect/token", body("{\"error\":\"invalid_grant\"}"), 5, "refused the code exchange: invalid_grant"),
        Row("/connect/token", elsewhere, 8, "redirects the code exchange to another address"),
    ]

    @Test(arguments: mapsIndoors)
    func faultyMapsIndoorsIsReported(row: Row) async throws {
        try await withSolution(more: "idp = \"google\"") { server, world in
            try await world.signIn("mi")
            let before = try await world.sessions()
            TemporaryFolder(existing: world.home + "/.cache/yett").remove()
            try await Self.expect(row, of: server, in: world, ["login", "mi"])
            #expect(try await world.sessions() == before)
        }
    }

    // MARK: Beyond Identity

    static let mediated: [Row] = [
        Row("/start", redirect("{redirect}?session=a%1b%5b31m"), 8, "the backend's session has invalid characters"),
        Row(
            "/start", redirect("{redirect}?error=%1b%5b31mexpired_link&error_description=ask%20again"), 5,
            "the backend refused the sign-in: ?[31mexpired_link: ask again"),
    ]

    @Test(arguments: mediated)
    func faultyMediatingBackendIsReported(row: Row) async throws {
        try await Self.mediating { server, world in
            try await Self.expect(row, of: server, in: world, ["login", "bi"])
            #expect(try await world.sessions().isEmpty)
        }
    }

    static let enrolling: [Row] = [
        Row(
            "/enroll", body("{\"code\":\"conflict\",\"message\":\"that user exists\\u001b[31m\"}", 409), 5, "did not create the account",
            "status 409, conflict: that user exists?[31m"),
        Row("/enroll", body("{\"error\":{\"code\":\"not_found\",\"message\":\"no tenant\"}}", 404), 5, "status 404, not_found: no tenant"),
        Row("/enroll", body("already there\n", 409, ["Content-Type": "text/plain"]), 5, "status 409: already there"),
        Row("/enroll", body("{\"message\":\"down\"}", 503), 7, "did not create the account: status 503: down"),
        Row("/enroll", page, 7, "answered with a web page when asked to create the account"),
        Row("/enroll", elsewhere, 8, "redirects to another address when asked to create the account"),
    ]

    @Test(arguments: enrolling)
    func refusedSignUpShowsTheBackendsMessage(row: Row) async throws {
        try await Self.mediating { server, world in
            try await Self.expect(row, of: server, in: world, ["signup", "bi", "--email", "ada@example.org"])
        }
    }

    static let exchanging: [Row] = [
        Row("/exchange", page, 7, "a response that is not JSON when asked to exchange the code"),
        Row("/exchange", body("{\"session_id\":\"a\",\"session_id\":\"b\"}"), 7, "not JSON when asked to exchange the code"),
        Row("/exchange", body("{\"session_id\":5}"), 7, "contains no session", "/session_id"),
        Row("/exchange", body("{\"session_id\":\"a\\nb\"}"), 8, "invalid characters"),
        Row(
            "/exchange", body("{\"session_id\":\"a\",\"user\":{\"sub\":\"u\\u0000\"}}"), 8,
            "the user's name from"),
        Row("/exchange", body("{\"code\":\"bad_request\",\"message\":\"code used\"}", 400), 5, "status 400, bad_request: code used"),
        Row("/exchange", elsewhere, 8, "redirects to another address when asked to exchange the code"),
        Row("/exchange", huge, 7, "larger than 1 MB"),
    ]

    @Test(arguments: exchanging)
    func faultyExchangingBackendIsReported(row: Row) async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            """
            mode = "direct"
            client_id = "acme-cloud"
            authorization_endpoint = "\(origin)/v2/authorize"
            exchange_url = "\(origin)/exchange"
            """
        } _: { server, world in
            try await Self.expect(row, of: server, in: world, ["login", "bi"])
            #expect(try await world.sessions().isEmpty)
        }
    }

    private static func mediating(_ body: (VendorServer<BeyondIdentitySettings>, CommandWorld) async throws -> Void) async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            """
            mode = "rp-initiated"
            url = "\(origin)/start?redirect={redirect}"
            signup_url = "\(origin)/enroll"
            """
        } _: { server, world in
            try await body(server, world)
        }
    }
}
