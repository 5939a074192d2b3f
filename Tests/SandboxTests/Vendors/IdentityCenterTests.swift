import AuthModel
import Testing

@testable import Sandbox

/// AWS IAM Identity Center, tested with plain requests as its published model describes them.
@Suite(.serialized) struct IdentityCenterTests {
    typealias Server = VendorServer<IdentityCenterSettings>

    static let redirect = "http://127.0.0.1:9999/oauth/callback"
    static let verifier = String(repeating: "v", count: 64)

    static func running(_ settings: IdentityCenterSettings = .init(), _ body: (Server) async throws -> Void) async throws {
        let time = FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000))
        let server = try await Server(settings, common: VendorServerSettings(autoApproves: "ada"), time: time)
        try await server.stopping(after: body)
    }

    static func post(_ server: Server, _ path: String, _ body: JSONValue) async throws -> Reply {
        try #require(
            try await Wire.ask(.post, server.origin + path, headers: [("Content-Type", "application/json")], body: body.text))
    }

    static func portal(_ server: Server, _ path: String, _ token: String) async throws -> Reply {
        try #require(try await Wire.ask(.get, server.origin + path, headers: [("x-amz-sso_bearer_token", token)]))
    }

    static func client(_ server: Server) async throws -> [JSONValue.Member] {
        let reply = try await post(
            server, "/client/register",
            [
                "clientName": "test", "clientType": "public", "scopes": ["sso:account:access"],
                "grantTypes": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
                "redirectUris": ["http://127.0.0.1/oauth/callback"], "issuerUrl": .string(server.origin + "/start"),
            ])
        let document = try reply.json()
        let (id, secret) = (try document.text("clientId"), try document.text("clientSecret"))
        return [.init("clientId", .string(id)), .init("clientSecret", .string(secret))]
    }

    static func token(_ server: Server, _ client: [JSONValue.Member], _ fields: [(String, String)]) async throws -> Reply {
        try await post(server, "/token", .object(client + fields.map { .init($0.0, .string($0.1)) }))
    }

    static func tokens(_ server: Server, _ client: [JSONValue.Member]) async throws -> JSONValue {
        let query = FormEncoding.encode([
            ("response_type", "code"), ("client_id", client[0].value.string ?? ""), ("redirect_uri", redirect), ("state", "s1"),
            ("code_challenge", AuthorizationCodes<String>.challenge(for: verifier)), ("code_challenge_method", "S256"),
            ("scopes", "sso:account:access"),
        ])
        let reply = try await Wire.get(server.origin + "/authorize?" + query)
        let code = try #require(reply.locationParameter("code"))
        return try await token(
            server, client,
            [("grantType", "authorization_code"), ("code", code), ("redirectUri", redirect), ("codeVerifier", verifier)]
        ).json()
    }

    @Test func codeBringsTokensThatOpenThePortal() async throws {
        try await Self.running(IdentityCenterSettings.with { $0.pageSize = 2 }) { server in
            let client = try await Self.client(server)
            let tokens = try await Self.tokens(server, client)
            #expect(tokens["tokenType"] == "Bearer" && tokens["expiresIn"] == 3600 && tokens["refreshToken"]?.string != nil)
            let token = try tokens.text("accessToken")
            let first = try await Self.portal(server, "/assignment/accounts", token).json()
            #expect(first["accountList"]?.array?.count == 2)
            let next = try first.text("nextToken")
            let last = try await Self.portal(server, "/assignment/accounts?next_token=" + next, token).json()
            #expect(last["accountList"]?.array?.count == 1 && last["nextToken"] == .null)
            let credentials = try await Self.portal(
                server, "/federation/credentials?account_id=000000000001&role_name=ReadOnlyAccess", token
            ).json()["roleCredentials"]
            #expect(credentials?["accessKeyId"]?.string?.hasPrefix("ASIA") == true)
            #expect(credentials?["expiration"] == .number(1_795_250_000_000 + 3_600_000))
        }
    }

    @Test func sessionEndsWithTheSignOut() async throws {
        try await Self.running { server in
            let client = try await Self.client(server)
            let tokens = try await Self.tokens(server, client)
            let token = try tokens.text("accessToken")
            let left = try await Wire.ask(.post, server.origin + "/logout", headers: [("x-amz-sso_bearer_token", token)], body: "")
            #expect(left?.status == 200)
            #expect(try await Self.portal(server, "/assignment/accounts", token).status == 401)
            let renewed = try await Self.token(
                server, client, [("grantType", "refresh_token"), ("refreshToken", try tokens.text("refreshToken"))])
            #expect(renewed.status == 400 && renewed.header("x-amzn-ErrorType") == "InvalidGrantException")
        }
    }

    @Test func faultsHaveTheNamesOfTheModel() async throws {
        try await Self.running { server in
            let client = try await Self.client(server)
            let tokens = try await Self.tokens(server, client)
            let token = try tokens.text("accessToken")
            let role = "/federation/credentials?account_id=000000000001&role_name=ReadOnlyAccess"
            try server.set("throttles", to: 1)
            let throttled = try await Self.portal(server, role, token)
            #expect(throttled.status == 429 && throttled.header("x-amzn-ErrorType") == "TooManyRequestsException")
            try server.set("removed_roles", to: ["000000000001/ReadOnlyAccess"])
            let removed = try await Self.portal(server, role, token)
            #expect(removed.status == 403 && removed.header("x-amzn-ErrorType") == "ForbiddenException")
            #expect(try removed.json()["message"] == "No access")
            let large = try await Self.portal(server, "/assignment/accounts?max_result=101", token)
            #expect(large.status == 400 && large.header("x-amzn-ErrorType") == "InvalidRequestException")
            try server.set("portal_errors", to: 1)
            #expect(try await Self.portal(server, "/assignment/accounts", token).status == 500)
            try server.set("revokes_sessions", to: true)
            #expect(try await Self.portal(server, role, token).header("x-amzn-ErrorType") == "UnauthorizedException")
            let device = try await Self.post(
                server, "/device_authorization", .object(client + [.init("startUrl", .string(server.origin + "/start"))])
            ).json()
            let poll = [("grantType", IdentityCenter.deviceGrant), ("deviceCode", try device.text("deviceCode"))]
            try server.set("slow_downs", to: 1)
            #expect(try await Self.token(server, client, poll).json()["error"] == "slow_down")
            #expect(try await Self.token(server, client, poll).json()["error"] == "authorization_pending")
            _ = try await Wire.get(try device.text("verificationUriComplete"))
            #expect(try await Self.token(server, client, poll).json()["accessToken"]?.string != nil)
            let forged = try await Self.token(server, [client[0], .init("clientSecret", "x")], poll)
            #expect(forged.status == 401 && forged.header("x-amzn-ErrorType") == "InvalidClientException")
        }
    }
}
