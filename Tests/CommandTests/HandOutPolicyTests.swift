import AuthModel
import Sandbox
import Testing

@testable import YettCommand

/// `policy` in `[providers.NAME]`, without an agent: the command's own terminal is the only one to ask at.
struct HandOutPolicyTests {
    private static let ways = [["token", "sandbox"], ["token", "sandbox", "--id-token"], ["exec", "sandbox", "--", "env"]]

    @Test(arguments: ways)
    func denyRefusesAndNamesTheKey(arguments: [String]) async throws {
        try await withSandbox(more: "policy = \"deny\"") { _, world in
            try await world.signIn()
            for hasTerminal in [false, true] {
                let result = await world.run(
                    arguments + (hasTerminal && arguments[0] == "token" ? ["--show"] : []), person: .init(hasTerminal: hasTerminal))
                #expect(result.status == 5)
                #expect(result.output == "")
                #expect(result.errors.contains("the configuration keeps the tokens of sandbox/ada from every program"))
                #expect(result.errors.contains("policy in [providers.sandbox] is \"deny\""))
            }
            #expect(await world.run("activity", "--json").output.contains("hand_out_refused"))
        }
    }

    @Test(arguments: ways)
    func askRefusesWhereNobodyIsThere(arguments: [String]) async throws {
        try await withSandbox(more: "policy = \"ask\"") { _, world in
            try await world.signIn()
            let result = await world.run(arguments)
            #expect(result.status == 5)
            #expect(result.output == "")
            #expect(result.errors.contains("nobody is there who could consent"))
            #expect(try await world.run("activity", "--json").json["activity"]?.array?.first?["kind"]?.string == "hand_out_refused")
        }
    }

    @Test(arguments: [("y", true), (" YES ", true), ("n", false), ("", false), ("yy", false)])
    func askTakesTheAnswerAtTheTerminal(line: String, isYes: Bool) async throws {
        try await withSandbox(more: "policy = \"ask\"") { _, world in
            try await world.signIn()
            let result = await world.run("token", "sandbox", "--show", person: .init(hasTerminal: true, lines: [line]))
            #expect(result.status == (isYes ? 0 : 5))
            #expect(result.output.isEmpty == !isYes)
            #expect(result.errors.contains("asks for the token of sandbox, for yett token."))
            #expect(result.errors.contains("[y/N]"))
            #expect(result.errors.contains("a token of sandbox/ada was refused") == !isYes)
            let kinds = try #require(try await world.run("activity", "--json").json["activity"]?.array?.compactMap { $0["kind"]?.string })
            #expect(kinds.prefix(2) == (isYes ? ["handed_out", "consented"] : ["hand_out_refused", "signed_in"]))
        }
    }

    @Test func allowAsksNothing() async throws {
        try await withSandbox(more: "policy = \"allow\"") { _, world in
            try await world.signIn()
            let result = await world.run("token", "sandbox", "--show", person: .init(hasTerminal: true))
            #expect(result.status == 0)
            #expect(!result.errors.contains("[y/N]"))
        }
    }
}
