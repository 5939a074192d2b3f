import CVersion
import TestSupport
import Testing

@testable import FastPath

/// The launcher's request to the agent, and the command lines that send it.
@Suite(.startsPrograms) struct AgentTokenRequestTests {
    private static let home = [
        "XDG_RUNTIME_DIR": "/run/user/7", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "HOME": "/home/ada",
    ]

    /// Returns the request for a command line; nil if the command line sends none.
    private func request(_ arguments: [String], _ environment: [String: String] = home, bufferSize: Int = 16_384) -> String? {
        LaunchedLine(arguments, environment).use { line, environment in
            AgentTokenRequest(line, environment: environment)?.text(bufferSize: bufferSize)
        }
    }

    @Test func requestsATokenForTheSession() {
        #expect(
            request(["yett", "token", "work/Ada Lovelace é"])
                == "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: /d/yett\r\nYett-Configuration: /c/yett/config.toml\r\nYett-Version: \(String(cString: cversion_text()))\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 47\r\n\r\n{\"session\":\"work/Ada Lovelace é\",\"ask\":\"none\"}"
        )
    }

    @Test func foldersDefaultToTheHomeFolder() throws {
        let asked = try #require(
            request(["yett", "token", "work"], ["HOME": "/home/ada//", "XDG_RUNTIME_DIR": "/r/", "XDG_DATA_HOME": "relative"]))
        #expect(asked.contains("Yett-Store: /home/ada/.local/share/yett\r\n"))
        #expect(asked.contains("Yett-Configuration: /home/ada/.config/yett/config.toml\r\n"))
    }

    @Test(arguments: [
        ["yett"], ["yett", "token"], ["yett", "status", "work"], ["yett", "token", "--json"], ["yett", "token", "work", "--json"],
        ["yett", "--no-agent", "token", "work"], ["yett", "token", ""], ["yett", "tokens", "work"], ["yett", "toke", "work"],
    ])
    func ignoresOtherCommandLines(arguments: [String]) {
        #expect(request(arguments) == nil)
    }

    @Test(arguments: ["YETT_CONFIG", "YETT_NO_AGENT", "YETT_LOG"])
    func leavesTheRequestToTheProgramWhenSet(variable: String) {
        #expect(request(["yett", "token", "work"], Self.home.merging([variable: "1"]) { $1 }) == nil)
        #expect(request(["yett", "token", "work"], Self.home.merging([variable: ""]) { $1 }) != nil)
    }

    @Test(arguments: ["work\"", "work\\", "work\r\nX: y", "work\u{1}", "work\u{7F}", String(repeating: "x", count: 20_000)])
    func rejectsUnsafeSessionNames(session: String) {
        #expect(request(["yett", "token", session]) == "")
    }

    @Test(arguments: ["XDG_DATA_HOME", "XDG_CONFIG_HOME"], ["/a\r\nX: y", "/", "/\u{1B}"])
    func rejectsUnsafeFolders(variable: String, folder: String) {
        #expect(request(["yett", "token", "work"], Self.home.merging([variable: folder]) { $1 }) == "")
    }

    @Test func writesNothingIntoASmallBuffer() throws {
        let whole = try #require(request(["yett", "token", "work"])).utf8.count
        #expect(request(["yett", "token", "work"], bufferSize: 2 * whole)?.utf8.count == whole)
        #expect(request(["yett", "token", "work"], bufferSize: 2 * whole - 2) == "")
        #expect(request(["yett", "token", "work"], bufferSize: 0) == "")
    }
}
