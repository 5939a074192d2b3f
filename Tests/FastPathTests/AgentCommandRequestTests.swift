import TestSupport
import Testing

@testable import FastPath

/// The command lines that the launcher passes to the agent, and the answers that it prints.
@Suite(.startsPrograms) struct AgentCommandRequestTests {
    private static let home = ["XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "HOME": "/home/ada"]

    private func request(_ arguments: [String], input: String = "", _ extra: [String: String] = [:]) -> String? {
        LaunchedLine(arguments, Self.home.merging(extra) { $1 }).use { line, environment in
            guard var request = AgentCommandRequest(line, environment: environment) else { return nil }
            return Array(input.utf8).withUnsafeBytes { bytes in
                request.input = bytes
                return request.text()
            }
        }
    }

    @Test func passesTheCommandLineAndTheInput() throws {
        let text = try #require(request(["yett", "helper", "git", "wörk", "get"], input: "protocol=https\nhost=\"a\\b\"\n\n"))
        #expect(text.hasPrefix("POST /v1/command HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: /d/yett\r\n"))
        let body = text.suffix(while: { !$0.isNewline })
        #expect(
            body.hasPrefix(
                #"{"arguments":["helper","git","wörk","get"],"input":"protocol=https\nhost=\"a\\b\"\n\n","environment":{"#))
        #expect(body.hasSuffix("}}"))
        #expect(text.contains("Content-Length: \(body.utf8.count)\r\n"))
    }

    @Test(arguments: [
        ["yett", "token", "work", "--header"], ["yett", "token", "--json"], ["yett", "helper", "kubectl", "work"],
        ["yett", "helper", "docker", "get"], ["yett", "status"], ["yett", "token"], ["yett", "status", "--prompt"],
        ["yett", "status", "work", "--prompt"],
    ])
    func frequentCommandsAreAsked(arguments: [String]) {
        #expect(request(arguments) != nil)
    }

    @Test(arguments: [
        ["yett"], ["yett", "login", "work"], ["yett", "logout"],
        ["yett", "--log", "token", "a"],
        ["yett", "request", "work", "--prompt"], ["yett", "token"] + Array(repeating: "x", count: 40),
    ])
    func otherCommandsAreNot(arguments: [String]) {
        #expect(request(arguments) == nil)
    }

    @Test(arguments: ["YETT_CONFIG", "YETT_NO_AGENT", "YETT_LOG"])
    func leavesTheRequestToTheProgramWhenSet(variable: String) {
        #expect(request(["yett", "token", "--json"], [variable: "1"]) == nil)
    }

    @Test(arguments: [
        (["yett", "helper", "git", "get"], true), (["yett", "helper", "docker", "work", "get"], true),
        (["yett", "helper", "git", "store"], false), (["yett", "helper", "kubectl", "get"], false),
        (["yett", "token", "work", "get"], false),
    ])
    func onlyCredentialRequestsReadTheInput(arguments: [String], reads: Bool) throws {
        let found = LaunchedLine(arguments, Self.home).use { AgentCommandRequest($0, environment: $1)?.readsInput }
        #expect(found == reads)
    }

    @Test(arguments: ["a\u{1}b", "a\0b", "\u{1B}[2J"])
    func controlCharactersAreLeftToTheProgram(input: String) {
        #expect(request(["yett", "helper", "git", "get"], input: input) == "")
    }

    // MARK: Answers

    private func parts(_ answer: String) -> [String]? {
        Array(answer.utf8).withUnsafeBytes { bytes in
            guard let answer = RawResponse(in: bytes), let result = AgentCommandResponse(answer, in: bytes) else { return nil }
            return [
                String(result.status), String(decoding: bytes[result.output], as: UTF8.self),
                String(decoding: bytes[result.diagnostics], as: UTF8.self),
            ]
        }
    }

    private func answer(_ fields: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: 10\r\n\r\noutputerro"
    }

    @Test func separatesOutputAndErrors() {
        #expect(parts(answer("Yett-Exit-Status: 7\r\nYett-Output-Length: 6\r\n")) == ["7", "output", "erro"])
        #expect(parts(answer("Yett-Exit-Status: 0\r\nYett-Output-Length: 10\r\n")) == ["0", "outputerro", ""])
    }

    @Test(arguments: [
        "", "Yett-Exit-Status: 0\r\n", "Yett-Output-Length: 6\r\n", "Yett-Exit-Status: 0\r\nYett-Output-Length: 11\r\n",
        "Yett-Exit-Status: 256\r\nYett-Output-Length: 6\r\n", "Yett-Exit-Status: -1\r\nYett-Output-Length: 6\r\n",
        "Yett-Exit-Status: 0\r\nYett-Output-Length: 6x\r\n",
    ])
    func otherAnswersAreLeftToTheProgram(fields: String) {
        #expect(parts(answer(fields)) == nil)
        #expect(parts(answer("Yett-Exit-Status: 0\r\nYett-Output-Length: 6\r\n", status: "400 Bad Request")) == nil)
    }
}

extension String {
    /// The longest end of the text whose characters all satisfy a condition.
    fileprivate func suffix(while condition: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start > startIndex, condition(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
    }
}
