import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct ResourceFaultTests {
    @Test(arguments: ResourceFault.allCases)
    func resourceHasTheFault(fault: ResourceFault) async throws {
        try await SandboxServer.running(ResourceTests.configuration) { server in
            let place = server.issuer + "/.well-known/oauth-protected-resource"
            let vaultToken = try await RelyingParty(server: server).tokens([("acr_values", "urn:yett:sandbox:password-again")])
                .text("access_token")
            #expect(try await ResourceTests.ask(server, "/api/vault", vaultToken).status == 200)
            await server.set([.resource(fault)])
            let challenge = try await ResourceTests.ask(server, "/mcp", nil).header("www-authenticate") ?? ""
            let reply = try await Wire.get(place + "/mcp")
            let metadata = (try? reply.json()) ?? .null
            let vault = try await ResourceTests.ask(server, "/api/vault", vaultToken)
            #expect(challenge.hasSuffix("scope=\"mcp\""))
            #expect((vault.status == 200) == (fault != .stepUpForEver))
            switch fault {
            case .challengeBare: #expect(!challenge.contains("resource_metadata") && reply.status == 200)
            case .challengeElsewhere: #expect(challenge.contains("resource_metadata=\"http://localhost:\(server.port)/elsewhere\""))
            case .challengeHTTP: #expect(challenge.contains("resource_metadata=\"http://resource.example/"))
            case .metadataAtRootAlone:
                let root = try await Wire.get(place).json()
                #expect(reply.status == 404 && root["resource"]?.string == server.issuer)
            case .resourceOther: #expect(metadata["resource"] == "https://other.example/mcp")
            case .resourceMissing: #expect(metadata["resource"] == nil && metadata["authorization_servers"] != nil)
            case .serversMissing: #expect(metadata["authorization_servers"] == nil && metadata["resource"] != nil)
            case .serversEmpty: #expect(metadata["authorization_servers"] == [])
            case .serversForeign: #expect(metadata["authorization_servers"] == ["https://other.example"])
            case .serversHTTP: #expect(metadata["authorization_servers"] == ["http://provider.example"])
            case .stepUpForEver:
                #expect(vault.header("www-authenticate")?.contains("error=\"insufficient_user_authentication\"") == true)
            }
        }
    }
}
