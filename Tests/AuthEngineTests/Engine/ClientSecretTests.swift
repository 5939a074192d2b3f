@testable import AuthEngine
import AuthModel
import Glibc
import Localization
import Testing

@Suite(.serialized)
struct ClientSecretTests {
    /// Runs `body` with the path of a temporary file with this text and mode.
    private func withFile(_ text: String, mode: mode_t, _ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/yett-secret-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        try #require(file >= 0)
        let path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        defer { unlink(path) }
        _ = write(file, text, text.utf8.count)
        fchmod(file, mode)
        close(file)
        try await body(path)
    }

    @Test func secretIsTheFirstLineOfThePrivateFile() async throws {
        try await withFile("s3cret% +\nnot this\n", mode: 0o600) { (path) async throws in
            #expect(try await ClientSecretSource.read(.file(path), environment: [:]) == Secret("s3cret% +"))
        }
    }

    @Test func refusesAFileThatOthersCanReadWithAHint() async throws {
        try await withFile("secret", mode: 0o640) { path in
            let refusal = await failure { try await ClientSecretSource.read(.file(path), environment: [:]) }
            #expect(refusal?.hintText == "run: chmod 600 \(path)")
        }
    }

    /// Reading from a pipe without a writer would block forever.
    @Test func refusesPathsThatAreNotFiles() async throws {
        let path = "/tmp/yett-pipe-\(UInt64.random(in: 0 ... .max))"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        for place in [path, "/tmp", "/dev/null"] {
            let refusal = await failure { try await ClientSecretSource.read(.file(place), environment: [:]) }
            #expect(refusal?.summary == "the client secret file \(place) is not a file")
        }
        let refusal = await failure { try await ClientSecretSource.read(.file("/nonexistent"), environment: [:]) }
        #expect(refusal?.summary == "the client secret file /nonexistent cannot be read: no such file or directory")
    }

    @Test func secretIsTheFirstLineOfTheCommandsOutput() async throws {
        let command = ["sh", "-c", "printf '%s\\nmore\\n' \"$WORD\""]
        let secret = try await ClientSecretSource.read(.command(command), environment: ["WORD": "s3cret", "PATH": "/usr/bin:/bin"])
        #expect(secret == Secret("s3cret"))
    }

    @Test(arguments: [["sh", "-c", "exit 3"], ["true"], ["/nonexistent/program"]])
    func commandWithoutASecretIsAConfigurationError(_ command: [String]) async throws {
        let refusal = await failure { try await ClientSecretSource.read(.command(command), environment: ["PATH": "/usr/bin:/bin"]) }
        #expect(refusal?.kind == .configuration)
    }

    @Test func stopsACommandThatDoesNotEnd() async throws {
        let hanging = CommandOutput(arguments: ["cat", "/dev/zero"], environment: ["PATH": "/usr/bin:/bin"], deadline: .seconds(20))
        // Endless output stops at the limit, without a usable first line.
        await #expect(throws: AuthFailure.self) { try await hanging.firstLine() }
        let withoutOutput = CommandOutput(
            arguments: ["tail", "-f", "/dev/null"], environment: ["PATH": "/usr/bin:/bin"], deadline: .milliseconds(50))
        await #expect(throws: AuthFailure.self) { try await withoutOutput.firstLine() }
    }
}
