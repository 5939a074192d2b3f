import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct DeviceFaultTests {
    private static let configuration = SandboxConfiguration(
        autoApproves: "ada", time: FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000)))

    private static let aboutPolls: [DeviceFault] = [
        .pending, .slowDown, .denied, .expired, .firstPollUnavailable, .firstPollTooMany, .firstPollHTML, .firstPollClosed,
    ]

    @Test(arguments: DeviceFault.allCases.filter { !aboutPolls.contains($0) })
    func deviceAuthorizationResponseHasOnlyTheFault(fault: DeviceFault) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let honest = try await Device(server: server).begin().json()
            await server.set([.device(fault)])
            let reply = try await Device(server: server).begin()
            let spoiled = try reply.json()
            let (name, value): (String, JSONValue?) =
                switch fault {
                case .deviceCodeMissing: ("device_code", nil)
                case .userCodeMissing: ("user_code", nil)
                case .userCodeHostile: ("user_code", spoiled["user_code"])
                case .lifetimeMissing: ("expires_in", nil)
                case .lifetimeNegative: ("expires_in", -60)
                case .lifetimeAbsurd: ("expires_in", .number("1e300"))
                case .intervalMissing: ("interval", nil)
                case .intervalNegative: ("interval", -5)
                case .intervalAbsurd: ("interval", .number("1e300"))
                case .verificationMissing: ("verification_uri", nil)
                case .verificationJavaScript: ("verification_uri", "javascript:alert(1)")
                case .verificationHTTP: ("verification_uri", "http://provider.example/device")
                case .completeMissing: ("verification_uri_complete", nil)
                case .completeElsewhere: ("verification_uri_complete", .string("http://localhost:\(server.port)/elsewhere"))
                default: ("error", "unauthorized_client")
                }
            #expect(spoiled[name] == value && honest[name] != value)
            #expect((reply.status == 200) == (fault != .refused))
            #expect((spoiled["user_code"]?.string?.contains("\u{1B}") == true) == (fault == .userCodeHostile))
            let others = Set(honest.members?.map(\.name) ?? []).subtracting([name])
            #expect(fault == .refused || others.isSubset(of: spoiled.members?.map(\.name) ?? []))
        }
    }

    @Test(arguments: [
        (DeviceFault.pending, "authorization_pending"), (.slowDown, "slow_down"), (.denied, "access_denied"), (.expired, "expired_token"),
    ])
    func everyPollReturnsTheFault(fault: DeviceFault, error: String) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let code = try await Device(server: server).begin().json().text("device_code")
            await server.set([.device(fault)])
            for _ in 0..<2 {
                let reply = try await Device(server: server).poll(code)
                #expect(reply.status == 400)
                #expect(try reply.json()["error"]?.string == error)
                await server.advance(by: .seconds(60))
            }
            await server.set(.none)
            #expect(try await Device(server: server).poll(code).status == 200)
        }
    }

    @Test func slowDownFaultRaisesTheInterval() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let code = try await Device(server: server).begin().json().text("device_code")
            await server.set(FaultSet(.device(.slowDown), times: 2))
            var answers: [String?] = []
            for seconds in [0, 10, 14, 20] {
                await server.advance(by: .seconds(seconds))
                answers.append(try await Device(server: server).poll(code).json()["error"]?.string)
            }
            #expect(answers == ["slow_down", "slow_down", "slow_down", nil])
        }
    }

    @Test(
        arguments: [
            (DeviceFault.firstPollUnavailable, 503), (.firstPollTooMany, 429), (.firstPollHTML, 200), (.firstPollClosed, nil),
        ] as [(DeviceFault, Int?)])
    func onlyTheFirstPollHasTheFault(fault: DeviceFault, status: Int?) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            await server.set([.device(fault)])
            for _ in 0..<2 {
                let code = try await Device(server: server).begin().json().text("device_code")
                let first = try? await Device(server: server).poll(code)
                #expect(first?.status == status)
                #expect((try? first?.json()) == nil)
                await server.advance(by: .seconds(5))
                #expect(try await Device(server: server).poll(code).json()["id_token"] != nil)
            }
        }
    }

    @Test func tokenFaultsApplyToTheDeviceFlow() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            await server.autoApprove(as: nil)
            let begun = try await Device(server: server).begin().json()
            await server.set(FaultSet(.token(.idTokenMissing), times: 1).and([.idToken(.audienceWrong)]))
            // A poll without tokens does not use up a fault.
            #expect(try await Device(server: server).poll(begun.text("device_code")).status == 400)
            await server.decide(userCode: try begun.text("user_code"), as: "ada")
            await server.advance(by: .seconds(5))
            let tokens = try await Device(server: server).poll(begun.text("device_code")).json()
            #expect(tokens["access_token"] != nil && tokens["id_token"] == nil)

            await server.autoApprove(as: "ada")
            let code = try await Device(server: server).begin().json().text("device_code")
            let idToken = try await Device(server: server).poll(code).json().text("id_token")
            #expect(DecodedToken(idToken).claims?["aud"] == "yett1")
        }
    }
}
