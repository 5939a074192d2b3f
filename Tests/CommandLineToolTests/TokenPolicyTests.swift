import AuthEngine
import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// `policy` in `[providers.NAME]`, without an agent: only the command's own terminal can ask.
struct TokenPolicyTests {
    private static let ways = [["token", "sandbox"], ["token", "sandbox", "--id-token"], ["exec", "sandbox", "--", "env"]]

    @Test(arguments: ways)
    func denyRefusesAndNamesTheKey(arguments: [String]) async throws {
        try await withSession(more: "policy = \"deny\"") { _, world in
            for hasTerminal in [false, true] {
                let result = await world.run(
                    arguments + (hasTerminal && arguments[0] == "token" ? ["--show"] : []), user: .init(hasTerminal: hasTerminal), exits: 5)
                #expect(result.output == "")
                #expect(result.errors.contains("the configuration denies tokens of sandbox/ada to all programs"))
                #expect(result.errors.contains("policy in [providers.sandbox] is \"deny\""))
            }
            #expect(await world.run("activity", "--json").output.contains("token_refused"))
        }
    }

    @Test(arguments: ways)
    func askRefusesWithoutATerminal(arguments: [String]) async throws {
        try await withSession(more: "policy = \"ask\"") { (_, world) async throws in
            let result = await world.run(arguments, exits: 5)
            #expect(result.output == "")
            #expect(result.errors.contains("needs your consent, but no app is open"))
            #expect(try await world.run("activity", "--json").json["activity"]?.array?.first?["kind"]?.string == "token_refused")
        }
    }

    @Test(arguments: [("y", true), (" YES ", true), ("n", false), ("", false), ("yy", false)])
    func askAcceptsTheAnswerAtTheTerminal(line: String, isYes: Bool) async throws {
        try await withSession(more: "policy = \"ask\"") { _, world in
            let result = await world.run("token", "sandbox", "--show", user: .init(hasTerminal: true, lines: [line]))
            #expect(result.status == (isYes ? 0 : 5))
            #expect(result.output.isEmpty == !isYes)
            #expect(result.errors.contains("asks for the token of sandbox, for yett token."))
            #expect(result.errors.contains("[y/N]"))
            #expect(result.errors.contains("consent to a token of sandbox/ada was refused") == !isYes)
            let kinds = try #require(try await world.run("activity", "--json").json["activity"]?.array?.compactMap { $0["kind"]?.string })
            if isYes {
                #expect(await world.run("activity").output.contains(": the caller gave consent itself"))
            }
            #expect(kinds.prefix(2) == (isYes ? ["handed_out", "consented_by_caller"] : ["token_refused", "signed_in"]))
        }
    }

    /// The user sees the question, and does not answer.
    @Test func askTreatsSilenceAsNoAfterTheTimeLimit() async throws {
        try await withSession(more: "policy = \"ask\"") { (_, world) async throws in
            let time = ManualTime(now: SystemTimeSource().now)
            async let result = world.run(["token", "sandbox", "--show"], user: .init(hasTerminal: true), time: time)
            await time.until(sleepers: 1)
            time.advance(by: TokenConsentRequest.timeLimit - .milliseconds(1))
            // The question stays open until the last moment.
            #expect(time.sleeperCount == 1)
            time.advance(by: .milliseconds(1))
            #expect(await result.status == 5)
            #expect(await result.output == "")
            #expect(await result.errors.contains("no consent within 30 seconds to a token of sandbox/ada"))
            #expect(try await world.run("activity", "--json").json["activity"]?.array?.first?["kind"]?.string == "token_refused")
        }
    }

    /// Signs in with the policy `ask`, at a provider whose host may get the tokens.
    private func requesting(
        _ provider: SandboxConfiguration = SignInTests.honest, more: String = "",
        _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        try await withEmptyHome(provider) { server, world in
            let keys = "policy = \"ask\"\napi_hosts = [\"127.0.0.1:\(server.port)\"]\n"
            try world.configure(issuer: server.issuer, more: keys + more)
            try await world.signIn()
            server.clearRequests()
            try await body(server, world)
        }
    }

    @Test(arguments: ["none", "rotating"])
    func requestAsksOnceForAllItsURLsAndProofs(nonces: String) async throws {
        var provider = SignInTests.honest
        provider.proofs = .init(support: .required, resourceNonces: try #require(.init(rawValue: nonces)))
        try await requesting(provider, more: "dpop = \"required\"") { server, world in
            let arguments = ["request", "sandbox", server.issuer + "/api/hello", server.issuer + "/api/hello"]
            let result = await world.run(arguments, user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
            #expect(result.errors.ranges(of: "[y/N]").count == 1)
            #expect(result.errors.contains("asks for the token of sandbox/ada, for yett request."))
            #expect(server.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("DPoP ") == true })
        }
    }

    @Test func requestWithoutPossibleConsentIsNotSent() async throws {
        try await requesting { server, world in
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 5)
            #expect(result.output == "")
            #expect(result.errors.contains("needs your consent, but no app is open"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func refusedRequestIsNotSent() async throws {
        try await requesting { server, world in
            let result = await world.run(
                "request", "sandbox", server.issuer + "/api/hello", user: .init(hasTerminal: true, lines: ["n"]), exits: 5)
            #expect(result.output == "")
            #expect(result.errors.contains("consent to a token of sandbox/ada was refused"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func allowAsksNothing() async throws {
        try await withSession(more: "policy = \"allow\"") { _, world in
            let result = await world.run("token", "sandbox", "--show", user: .init(hasTerminal: true), exits: 0)
            #expect(!result.errors.contains("[y/N]"))
        }
    }
}
