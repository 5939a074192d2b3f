import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Answers to a sign-in's questions from standard input, without a terminal.
struct PipedAnswerTests {
    private static let password = OpenWebCommandTests.password

    @Test(arguments: [
        (["ada", password], Int32(0), "signed in: ow/ada"),
        // A wrong password is asked for again, and there is no further line.
        (["ada", "wrong"], 5, "refused the sign-in"), (["ada", "wrong", password], 0, "signed in: ow/ada"),
        (["ada", "a", "b", "c", password], 5, "refused the sign-in"), ([], 64, "one per line: user name, password"),
        (["ada"], 64, "one per line: user name, password"), (["", password], 64, "one per line: user name, password"),
        (["a\u{1B}da", password], 64, "control character"),
    ])
    func formReadsOneLineForEachAnswer(lines: [String], status: Int32, words: String) async throws {
        try await OpenWebCommandTests.running { server, world in
            let result = await world.run(["login", "ow"], user: .init(lines: lines))
            #expect(result.status == status, "\(result.errors)")
            #expect((result.output + result.errors).contains(words), "\(result.errors)")
            #expect(!result.errors.contains(Self.password))
            #expect(server.calls(of: "/user/sso/start").isEmpty == (status != 0))
        }
    }

    @Test func secretIsReadFromAPipe() async throws {
        try await OpenWebCommandTests.running(OpenWebSettings.with { $0.jwt = .completes }, keys: "mode = \"jwt\"") { _, world in
            let result = await world.run(["login", "ow"], user: .init(lines: ["sandbox.ada.jwt"]), exits: 0)
            #expect(!result.errors.contains("sandbox.ada.jwt"))
        }
    }

    /// A suggested value is the answer, so no line is read for it.
    @Test func suggestedValueIsNotAskedFor() async throws {
        try await OpenWebCommandTests.running { _, world in
            await world.run(["login", "ow", "--login-hint", "ada"], user: .init(lines: [Self.password]), exits: 0)
        }
    }
}
