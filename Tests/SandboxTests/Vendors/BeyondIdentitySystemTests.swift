import AuthModel
import Testing

@testable import Sandbox

/// The sandbox's Beyond Identity and its app's backend, tested with plain requests.
struct BeyondIdentitySystemTests {
    private static let redirect = "http://127.0.0.1:50123/callback"

    private func running(
        _ settings: BeyondIdentitySettings = BeyondIdentitySettings(), _ body: (VendorServer<BeyondIdentitySettings>) async throws -> Void
    ) async throws {
        try await VendorServer.running(settings, common: VendorServerSettings(autoApproves: "ada")) { try await body($0) }
    }

    private func code(_ server: VendorServer<BeyondIdentitySettings>, scope: String = "openid") async throws -> String {
        let query = FormEncoding.encode([
            ("client_id", "acme-cloud"), ("redirect_uri", Self.redirect), ("response_type", "code"), ("scope", scope), ("state", "s"),
        ])
        let reply = try await Wire.get(server.origin + "/v2/authorize?" + query)
        return try #require(reply.locationParameter("code"))
    }

    private func redeem(
        _ server: VendorServer<BeyondIdentitySettings>, code: String, secret: String?
    ) async throws -> Reply {
        let credential = secret.map { [("Authorization", "Basic " + SandboxBase64.standard(Array("acme-cloud:\($0)".utf8)))] } ?? []
        return try await Wire.post(
            server.origin + "/v2/token",
            [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect)], headers: credential)
    }

    @Test func tokenEndpointNeedsTheBackendsSecret() async throws {
        try await running { server in
            let code = try await code(server)
            #expect(try await redeem(server, code: code, secret: nil).status == 401)
            #expect(try await redeem(server, code: code, secret: "wrong").status == 401)
            let right = try await redeem(server, code: code, secret: server.settings.clientSecret)
            #expect(right.status == 200)
            let tokens = try right.json()
            let claims = try #require(DecodedToken(try tokens.text("id_token")).claims)
            #expect(claims["iss"]?.string == server.origin + "/v2")
            let keys = try await Wire.get(server.origin + "/v2/.well-known/jwks.json").json()
            #expect(try DecodedToken(try tokens.text("id_token")).isSigned(byOneOf: keys))
            let field = [("Authorization", "Bearer \(try tokens.text("access_token"))")]
            #expect(try await Wire.get(server.origin + "/v2/userinfo", headers: field).json()["external_id"] == "ada")
        }
    }

    @Test func challengeCanBeRequired() async throws {
        var settings = BeyondIdentitySettings()
        settings.requiresProofKey = true
        try await running(settings) { server in
            let base = [("client_id", "acme-cloud"), ("redirect_uri", Self.redirect), ("response_type", "code"), ("scope", "openid")]
            let refused = try await Wire.get(server.origin + "/v2/authorize?" + FormEncoding.encode(base))
            #expect(refused.locationParameter("error") == "invalid_request")
            let more = [("code_challenge", AuthorizationCodes<Int>.challenge(for: "v")), ("code_challenge_method", "S256")]
            let reply = try await Wire.get(server.origin + "/v2/authorize?" + FormEncoding.encode(base + more))
            let without = try await redeem(server, code: try #require(reply.locationParameter("code")), secret: settings.clientSecret)
            #expect(try without.status == 400 && without.json()["error"] == "invalid_grant")
            // The backend sends a challenge as well.
            let begun = try await Wire.get(server.origin + "/start?redirect=http%3A%2F%2F127.0.0.1%3A50123%2Fapp")
            let back = try await Wire.get(try #require(begun.header("Location")))
            let home = try await Wire.get(try #require(back.header("Location")))
            #expect(home.locationParameter("session") != nil)
        }
    }

    @Test func denialIsReturnedWithTheDamagedState() async throws {
        var settings = BeyondIdentitySettings()
        settings.deniesSignIn = true
        settings.stateFlaw = .tampered
        try await running(settings) { server in
            let query = FormEncoding.encode([
                ("client_id", "acme-cloud"), ("redirect_uri", Self.redirect), ("response_type", "code"), ("scope", "openid"),
                ("state", "s"),
            ])
            let reply = try await Wire.get(server.origin + "/v2/authorize?" + query)
            #expect(reply.locationParameter("error") == "access_denied" && reply.locationParameter("state") == "tampered")
        }
    }

    @Test func idTokenNeedsTheOpenIDScope() async throws {
        try await running { server in
            let reply = try await redeem(server, code: try await code(server, scope: "profile"), secret: server.settings.clientSecret)
            let tokens = try reply.json()
            #expect(tokens["access_token"] != nil && tokens["id_token"] == nil)
        }
    }

    @Test func backendRedirectsTheBrowserWithASession() async throws {
        try await running { server in
            var next = server.origin + "/start?redirect=" + FormEncoding.escape(Self.redirect)
            var last = try await Wire.get(next)
            while let location = last.location, !location.hasPrefix(Self.redirect) {
                next = location
                last = try await Wire.get(next)
            }
            let session = try #require(last.locationParameter("session"))
            let user = try await Wire.get(server.origin + "/session", headers: [("Authorization", "Bearer \(session)")]).json()
            #expect(user["sub"] == "sandbox-ada")
            let calls = server.requests.filter { $0.path == "/v2/token" }
            #expect(calls.count == 1)
        }
    }

    /// The sample of the vendor's SDK redirects to the app's own URL scheme.
    @Test(arguments: [("acme://", "acme://?session="), ("acme-cloud://done", "acme-cloud://done?session=")])
    func backendRedirectsToTheAppsURLScheme(redirect: String, start: String) async throws {
        try await running { server in
            var next = server.origin + "/start?redirect=" + FormEncoding.escape(redirect)
            while next.hasPrefix("http") { next = try #require(try await Wire.get(next).header("location")) }
            #expect(next.hasPrefix(start))
        }
    }

    @Test(arguments: ["https://evil.example/", "javascript://x", "//evil.example/", "file:///x", "acme"])
    func backendRefusesOtherRedirects(redirect: String) async throws {
        try await running { server in
            let reply = try await Wire.get(server.origin + "/start?redirect=" + FormEncoding.escape(redirect))
            #expect(reply.status == 400)
        }
    }

    /// As the API document says: only the grant type and the token.
    @Test func refreshNeedsOnlyTheToken() async throws {
        try await running { server in
            let application = server.origin + "/v1/tenants/t/realms/r/applications/a"
            let redirect = "http://127.0.0.1:50123/callback"
            var next =
                application + "/authorize?response_type=code&client_id=acme-cloud&scope=openid&redirect_uri="
                + FormEncoding.escape(redirect)
            var code: String?
            while next.hasPrefix(server.origin) {
                let reply = try await Wire.get(next)
                next = try #require(reply.header("location"))
                code = reply.locationParameter("code")
            }
            let tokens = try await Wire.post(
                application + "/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "acme-cloud"), ("code", try #require(code)),
                    ("redirect_uri", redirect),
                ]
            ).json()
            let renewed = try await Wire.post(
                application + "/token", [("grant_type", "refresh_token"), ("refresh_token", try tokens.text("refresh_token"))])
            #expect(renewed.status == 200)
            let again = try await Wire.post(application + "/token", [("grant_type", "refresh_token"), ("refresh_token", "unknown")])
            #expect(try again.json()["error"] == "invalid_grant")
        }
    }

    @Test func managementNeedsTheTokenAndEveryField() async throws {
        try await running { server in
            let field = [("Authorization", "Bearer \(server.settings.apiToken)"), ("Content-Type", "application/json")]
            let refusal = try #require(try await Wire.ask(.post, server.origin + "/v1/manage/users", body: "{}"))
            #expect(refusal.status == 401)
            let bare = try #require(try await Wire.ask(.post, server.origin + "/v1/manage/users", headers: field, body: "{}"))
            #expect(bare.status == 400)
            let user = """
                {"external_id":"a","email":"a@example.org","user_name":"a","display_name":"A","binding_token_delivery_method":"email"}
                """
            let made = try #require(try await Wire.ask(.post, server.origin + "/v1/manage/users", headers: field, body: user))
            #expect(try made.json()["status"] == "USER_STATUS_ACTIVE")
        }
    }

    /// The newer generation: the URL comes in a redirect or in a document.
    @Test(arguments: BeyondIdentitySettings.Invocation.allCases)
    func authenticatorIsInvokedByRedirectOrDocument(invocation: BeyondIdentitySettings.Invocation) async throws {
        try await running(BeyondIdentitySettings.with { $0.invocation = invocation }) { server in
            let query = FormEncoding.encode([
                ("client_id", "acme-cloud"), ("redirect_uri", Self.redirect), ("response_type", "code"), ("scope", "openid"),
                ("state", "s"),
            ])
            let reply = try await Wire.get(server.origin + "/v1/tenants/t/realms/r/applications/a/authorize?" + query)
            let document = invocation == .manual ? try reply.json()["authenticate_url"]?.string : reply.location
            let url = try #require(document)
            #expect(url.hasPrefix(server.origin + "/bi-authenticate?request="))
            let onward = try #require(try await Wire.get(url).location)
            let end = try await Wire.get(onward)
            #expect(end.locationParameter("code") != nil && end.locationParameter("state") == "s")
        }
    }
}
