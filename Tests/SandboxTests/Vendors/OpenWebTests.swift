import AuthModel
import Testing

@testable import Sandbox

/// OpenWeb's gateway and the publisher's backend, tested with plain requests.
@Suite(.serialized) struct OpenWebTests {
    typealias Server = VendorServer<OpenWebSettings>

    static func running(_ settings: OpenWebSettings = OpenWebSettings(), _ body: (Server) async throws -> Void) async throws {
        let time = FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000))
        let server = try await Server(settings, common: VendorServerSettings(), time: time)
        try await server.stopping(after: body)
    }

    static func post(
        _ server: Server, _ path: String, _ body: JSONValue = [:], authorization: String? = nil, headers: [(String, String)] = []
    ) async throws -> Reply {
        let fields = [("Content-Type", "application/json"), ("x-spot-id", "sp_sandbox"), ("x-guid", "guid-1")]
        let reply = try await Wire.ask(
            .post, server.origin + path, headers: fields + (authorization.map { [("Authorization", $0)] } ?? []) + headers, body: body.text)
        return try #require(reply)
    }

    static func guest(_ server: Server) async throws -> String {
        try #require(try await post(server, "/user/login").header("Authorization"))
    }

    static func publisherToken(_ server: Server, _ name: String = "ada", _ password: String = "correct horse battery staple") async throws
        -> String
    {
        let reply = try await post(server, "/api/login", ["username": .string(name), "password": .string(password)])
        return try reply.json().text("token")
    }

    static func codeB(_ server: Server, for codeA: String, token: String) async throws -> Reply {
        try await post(server, "/api/spotim-sso", ["code_a": .string(codeA)], headers: [("access-token-network", token)])
    }

    @Test func openWebTokenComesBesideTheAuthorization() async throws {
        try await Self.running { server in
            #expect(try await Self.post(server, "/user/login").header("x-openweb-token") == nil)
            try server.set("openweb_token", to: "owt-1")
            #expect(try await Self.post(server, "/user/login").header("x-openweb-token") == "owt-1")
        }
    }

    /// Runs a whole sign-in; returns the response to the last step.
    static func signIn(_ server: Server) async throws -> Reply {
        let guest = try await guest(server)
        let codeA = try await post(server, "/user/sso/start", ["secret": .string(guest)], authorization: guest).json().text("code_a")
        let codeB = try await codeB(server, for: codeA, token: publisherToken(server)).json().text("code_b")
        return try await post(server, "/user/sso/complete", ["code_b": .string(codeB)], authorization: guest)
    }

    @Test func guestGetsAnAuthorization() async throws {
        try await Self.running { server in
            let reply = try await Self.post(server, "/user/login")
            let user = try reply.json()
            #expect(reply.status == 200 && reply.header("x-guid") == "guid-1")
            #expect(user["registered"] == false && user["id"] == "guest-1")
            #expect(user["token_expiration"]?.integer == 1_795_253_600)
            let authorization = try #require(reply.header("Authorization"))
            let data = try await Self.post(server, "/user/data", authorization: authorization)
            #expect(try data.json()["id"] == "guest-1")
            #expect(data.header("Authorization") == nil)
            // Without an Authorization field, the gateway creates a new guest.
            #expect(try await Self.post(server, "/user/data").json()["id"] == "guest-2")
        }
    }

    @Test func signInEndsAsThePublishersUser() async throws {
        try await Self.running { server in
            let reply = try await Self.signIn(server)
            let answer = try reply.json()
            #expect(answer["success"] == true && answer["user"]?["id"] == "u_ada" && answer["user"]?["registered"] == true)
            let authorization = try #require(reply.header("Authorization"))
            #expect(try await Self.post(server, "/comment", authorization: authorization).json()["by"] == "u_ada")
            let call = try #require(server.requests.first { $0.path == "/api/sso/v1/register-user" })
            #expect(call.parameter("primary_key") == "sandbox-ada" && call.parameter("user_name") == "ada")
            #expect(call.parameter("access_token") == OpenWebGateway.publisherSecret)
            // Only the backend sends the secret.
            #expect(
                server.requests.filter { $0.path.hasPrefix("/user") }.allSatisfy {
                    !String(decoding: $0.body, as: UTF8.self).contains("secret-")
                })
        }
    }

    @Test func expiredAuthorizationsGet403() async throws {
        try await Self.running { server in
            let user = try #require(try await Self.signIn(server).header("Authorization"))
            #expect(try await Self.post(server, "/user/data", authorization: "nonsense").status == 403)
            server.change { $0.refusals403 = 1 }
            #expect(try await Self.post(server, "/comment", authorization: user).status == 403)
            // The authorization has ended; the 403 was not a single failure.
            #expect(try await Self.post(server, "/comment", authorization: user).status == 403)
            let next = try #require(try await Self.signIn(server).header("Authorization"))
            #expect(try await Self.post(server, "/comment", authorization: next).status == 200)
            server.advance(by: .seconds(3601))
            #expect(try await Self.post(server, "/comment", authorization: next).status == 403)
        }
    }

    @Test func guestRightsFollowTheSite() async throws {
        try await Self.running { server in
            let guest = try await Self.guest(server)
            #expect(try await Self.post(server, "/conversation/read", authorization: guest).status == 200)
            #expect(try await Self.post(server, "/comment", authorization: guest).status == 403)
            #expect(try await Self.post(server, "/like", authorization: guest).status == 200)
            server.change {
                $0.forcesRegistration = false
                $0.allowsGuestLikes = false
            }
            #expect(try await Self.post(server, "/comment", authorization: guest).status == 200)
            #expect(try await Self.post(server, "/like", authorization: guest).status == 403)
            let site = try await Wire.get(server.origin + "/config/get/sp_sandbox/default").json()
            // Flat, as the vendor's public client decodes them: the dot is part of the key.
            let start = try #require(site["init"])
            #expect(start["policy.forceRegister"] == false && start["policy.allowGuestsToLike"] == false)
            #expect(start["sso_enabled"] == true && site["policy"] == nil && start["policy"] == nil)
            #expect(try await Wire.get(server.origin + "/config/get/other/default").status == 404)
        }
    }

    @Test func logoutEndsTheAuthorization() async throws {
        try await Self.running { server in
            let user = try #require(try await Self.signIn(server).header("Authorization"))
            #expect(try await Self.post(server, "/user/logout", authorization: user).status == 200)
            #expect(try await Self.post(server, "/comment", authorization: user).status == 403)
        }
    }

    @Test func responsesCanRotateTheAuthorization() async throws {
        try await Self.running(OpenWebSettings.with { $0.rotatesAuthorization = true }) { server in
            let guest = try await Self.guest(server)
            let next = try #require(try await Self.post(server, "/conversation/read", authorization: guest).header("Authorization"))
            #expect(try await Self.post(server, "/conversation/read", authorization: guest).status == 403)
            #expect(try await Self.post(server, "/conversation/read", authorization: next).status == 200)
        }
    }

    @Test func codesAreValidOnceAndForOneSession() async throws {
        try await Self.running { server in
            let guest = try await Self.guest(server)
            let other = try await Self.guest(server)
            let codeA = try await Self.post(server, "/user/sso/start", ["secret": .string(guest)], authorization: guest).json().text(
                "code_a")
            let token = try await Self.publisherToken(server)
            let codeB = try await Self.codeB(server, for: codeA, token: token).json().text("code_b")
            func complete(_ authorization: String, _ code: String) async throws -> JSONValue? {
                try await Self.post(server, "/user/sso/complete", ["code_b": .string(code)], authorization: authorization).json()["success"]
            }
            #expect(try await complete(other, codeB) == false)
            #expect(try await complete(guest, codeB) == false)
            let again = try await Self.codeB(server, for: codeA, token: token).json().text("code_b")
            #expect(try await complete(guest, again) == true)
            #expect(try await Self.codeB(server, for: codeA, token: "nobody's").status == 401)
        }
    }

    /// The user's data can be updated without a code; invalid input gets a request identifier, as at the registration.
    @Test(arguments: [(nil, true), ("access_token", false), ("primary_key", false), ("user_name", false)] as [(String?, Bool)])
    func userIsUpdatedWithoutACode(missing: String?, isUpdated: Bool) async throws {
        try await Self.running { server in
            let authorization = try #require(try await Self.signIn(server).header("Authorization"))
            let fields = [
                ("access_token", OpenWebGateway.publisherSecret), ("primary_key", "sandbox-ada"), ("user_name", "ada"),
                ("display_name", "Countess"),
            ].filter { $0.0 != missing }
            let reply = try await Wire.get(server.origin + "/api/sso/v1/update-user?" + FormEncoding.encode(fields))
            #expect(reply.status == 200 && (reply.text.utf8.count == 20) == !isUpdated)
            let name = try await Self.post(server, "/user/data", authorization: authorization).json()["display_name"]?.string
            #expect((name == "Countess") == isUpdated && name?.isEmpty == false)
        }
    }

    @Test(arguments: OpenWebSettings.Registration.allCases)
    func codeBHasTheConfiguredShape(shape: OpenWebSettings.Registration) async throws {
        try await Self.running(OpenWebSettings.with { $0.registration = shape }) { server in
            let guest = try await Self.guest(server)
            let codeA = try await Self.post(server, "/user/sso/start", ["secret": .string(guest)], authorization: guest).json().text(
                "code_a")
            let reply = try await Self.codeB(server, for: codeA, token: Self.publisherToken(server))
            #expect(reply.status == (shape == .refused ? 502 : 200))
            #expect((reply.text.utf8.count == 20) == (shape == .requestID))
            #expect(((try? reply.json()["code_b"]) != nil) == (shape == .json))
        }
    }

    @Test(arguments: [(OpenWebSettings.JWT.completes, true, true), (.fails, true, false), (.running, false, true)])
    func jwtHandlingFollowsTheSetting(jwt: OpenWebSettings.JWT, completes: Bool, succeeds: Bool) async throws {
        try await Self.running(OpenWebSettings.with { $0.jwt = jwt }) { server in
            let guest = try await Self.guest(server)
            let secret = JSONValue.string(OpenWebGateway.jwt(for: "grace"))
            let reply = try await Self.post(server, "/user/sso/start", ["secret": secret], authorization: guest)
            let answer = try reply.json()
            #expect(answer["auto_complete"]?.bool == completes && answer["success"]?.bool == succeeds)
            #expect((reply.header("Authorization") != nil) == (jwt == .completes))
            #expect(answer["user"]?["id"] == (jwt == .completes ? "u_grace" : nil))
        }
    }

    @Test func providerTokenSignsIn() async throws {
        try await Self.running { server in
            let guest = try await Self.guest(server)
            let body: JSONValue = ["provider": "piano", "token": .string(OpenWebGateway.providerToken(for: "grace"))]
            #expect(try await Self.post(server, "/user/sso/provider", body, authorization: guest).json()["user"]?["id"] == "u_grace")
            let next = try await Self.guest(server)
            #expect(
                try await Self.post(server, "/user/sso/provider", ["provider": "myspace", "token": "x"], authorization: next).status == 400)
        }
    }

    @Test func wrongPasswordGets401() async throws {
        try await Self.running { (server) async throws in
            #expect(try await Self.post(server, "/api/login", ["username": "ada", "password": "wrong"]).status == 401)
            #expect(try await Wire.ask(.post, server.origin + "/user/login", body: "{}")?.status == 400)
        }
    }
}
