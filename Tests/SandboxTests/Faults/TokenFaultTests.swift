import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct TokenFaultTests {
    private static let configuration = SandboxConfiguration(autoApproves: "ada")

    @Test(arguments: TokenFault.allCases.filter { $0 != .answerLost }, [false, true])
    func tokenResponseHasTheFault(fault: TokenFault, isRefresh: Bool) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let first = try await party.tokens()
            let code = try await party.code()
            await server.set([isRefresh ? .refresh(fault) : .token(fault)])
            let presented = try first.text("refresh_token")
            let reply = isRefresh ? try await party.refresh(presented) : try await party.exchange(code: code)
            let answer = try reply.json()
            let isGoodOtherwise = reply.status == 200 && answer["access_token"] != nil && answer["error"] == nil
            switch fault {
            case .typeMissing: #expect(answer["token_type"] == nil && isGoodOtherwise)
            case .typeMAC: #expect(answer["token_type"] == "mac")
            case .typeLowerCase: #expect(answer["token_type"] == "bearer")
            case .accessTokenMissing: #expect(reply.status == 200 && answer["access_token"] == nil)
            case .accessTokenNumber: #expect(answer["access_token"] == 42)
            case .accessTokenEmpty: #expect(answer["access_token"] == "")
            case .accessTokenHostile: #expect(answer["access_token"]?.string?.hasSuffix("\r\nX-Injected: 1") == true)
            case .lifetimeMissing: #expect(answer["expires_in"] == nil && isGoodOtherwise)
            case .lifetimeAbsurd: #expect(answer["expires_in"] == .number("1e300"))
            case .lifetimeNegative: #expect(answer["expires_in"] == -60)
            case .lifetimeText: #expect(answer["expires_in"] == "300")
            case .lifetimeWord: #expect(answer["expires_in"] == "tomorrow")
            case .refreshTokenMissing: #expect(answer["refresh_token"] == nil && isGoodOtherwise)
            case .refreshTokenNumber: #expect(answer["refresh_token"] == 42)
            case .refreshTokenSame: #expect((answer["refresh_token"]?.string == presented) == isRefresh && isGoodOtherwise)
            case .idTokenMissing: #expect(answer["id_token"] == nil && isGoodOtherwise)
            case .idTokenNumber: #expect(answer["id_token"] == 42)
            case .scopeMissing: #expect(answer["scope"] == nil && isGoodOtherwise)
            case .scopeNarrower: #expect(answer["scope"] == "openid")
            case .scopeNumber: #expect(answer["scope"] == 42)
            case .unknownMembers: #expect(answer["x_gate"] == ["iron": true] && isGoodOtherwise)
            case .invalidGrant: #expect(reply.status == 400 && answer["error"] == "invalid_grant")
            case .invalidClient: #expect(reply.status == 401 && answer["error"] == "invalid_client")
            case .invalidScope: #expect(reply.status == 400 && answer["error"] == "invalid_scope")
            case .proofRefused: #expect(reply.status == 400 && answer["error"] == "invalid_dpop_proof")
            case .gatewayRefusal: #expect(reply.status == 403 && answer == ["error": "Forbidden"])
            case .errorHostile: #expect(reply.status == 400 && answer["error_description"]?.string?.contains("\u{9B}") == true)
            case .errorWith200: #expect(reply.status == 200 && answer == ["error": "invalid_grant"])
            case .answerLost: Issue.record("this has a test of its own")
            }
        }
    }

    @Test func lostResponseUsesUpTheRefreshToken() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let presented = try await party.tokens().text("refresh_token")
            await server.set(FaultSet(.refresh(.answerLost), times: 1))
            await #expect(throws: WireError.self) { try await party.refresh(presented) }
            #expect(try await party.refresh(presented).status == 400)
        }
    }

    @Test(arguments: [TokenFault.refreshTokenMissing, .refreshTokenSame])
    func refreshTokenThatIsNotReplacedStaysValid(fault: TokenFault) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let presented = try await party.tokens().text("refresh_token")
            await server.set([.refresh(fault)])
            let answers = [try await party.refresh(presented).status, try await party.refresh(presented).status]
            #expect(answers == [200, 200])
        }
    }
}
