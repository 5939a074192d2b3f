import AuthModel
import Testing

@testable import Sandbox

@Suite(.serialized) struct RegistrationTests {
    private static let configuration = SandboxConfiguration(autoApproves: "ada")

    /// The metadata of a native client.
    static let native: JSONValue = [
        "client_name": "A terminal", "redirect_uris": ["http://127.0.0.1:4711/callback"], "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "application_type": "native",
    ]

    static func register(_ server: SandboxServer, _ metadata: JSONValue) async throws -> Reply {
        let reply = try await Wire.ask(
            .post, server.issuer + "/register", headers: [("Content-Type", "application/json")], body: metadata.text)
        return try #require(reply)
    }

    @Test func nativeClientRegistersAndSignsIn() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect(metadata["registration_endpoint"]?.string == server.issuer + "/register")
            let reply = try await Self.register(server, Self.native)
            #expect(reply.status == 201 && reply.header("cache-control") == "no-store")
            let registered = try reply.json()
            #expect(registered["client_secret"] == nil)
            #expect(Self.native.members?.allSatisfy { registered[$0.name] == $0.value } == true)
            let party = RelyingParty(server: server, clientID: try registered.text("client_id"))
            // The port differs from the registered one.
            let tokens = try await party.tokens()
            #expect(DecodedToken(try tokens.text("id_token")).claims?["aud"]?.string == party.clientID)
            let foreign = try await Wire.get(party.authorizationURL([("redirect_uri", "http://127.0.0.1:9999/other")]))
            #expect(foreign.status == 400)
        }
    }

    @Test func clientThatRequestsASecretGetsAndNeedsIt() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = Self.native.removing("token_endpoint_auth_method").removing("grant_types")
            let registered = try await Self.register(server, metadata).json()
            #expect(registered["token_endpoint_auth_method"] == "client_secret_basic" && registered["client_secret_expires_at"] == 0)
            #expect(registered["grant_types"] == ["authorization_code"])
            let party = RelyingParty(server: server, clientID: try registered.text("client_id"))
            let basic = Base64Text.encode("\(party.clientID):\(try registered.text("client_secret"))")
            #expect(try await party.exchange(code: party.code()).status == 401)
            let good = try await party.exchange(code: party.code(), headers: [("Authorization", "Basic " + basic)])
            #expect(good.status == 200)
        }
    }

    @Test func clientReadsAndDeletesItselfOnlyWithItsToken() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let registered = try await Self.register(server, Self.native).json()
            let other = try await Self.register(server, Self.native).json()
            let url = try registered.text("registration_client_uri")
            let own = [("Authorization", "Bearer \(try registered.text("registration_access_token"))")]
            let foreign = [("Authorization", "Bearer \(try other.text("registration_access_token"))")]
            #expect(try await Wire.get(url).status == 401)
            #expect(try await Wire.get(url, headers: foreign).status == 401)
            #expect(try await Wire.get(url, headers: own).json() == registered)
            #expect(try await Wire.ask(.delete, url, headers: foreign)?.status == 401)
            #expect(try await Wire.ask(.delete, url, headers: own)?.status == 204)
            #expect(try await Wire.get(url, headers: own).status == 401)
            let party = RelyingParty(server: server, clientID: try registered.text("client_id"))
            #expect(try await Wire.get(party.authorizationURL()).status == 400)
        }
    }

    @Test(
        arguments: [
            ("redirect_uris", nil, "invalid_redirect_uri"), ("redirect_uris", [], "invalid_redirect_uri"),
            ("redirect_uris", ["http://evil.example/"], "invalid_redirect_uri"),
            ("redirect_uris", ["https://a.example/#x"], "invalid_redirect_uri"),
            ("redirect_uris", ["javascript:x"], "invalid_redirect_uri"),
            ("token_endpoint_auth_method", "client_secret_jwt", "invalid_client_metadata"),
            ("token_endpoint_auth_method", "private_key_jwt", "invalid_client_metadata"),
            ("grant_types", ["password"], "invalid_client_metadata"), ("response_types", ["token"], "invalid_client_metadata"),
            ("application_type", "toaster", "invalid_client_metadata"),
        ] as [(String, JSONValue?, String)])
    func invalidMetadataIsRefused(name: String, value: JSONValue?, error: String) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = value.map { Self.native.setting(name, $0) } ?? Self.native.removing(name)
            let reply = try await Self.register(server, metadata)
            #expect(reply.status == 400)
            #expect(try reply.json()["error"]?.string == error)
        }
    }

    @Test func registrationCanBeDisabled() async throws {
        let configuration = Self.configuration.with { $0.offersRegistration = false }
        try await SandboxServer.running(configuration) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            #expect(metadata["registration_endpoint"] == nil)
            #expect(try await Self.register(server, Self.native).status == 404)
        }
    }

    @Test(arguments: RegistrationFault.allCases)
    func registrationResponseHasTheFault(fault: RegistrationFault) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let isAboutSecret = fault == .secretMissing
            let metadata = isAboutSecret ? Self.native.setting("token_endpoint_auth_method", "client_secret_post") : Self.native
            let honest = try await Self.register(server, metadata).json()
            await server.set([.registration(fault)])
            let reply = try await Self.register(server, metadata)
            let answer = try reply.json()
            #expect(reply.status == (fault == .status200 ? 200 : fault == .invalidRedirect ? 400 : 201))
            switch fault {
            case .status200: #expect(answer["client_id"]?.string?.isEmpty == false)
            case .secretForPublic: #expect(answer["client_secret"] != nil && honest["client_secret"] == nil)
            case .secretMissing: #expect(answer["client_secret"] == nil && honest["client_secret"] != nil)
            case .identifierMissing: #expect(answer["client_id"] == nil && answer["redirect_uris"] != nil)
            case .identifierNumber: #expect(answer["client_id"] == 42)
            case .redirectsChanged: #expect(answer["redirect_uris"] == ["https://other.example/callback"])
            case .redirectsMissing: #expect(answer["redirect_uris"] == nil && answer["client_id"] != nil)
            case .methodOther: #expect(answer["token_endpoint_auth_method"] == "client_secret_jwt")
            case .managementMissing:
                #expect(
                    answer["registration_access_token"] == nil && answer["registration_client_uri"] == nil && answer["client_id"] != nil)
            case .managementElsewhere: #expect(answer["registration_client_uri"]?.string?.hasPrefix("https://other.example/") == true)
            case .invalidRedirect: #expect(answer["error"] == "invalid_redirect_uri")
            }
        }
    }
}
