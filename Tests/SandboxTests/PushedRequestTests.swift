import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct PushedRequestTests {
    private static let configuration = SandboxConfiguration(
        autoApproves: "ada", pushedRequests: .offered, time: FixedTime(now: Timestamp(milliseconds: 1_795_250_000_000)))

    @Test func pushedRequestIsValidOnce() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let reply = try await party.push()
            #expect(reply.status == 201 && reply.header("cache-control") == "no-store")
            let uri = try reply.json().text("request_uri")
            #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
            #expect(try reply.json()["expires_in"] == 60)
            let back = try await Wire.get(party.authorizationURL(pushed: uri))
            #expect(back.locationParameter("state") == party.state && back.locationParameter("iss") == server.issuer)
            let tokens = try await party.exchange(code: #require(back.locationParameter("code"))).json()
            #expect(DecodedToken(try tokens.text("id_token")).claims?["nonce"]?.string == party.nonce)
            let again = try await Wire.get(party.authorizationURL(pushed: uri))
            #expect(again.status == 400 && again.location == nil)
        }
    }

    @Test func parametersBesideARequestURIAreIgnored() async throws {
        try await RelyingParty.running(Self.configuration) { _, party in
            let uri = try await party.push().json().text("request_uri")
            let back = try await Wire.get(party.authorizationURL(pushed: uri) + "&state=other&redirect_uri=https%3A%2F%2Fevil.example")
            #expect(back.location?.hasPrefix(party.redirect + "?") == true)
            #expect(back.locationParameter("state") == party.state)
        }
    }

    @Test func pushedRequestExpires() async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            let uri = try await party.push().json().text("request_uri")
            await server.advance(by: .seconds(60))
            #expect(try await Wire.get(party.authorizationURL(pushed: uri)).status == 400)
        }
    }

    @Test func pushedRequestBelongsToItsClient() async throws {
        try await RelyingParty.running(Self.configuration) { _, party in
            let uri = try await party.push().json().text("request_uri")
            #expect(try await Wire.get(party.authorizationURL(pushed: uri, clientID: "yett-fixed")).status == 400)
        }
    }

    @Test(
        arguments: [
            ("redirect_uri", "https://evil.example/", "invalid_request"), ("client_id", "nobody", "invalid_client"),
            ("code_challenge", nil, "invalid_request"), ("scope", "unknown", "invalid_scope"),
            ("request_uri", "urn:x", "request_uri_not_supported"),
        ] as [(String, String?, String)])
    func invalidPushedRequestIsRefused(name: String, value: String?, error: String) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let reply = try await RelyingParty(server: server).push([(name, value)])
            #expect(reply.status == (error == "invalid_client" ? 401 : 400))
            #expect(try reply.json()["error"]?.string == error)
        }
    }

    @Test func confidentialClientMustAuthenticate() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let party = RelyingParty(server: server, clientID: "yett-confidential")
            let basic = [("Authorization", "Basic " + Base64Text.encode("yett-confidential:confidential-secret-0123456789"))]
            let answers = [try await party.push().status, try await party.push(headers: basic).status]
            #expect(answers == [401, 201])
        }
    }

    @Test(arguments: SandboxConfiguration.PushedRequests.allCases)
    func metadataStatesThePushedRequestSupport(kind: SandboxConfiguration.PushedRequests) async throws {
        let configuration = Self.configuration.with { $0.pushedRequests = kind }
        try await RelyingParty.running(configuration) { server, party in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect((metadata["pushed_authorization_request_endpoint"]?.string == server.issuer + "/par") == (kind != .off))
            #expect((metadata["require_pushed_authorization_requests"] == true) == (kind == .required))
            #expect(try await party.push().status == (kind == .off ? 404 : 201))
            let plain = try await Wire.get(party.authorizationURL())
            #expect((plain.locationParameter("code") == nil) == (kind == .required))
            #expect(plain.locationParameter("error") == (kind == .required ? "invalid_request" : nil))
        }
    }

    @Test(arguments: PushedRequestFault.allCases)
    func pushedResponseHasTheFault(fault: PushedRequestFault) async throws {
        try await RelyingParty.running(Self.configuration) { server, party in
            await server.set([.pushed(fault)])
            let reply = try await party.push()
            let answer = try reply.json()
            #expect((reply.status == 201) == (fault != .status200 && fault != .invalidRequest))
            let isURN = answer["request_uri"]?.string?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true
            switch fault {
            case .invalidRequest: #expect(reply.status == 400 && answer["error"] == "invalid_request")
            case .requestURIMissing: #expect(answer["request_uri"] == nil && answer["expires_in"] == 60)
            case .requestURINumber: #expect(answer["request_uri"] == 42)
            case .requestURIElsewhere: #expect(answer["request_uri"]?.string == "http://localhost:\(server.port)/elsewhere")
            case .requestURIUnknown:
                #expect(isURN)
                #expect(try await Wire.get(party.authorizationURL(pushed: answer.text("request_uri"))).status == 400)
            case .lifetimeMissing: #expect(answer["expires_in"] == nil && isURN)
            case .status200: #expect(reply.status == 200 && isURN)
            }
        }
    }
}
