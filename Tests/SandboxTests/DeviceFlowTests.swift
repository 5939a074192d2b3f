import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct DeviceFlowTests {
    private static let start = Timestamp(milliseconds: 1_795_250_000_000)

    /// A provider whose clock moves only when a test advances it.
    private static func stoppedClock(autoApproves: String? = nil, device: SandboxConfiguration.Device = .init()) -> SandboxConfiguration {
        SandboxConfiguration(autoApproves: autoApproves, device: device, time: FixedTime(now: start))
    }

    @Test func userApprovesADeviceByItsCode() async throws {
        try await SandboxServer.running(Self.stoppedClock()) { server in
            let device = Device(server: server)
            let begun = try await device.begin().json()
            let code = try begun.text("device_code")
            let userCode = try begun.text("user_code")
            #expect(begun["verification_uri"]?.string == server.issuer + "/device")
            #expect(begun["verification_uri_complete"]?.string == server.issuer + "/device?user_code=" + userCode)
            #expect(begun["expires_in"] == 600 && begun["interval"] == 5)
            #expect(try await device.poll(code).json()["error"] == "authorization_pending")

            var visitor = Visitor(origin: server.issuer)
            let page = try await visitor.open(begun.text("verification_uri"))
            let typed = userCode.lowercased().replacing("-", with: " ")
            let signIn = try await visitor.submit(page, action: "/device", [("user_code", typed)])
            let consent = try await visitor.signIn(signIn, username: "ada", password: "correct horse battery staple")
            #expect(consent.text.contains("id=\"shown-code\">\(userCode)<"))
            let done = try await visitor.submit(
                consent, action: "/consent", [("scope", "email"), ("scope", "offline_access"), ("decision", "allow")])
            #expect(done.status == 200 && done.text.contains("Device connected"))

            await server.advance(by: .seconds(5))
            let tokens = try await device.poll(code).json()
            #expect(tokens["token_type"] == "Bearer" && tokens["scope"] == "openid email offline_access")
            let idToken = DecodedToken(try tokens.text("id_token"))
            #expect(try await idToken.isSigned(byOneOf: Wire.get(server.issuer + "/jwks").json()))
            #expect(idToken.claims?["sub"] == "sandbox-ada" && idToken.claims?["aud"] == "yett" && idToken.claims?["nonce"] == nil)
            let party = RelyingParty(server: server)
            #expect(try await party.userInfo(tokens.text("access_token")).status == 200)
            #expect(try await party.refresh(tokens.text("refresh_token")).status == 200)
            #expect(try await device.poll(code).json()["error"] == "invalid_grant")
        }
    }

    @Test func codeFromTheURLIsShownAndConsentIsAlwaysAsked() async throws {
        try await SandboxServer.running(Self.stoppedClock()) { server in
            var visitor = Visitor(origin: server.issuer)
            for isFirst in [true, false] {
                let begun = try await Device(server: server).begin().json()
                let page = try await visitor.open(begun.text("verification_uri_complete"))
                #expect(try page.text.contains("value=\"\(begun.text("user_code"))\""))
                var next = try await visitor.submit(page, action: "/device", [("user_code", begun.text("user_code"))])
                if isFirst { next = try await visitor.signIn(next, username: "grace", password: "nanosecond") }
                #expect(next.text.contains("id=\"allow\""))
                _ = try await visitor.submit(next, action: "/consent", [("decision", "allow")])
                #expect(try await Device(server: server).poll(begun.text("device_code")).status == 200)
            }
        }
    }

    @Test func wrongUserCodeIsRefused() async throws {
        try await SandboxServer.running { server in
            _ = try await Device(server: server).begin()
            var visitor = Visitor(origin: server.issuer)
            let page = try await visitor.open(server.issuer + "/device?user_code=%22%3E%3Cscript%3E")
            #expect(!page.text.contains("<script"))
            let again = try await visitor.submit(page, action: "/device", [("user_code", "AAAA-AAAA")])
            #expect(again.status == 400 && again.text.contains("No device waits"))
        }
    }

    @Test func denyingOnThePageEndsTheDeviceFlow() async throws {
        try await SandboxServer.running(Self.stoppedClock()) { server in
            let begun = try await Device(server: server).begin().json()
            var visitor = Visitor(origin: server.issuer)
            let page = try await visitor.open(begun.text("verification_uri_complete"))
            let signIn = try await visitor.submit(page, action: "/device", [("user_code", begun.text("user_code"))])
            let consent = try await visitor.signIn(signIn, username: "grace", password: "nanosecond")
            _ = try await visitor.submit(consent, action: "/consent", [("decision", "deny")])
            #expect(try await Device(server: server).poll(begun.text("device_code")).json()["error"] == "access_denied")
        }
    }

    @Test(arguments: [("ada", 200, nil), (nil, 400, "access_denied")] as [(String?, Int, String?)])
    func testCanDecideForTheUser(username: String?, status: Int, error: String?) async throws {
        try await SandboxServer.running(Self.stoppedClock()) { server in
            let begun = try await Device(server: server).begin().json()
            #expect(try await server.decide(userCode: begun.text("user_code"), as: username))
            let reply = try await Device(server: server).poll(begun.text("device_code"))
            #expect(reply.status == status)
            #expect(try reply.json()["error"]?.string == error)
            #expect(try await !server.decide(userCode: begun.text("user_code"), as: username))
        }
    }

    @Test func automaticApprovalNeedsOnePoll() async throws {
        try await SandboxServer.running(Self.stoppedClock(autoApproves: "ada")) { server in
            let begun = try await Device(server: server).begin().json()
            #expect(try await Device(server: server).poll(begun.text("device_code")).status == 200)
        }
    }

    @Test func pollingTooEarlyRaisesTheInterval() async throws {
        try await SandboxServer.running(Self.stoppedClock()) { server in
            let device = Device(server: server)
            let code = try await device.begin().json().text("device_code")
            func errors(after seconds: Int) async throws -> String? {
                await server.advance(by: .seconds(seconds))
                return try await device.poll(code).json()["error"]?.string
            }
            #expect(try await errors(after: 0) == "authorization_pending")
            #expect(try await errors(after: 4) == "slow_down")
            #expect(try await errors(after: 9) == "slow_down")
            #expect(try await errors(after: 15) == "authorization_pending")
            #expect(try await errors(after: 14) == "slow_down")
        }
    }

    @Test func deviceCodeExpires() async throws {
        let device = SandboxConfiguration.Device(codeLifetime: .seconds(30), interval: .seconds(1))
        try await SandboxServer.running(Self.stoppedClock(device: device)) { server in
            let begun = try await Device(server: server).begin().json()
            #expect(begun["expires_in"] == 30 && begun["interval"] == 1)
            await server.advance(by: .seconds(30))
            #expect(try await Device(server: server).poll(begun.text("device_code")).json()["error"] == "expired_token")
            #expect(try await !server.decide(userCode: begun.text("user_code"), as: "ada"))
        }
    }

    @Test(
        arguments: [
            ("client_id", "nobody", "invalid_client"), ("client_id", nil, "invalid_client"), ("scope", nil, "invalid_scope"),
            ("resource", "not a URI", "invalid_target"),
        ] as [(String, String?, String)])
    func invalidDeviceRequestIsRefused(name: String, value: String?, error: String) async throws {
        try await SandboxServer.running { server in
            let reply = try await Device(server: server).begin([(name, value)])
            #expect(try reply.json()["error"]?.string == error)
        }
    }

    @Test func deviceCodeIsValidOnlyForItsClient() async throws {
        try await SandboxServer.running(Self.stoppedClock(autoApproves: "ada")) { server in
            let code = try await Device(server: server).begin().json().text("device_code")
            #expect(try await Device(server: server, clientID: "yett-fixed").poll(code).json()["error"] == "invalid_grant")
            #expect(try await Device(server: server).poll("unknown").json()["error"] == "invalid_grant")
            #expect(try await Device(server: server).poll(code).status == 200)
        }
    }

    @Test(arguments: [true, false])
    func metadataStatesWhetherThereIsADeviceFlow(isOffered: Bool) async throws {
        try await SandboxServer.running(SandboxConfiguration(device: .init(isOffered: isOffered))) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect((metadata["device_authorization_endpoint"]?.string == server.issuer + "/device_authorization") == isOffered)
            let grants = metadata["grant_types_supported"]?.strings ?? []
            #expect(grants.contains("urn:ietf:params:oauth:grant-type:device_code") == isOffered)
            #expect(try await Device(server: server).begin().status == (isOffered ? 200 : 404))
            #expect(try await Wire.get(server.issuer + "/device").status == (isOffered ? 200 : 404))
            if !isOffered { #expect(try await Device(server: server).poll("x").json()["error"] == "unsupported_grant_type") }
        }
    }
}
