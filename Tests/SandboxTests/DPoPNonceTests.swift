import AuthModel
import Testing

@testable import Sandbox

/// DPoP nonces (RFC 9449 sections 8 and 9), and the faults of proofs.
@Suite(.serialized) struct DPoPNonceTests {
    private static func configuration(
        _ authorizationServer: SandboxConfiguration.Proofs.Nonces, _ resource: SandboxConfiguration.Proofs.Nonces
    ) -> SandboxConfiguration {
        DPoPTests.configuration(.init(support: .offered, authorizationServerNonces: authorizationServer, resourceNonces: resource))
    }

    /// Sends a code exchange; returns the reply and the nonce in it.
    private func redeem(_ party: RelyingParty, _ prover: ProofSigner, code: String, nonce: String? = nil) async throws -> (Reply, String?) {
        let reply = try await party.exchange(
            code: code, headers: [prover.proof("POST", party.server.issuer + "/token", nonce: nonce)])
        return (reply, reply.header("dpop-nonce"))
    }

    @Test func authorizationServerAndResourcesHaveSeparateNonces() async throws {
        try await RelyingParty.running(Self.configuration(.fixed, .fixed)) { server, party in
            let prover = ProofSigner()
            let code = try await party.code()
            let (refused, nonce) = try await redeem(party, prover, code: code)
            #expect(try refused.status == 400 && refused.json()["error"] == "use_dpop_nonce")
            // The code is still valid.
            let (granted, none) = try await redeem(party, prover, code: code, nonce: nonce)
            #expect(granted.status == 200 && none == nil)

            let access = try granted.json().text("access_token")
            let foreign = try await DPoPTests.hello(server, access, prover, nonce: nonce)
            #expect(foreign.status == 401)
            #expect(foreign.header("www-authenticate")?.contains("DPoP realm=\"sandbox\", error=\"use_dpop_nonce\"") == true)
            let own = try #require(foreign.header("dpop-nonce"))
            #expect(own != nonce)
            #expect(try await DPoPTests.hello(server, access, prover, nonce: own).status == 200)
            #expect(try await DPoPTests.hello(server, access, prover, nonce: own, path: "/userinfo").status == 200)
            #expect(try await redeem(party, prover, code: party.code(), nonce: nonce).0.status == 200)
        }
    }

    @Test func rotatingNoncesComeWithEveryResponseAndOnlyTheNewestIsValid() async throws {
        try await RelyingParty.running(Self.configuration(.rotating, .rotating)) { server, party in
            let prover = ProofSigner()
            let code = try await party.code()
            let first = try #require(try await redeem(party, prover, code: code).1)
            let (granted, second) = try await redeem(party, prover, code: code, nonce: first)
            #expect(granted.status == 200 && second != nil && second != first)
            #expect(try await redeem(party, prover, code: party.code(), nonce: first).0.status == 400)

            let access = try granted.json().text("access_token")
            var nonce = try await DPoPTests.hello(server, access, prover).header("dpop-nonce")
            for _ in 0..<2 {
                let reply = try await DPoPTests.hello(server, access, prover, nonce: nonce)
                #expect(reply.status == 200 && reply.header("dpop-nonce") != nonce)
                nonce = reply.header("dpop-nonce")
            }
        }
    }

    @Test(arguments: ProofFault.allCases)
    func proofResponseHasTheFault(fault: ProofFault) async throws {
        try await RelyingParty.running(Self.configuration(.fixed, .fixed)) { server, party in
            let prover = ProofSigner()
            let honestCode = try await party.code()
            let honestNonce = try #require(try await redeem(party, prover, code: honestCode).1)
            let honest = try await redeem(party, prover, code: honestCode, nonce: honestNonce).0.json()
            let access = try honest.text("access_token")
            let code = try await party.code()
            await server.set([.proof(fault)])
            let (refused, nonce) = try await redeem(party, prover, code: code)
            let (reply, _) = try await redeem(party, prover, code: code, nonce: nonce ?? honestNonce)
            #expect(try refused.json()["error"] == "use_dpop_nonce")
            switch fault {
            case .downgrade:
                #expect(try reply.json()["token_type"] == "Bearer" && honest["token_type"] == "DPoP")
                #expect(try await party.userInfo(reply.json().text("access_token")).status == 200)
            case .nonceLong: #expect(nonce?.utf8.count == 4096 && reply.status == 200)
            case .nonceIllegal: #expect(nonce?.hasSuffix(#" "\"#) == true && reply.status == 200)
            case .nonceMissing: #expect(nonce == nil && refused.status == 400)
            case .nonceForEver:
                #expect(try nonce != nil && reply.json()["error"] == "use_dpop_nonce")
                let resource = try await DPoPTests.hello(server, access, prover)
                #expect(try await DPoPTests.hello(server, access, prover, nonce: resource.header("dpop-nonce")).status == 200)
            case .resourceNonceForEver:
                #expect(reply.status == 200)
                let resource = try await DPoPTests.hello(server, access, prover)
                let again = try await DPoPTests.hello(server, access, prover, nonce: resource.header("dpop-nonce"))
                #expect(again.status == 401 && again.header("www-authenticate")?.contains("use_dpop_nonce") == true)
            case .schemeMixedCase:
                let resource = try await DPoPTests.hello(server, access, prover)
                #expect(resource.header("www-authenticate")?.hasPrefix("dPoP realm=") == true)
            }
        }
    }
}
