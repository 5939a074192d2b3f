import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Questions of a sign-in answered by what stands on standard input, where there is no terminal.
struct PipedAnswerTests {
    private static let password = OpenWebCommandTests.password

    @Test(arguments: [
        (["ada", password], Int32(0), "signed in: ow/ada"),
        // A wrong password is asked for once more, and there is none.
        (["ada", "wrong"], 5, "refused the sign-in"), (["ada", "wrong", password], 0, "signed in: ow/ada"),
        (["ada", "a", "b", "c", password], 5, "refused the sign-in"), ([], 64, "a line each: user name, password"),
        (["ada"], 64, "a line each: user name, password"), (["", password], 64, "a line each: user name, password"),
        (["a\u{1B}da", password], 64, "control character"),
    ])
    func aFormTakesALineForEachAnswer(lines: [String], status: Int32, words: String) async throws {
        try await OpenWebCommandTests.running { server, world in
            let result = await world.run(["login", "ow"], person: .init(lines: lines))
            #expect(result.status == status, "\(result.errors)")
            #expect((result.output + result.errors).contains(words), "\(result.errors)")
            #expect(!result.errors.contains(Self.password))
            #expect(server.calls(of: "/user/sso/start").isEmpty == (status != 0))
        }
    }

    @Test func aSecretIsTakenFromAPipe() async throws {
        var settings = OpenWebSettings()
        settings.jwt = .completes
        try await OpenWebCommandTests.running(settings, keys: "mode = \"jwt\"") { _, world in
            let result = await world.run(["login", "ow"], person: .init(lines: ["sandbox.ada.jwt"]))
            #expect(result.status == 0, "\(result.errors)")
            #expect(!result.errors.contains("sandbox.ada.jwt"))
        }
    }

    /// What is suggested is the answer, and nobody's input is read for it.
    @Test func whatIsSuggestedIsNotAskedFor() async throws {
        try await OpenWebCommandTests.running { _, world in
            let result = await world.run(["login", "ow", "--login-hint", "ada"], person: .init(lines: [Self.password]))
            #expect(result.status == 0, "\(result.errors)")
        }
    }
}
