import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct CallbackFaultTests {
    @Test(arguments: CallbackFault.allCases)
    func callbackHasTheFault(fault: CallbackFault) async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada")) { server, party in
            await server.set([.callback(fault)])
            let reply = try await Wire.get(party.authorizationURL())
            func values(_ name: String) -> [String] { reply.locationParameters.filter { $0.name == name }.map(\.value) }
            let isHonestOtherwise = values("state") == [party.state] && values("iss") == [server.issuer] && values("code").count == 1
            switch fault {
            case .stateWrong: #expect(values("state") == [party.state + "1"] && values("code").count == 1)
            case .stateMissing: #expect(values("state") == [] && values("code").count == 1)
            case .stateDoubled: #expect(values("state") == [party.state, party.state + "1"])
            case .codeMissing: #expect(values("code") == [] && values("state") == [party.state])
            case .codeEmpty: #expect(values("code") == [""])
            case .codeDoubled: #expect(values("code").count == 2)
            case .codeUnknown:
                let exchange = try await party.exchange(code: #require(values("code").first))
                #expect(try exchange.json()["error"]?.string == "invalid_grant")
            case .issuerWrong: #expect(values("iss") == [server.issuer + "1"])
            case .issuerMissing: #expect(values("iss") == [] && values("code").count == 1)
            case .issuerDoubled: #expect(values("iss") == [server.issuer, server.issuer + "1"])
            case .error: #expect(values("error") == ["access_denied"] && values("code") == [] && values("state") == [party.state])
            case .errorWithoutState: #expect(values("error") == ["access_denied"] && values("state") == [])
            case .errorWrongState: #expect(values("error") == ["access_denied"] && values("state") == [party.state + "1"])
            case .errorHostile:
                #expect(values("error") == ["access_denied"] && values("state") == [party.state])
                #expect(values("error_description").first?.contains("\u{1B}]0;") == true)
                #expect(values("error_uri").first?.hasPrefix("javascript:") == true)
            case .errorAndCode: #expect(values("error") == ["access_denied"] && isHonestOtherwise)
            case .serverError: #expect(values("error") == ["temporarily_unavailable"] && values("code") == [])
            case .unknownError: #expect(values("error") == ["moon_in_the_wrong_quarter"] && values("code") == [])
            case .idTokenInRedirect: #expect(values("id_token").count == 1 && isHonestOtherwise)
            case .signedResponse: #expect(reply.locationParameters.map(\.name) == ["response"])
            case .extraParameters: #expect(values("session_state").count == 1 && isHonestOtherwise)
            case .post:
                #expect(reply.status == 200 && reply.location == nil)
                #expect(reply.text.contains("action=\"\(party.redirect)\"") && reply.text.contains("name=\"code\""))
            case .never: #expect(reply.status == 200 && reply.location == nil && !reply.text.contains(party.redirect))
            }
        }
    }

    @Test(arguments: SandboxConfiguration.IssuerParameter.allCases)
    func issuerParameterCanBeUnannouncedOrAbsent(kind: SandboxConfiguration.IssuerParameter) async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada").with { $0.issuerParameter = kind }) { server in
            let reply = try await Wire.get(RelyingParty(server: server).authorizationURL())
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect((reply.locationParameter("iss") == server.issuer) == (kind != .absent))
            #expect((metadata["authorization_response_iss_parameter_supported"]?.bool == true) == (kind == .announced))
        }
    }
}
