import AuthModel
import Sandbox
import Testing

/// Faults in the documents that a client reads before and after signing in.
@Suite(.serialized) struct DocumentFaultTests {
    /// Returns the metadata member that a fault changes and its value; nil if the fault removes it.
    private func expected(_ fault: DiscoveryFault, _ honest: JSONValue) -> (String, JSONValue?) {
        func text(_ name: String) -> String { honest[name]?.string ?? "" }
        func withUserInfo(_ name: String) -> JSONValue { .string("http://trusted.example@" + text(name).dropFirst("http://".count)) }
        switch fault {
        case .issuerOther: return ("issuer", "https://other.example")
        case .issuerInvalid: return ("issuer", .string(text("issuer") + "INVALID"))
        case .issuerTrailingSlash: return ("issuer", .string(text("issuer") + "/"))
        case .issuerUpperCase: return ("issuer", .string("HTTP://" + text("issuer").dropFirst("http://".count)))
        case .issuerMissing: return ("issuer", nil)
        case .issuerNumber: return ("issuer", 42)
        case .authorizationEndpointMissing: return ("authorization_endpoint", nil)
        case .authorizationEndpointNumber: return ("authorization_endpoint", 42)
        case .authorizationEndpointHTTP: return ("authorization_endpoint", "http://provider.example/authorize")
        case .authorizationEndpointUserInfo: return ("authorization_endpoint", withUserInfo("authorization_endpoint"))
        case .authorizationEndpointFragment: return ("authorization_endpoint", .string(text("authorization_endpoint") + "#fragment"))
        case .authorizationEndpointJavaScript: return ("authorization_endpoint", "javascript:alert(1)")
        case .authorizationEndpointShell:
            return ("authorization_endpoint", .string(text("authorization_endpoint") + #"?x=$(id)`id`'";touch /tmp/x "#))
        case .tokenEndpointMissing: return ("token_endpoint", nil)
        case .tokenEndpointNumber: return ("token_endpoint", 42)
        case .tokenEndpointHTTP: return ("token_endpoint", "http://provider.example/token")
        case .tokenEndpointUserInfo: return ("token_endpoint", withUserInfo("token_endpoint"))
        case .keySetMissing: return ("jwks_uri", nil)
        case .keySetNumber: return ("jwks_uri", 42)
        case .keySetHTTP: return ("jwks_uri", "http://provider.example/jwks")
        case .userInfoEndpointNumber: return ("userinfo_endpoint", 42)
        case .userInfoEndpointHTTP: return ("userinfo_endpoint", "http://provider.example/userinfo")
        case .userInfoEndpointMissing: return ("userinfo_endpoint", nil)
        case .revocationEndpointMissing: return ("revocation_endpoint", nil)
        case .endSessionEndpointMissing: return ("end_session_endpoint", nil)
        case .revocationEndpointHTTP: return ("revocation_endpoint", "http://provider.example/revoke")
        case .endSessionEndpointHTTP: return ("end_session_endpoint", "http://provider.example/logout")
        case .deviceEndpointHTTP: return ("device_authorization_endpoint", "http://provider.example/device_authorization")
        case .pushedEndpointHTTP: return ("pushed_authorization_request_endpoint", "http://provider.example/par")
        case .registrationEndpointHTTP: return ("registration_endpoint", "http://provider.example/register")
        case .responseTypesMissing: return ("response_types_supported", nil)
        case .responseTypesText: return ("response_types_supported", "code")
        case .responseTypesWithoutCode: return ("response_types_supported", ["id_token"])
        case .subjectTypesMissing: return ("subject_types_supported", nil)
        case .algorithmsMissing: return ("id_token_signing_alg_values_supported", nil)
        case .algorithmsText: return ("id_token_signing_alg_values_supported", "RS256")
        case .algorithmsNoneOnly: return ("id_token_signing_alg_values_supported", ["none"])
        case .algorithmsOther: return ("id_token_signing_alg_values_supported", ["PS512"])
        case .challengeMethodsPlainOnly: return ("code_challenge_methods_supported", ["plain"])
        case .challengeMethodsMissing: return ("code_challenge_methods_supported", nil)
        case .scopesNumber: return ("scopes_supported", 42)
        case .issuerParameterUnannounced: return ("authorization_response_iss_parameter_supported", nil)
        case .registrationEndpointApart, .registrationEndpointApartOther: return ("registration_endpoint", nil)
        case .unknownMembers: return ("x_gate", ["iron": true])
        case .certificateAliases:
            let apart = JSONValue.string(text("issuer") + "/elsewhere")
            return ("mtls_endpoint_aliases", ["token_endpoint": apart, "userinfo_endpoint": apart])
        }
    }

    @Test(arguments: DiscoveryFault.allCases)
    func metadataHasOnlyTheFault(fault: DiscoveryFault) async throws {
        try await SandboxServer.running(SandboxConfiguration(pushedRequests: .offered)) { server in
            let honest = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            await server.set([.discovery(fault)])
            let spoiled = try await Wire.get(server.issuer + "/.well-known/openid-configuration").json()
            let (name, value) = expected(fault, honest)
            #expect(spoiled[name] == value)
            #expect(spoiled[name] != honest[name])
            let others = honest.members?.filter { $0.name != name } ?? []
            #expect(others.allSatisfy { spoiled[$0.name] == $0.value })
        }
    }

    @Test(arguments: KeySetFault.allCases)
    func keySetHasTheFault(fault: KeySetFault) async throws {
        try await SandboxServer.running { server in
            await server.set([.keys(fault)])
            let document = try await Wire.get(server.issuer + "/jwks").json()
            let keys = document["keys"]?.array
            switch fault {
            case .noKeys: #expect(keys == [])
            case .keysMissing: #expect(document["keys"] == nil)
            case .keysObject: #expect(document["keys"] == [:])
            case .symmetric: #expect(keys?.first?["kty"]?.string == "oct" && keys?.first?["k"]?.string?.isEmpty == false)
            case .duplicateIdentifiers: #expect(keys?.count == 4 && keys?.allSatisfy { $0["kid"]?.string == "same" } == true)
            case .damaged: #expect(keys?.allSatisfy { ($0["n"] ?? $0["x"])?.string?.hasSuffix("=+/") == true } == true)
            case .withoutIdentifiers: #expect(keys?.count == 4 && keys?.allSatisfy { $0["kid"] == nil } == true)
            case .otherKeys: #expect(keys?.map { $0["use"]?.string } == ["enc"])
            }
        }
    }

    @Test(arguments: UserInfoFault.allCases)
    func userInfoHasTheFault(fault: UserInfoFault) async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada")) { server, party in
            let access = try await party.tokens().text("access_token")
            await server.set([.userInfo(fault)])
            let reply = try await party.userInfo(access)
            let claims = (try? reply.json()) ?? .null
            switch fault {
            case .subjectMissing: #expect(claims["sub"] == nil && claims["name"]?.string == "Ada Lovelace")
            case .subjectOther: #expect(claims["sub"]?.string == "sandbox-adainvalid")
            case .subjectNumber: #expect(claims["sub"] == 42)
            case .hostileNames:
                for claim in ["name", "email", "preferred_username"] {
                    let scalars = Set((claims[claim]?.string ?? "").unicodeScalars)
                    #expect(scalars.isSuperset(of: ["\u{1B}", "\u{7}", "\u{9B}", "\u{202E}", "\u{200B}", "\u{0}", "\n", "<"]))
                }
            case .longName: #expect(claims["name"]?.string?.utf8.count == 10_240)
            case .nameNumber: #expect(claims["name"] == 42 && claims["email"] == ["ada@example.org"])
            case .namesMissing: #expect(claims == ["sub": "sandbox-ada"])
            case .unauthorized: #expect(reply.status == 401 && reply.header("www-authenticate")?.contains("invalid_token") == true)
            case .unauthorizedBare:
                #expect(reply.status == 401 && reply.header("www-authenticate") == nil && reply.body.isEmpty)
            case .distributedClaims:
                #expect(claims["_claim_sources"]?["src1"]?["endpoint"]?.string == "http://localhost:\(server.port)/elsewhere")
            case .aggregatedClaims: #expect(claims["_claim_sources"]?["src1"]?["JWT"]?.string?.isEmpty == false)
            }
        }
    }
}
