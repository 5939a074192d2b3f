import AuthModel
import Testing

@testable import CommandLineTool

/// The scenarios of the official client conformance suite (modelcontextprotocol/conformance 0.2.0-alpha.11) about tokens that are bound to a
/// key (SEP-1932), under their names. Nothing but the challenge with the scheme DPoP says that the MCP server wants such tokens.
@Suite struct ConformanceProofTests {
    @Test(arguments: ["2025-11-25", "2026-07-28"], ["auth/dpop", "auth/dpop-nonce"])
    func proofIsFreshForEachRequest(revision: String, scenario: String) async throws {
        let wantsNonces = scenario == "auth/dpop-nonce"
        let judge = ProofJudge(wantsNonces: wantsNonces)
        let servers = try ConformanceServers(.with { $0.judge = judge })
        let world = try CommandWorld()
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(try await ConformanceClient(world: world, address: servers.address, revision: revision).run() == [])
        let seen = judge.seen
        #expect(seen.violations + servers.seen.violations == [])
        #expect(servers.seen.tokenRequests.count == 1)
        let requests = revision == "2026-07-28" ? 2 : 4
        #expect(seen.requests >= requests + (wantsNonces ? 1 : 0))
        #expect(seen.identifiers.count == seen.requests)
        let places: Set<ProofJudge.Place> = wantsNonces ? [.authorizationServer, .resource] : []
        #expect(seen.asked == places && seen.given == places)
    }
}
