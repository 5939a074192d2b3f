import Glibc
import Testing

@testable import FastPath

/// The launcher's request to the agent, and the command lines that send it.
struct TokenQuestionTests {
    private static let home = [
        "XDG_RUNTIME_DIR": "/run/user/7", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "HOME": "/home/ada",
    ]

    /// Returns the socket and the request for a command line; nil if the command line sends none.
    private func question(_ arguments: [String], _ environment: [String: String] = home, bufferSize: Int = 16_384) -> (
        socket: String?, request: String
    )? {
        var words = arguments.map { strdup($0) } + [nil]
        let variables = environment.mapValues { strdup($0) }
        defer { for text in words + Array(variables.values) { free(text) } }
        func value(_ name: String) -> UnsafePointer<CChar>? { variables[name].flatMap { $0.map { UnsafePointer($0) } } }
        let seen = AgentTokenRequest.Environment(
            runtimeFolder: value("XDG_RUNTIME_DIR"), home: value("HOME"), dataFolder: value("XDG_DATA_HOME"),
            configurationFolder: value("XDG_CONFIG_HOME"), configuration: value("YETT_CONFIG"), disablesAgent: value("YETT_NO_AGENT"))
        return words.withUnsafeMutableBufferPointer { words -> (socket: String?, request: String)? in
            guard let base = words.baseAddress,
                let question = AgentTokenRequest(count: Int32(arguments.count), arguments: base, environment: seen)
            else { return nil }
            var address = sockaddr_un()
            let hasAddress = question.write(address: &address)
            let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            return withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 16) { buffer in
                let count = question.write(request: buffer)
                return (hasAddress ? path : nil, String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self))
            }
        }
    }

    @Test func requestsATokenForTheSession() throws {
        let asked = try #require(question(["yett", "token", "work/Ada Lovelace é"]))
        #expect(asked.socket == "/run/user/7/yett/agent.sock")
        #expect(
            asked.request
                == "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: /d/yett\r\nYett-Configuration: /c/yett/config.toml\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 49\r\n\r\n{\"session\":\"work/Ada Lovelace é\",\"ask\":\"nobody\"}"
        )
    }

    @Test func foldersDefaultToTheHomeFolder() throws {
        let asked = try #require(
            question(["yett", "token", "work"], ["HOME": "/home/ada//", "XDG_RUNTIME_DIR": "/r/", "XDG_DATA_HOME": "relative"]))
        #expect(asked.socket == "/r/yett/agent.sock")
        #expect(asked.request.contains("Yett-Store: /home/ada/.local/share/yett\r\n"))
        #expect(asked.request.contains("Yett-Configuration: /home/ada/.config/yett/config.toml\r\n"))
    }

    @Test(arguments: [
        ["yett"], ["yett", "token"], ["yett", "status", "work"], ["yett", "token", "--json"], ["yett", "token", "work", "--json"],
        ["yett", "--no-agent", "token", "work"], ["yett", "token", ""], ["yett", "tokens", "work"], ["yett", "toke", "work"],
    ])
    func ignoresOtherCommandLines(arguments: [String]) {
        #expect(question(arguments) == nil)
    }

    @Test(arguments: ["YETT_CONFIG", "YETT_NO_AGENT"])
    func leavesTheRequestToTheProgramWhenSet(variable: String) {
        #expect(question(["yett", "token", "work"], Self.home.merging([variable: "1"]) { $1 }) == nil)
        #expect(question(["yett", "token", "work"], Self.home.merging([variable: ""]) { $1 }) != nil)
    }

    @Test(arguments: ["work\"", "work\\", "work\r\nX: y", "work\u{1}", "work\u{7F}", String(repeating: "x", count: 20_000)])
    func rejectsUnsafeSessionNames(session: String) throws {
        #expect(try #require(question(["yett", "token", session])).request == "")
    }

    @Test(arguments: ["XDG_DATA_HOME", "XDG_CONFIG_HOME"], ["/a\r\nX: y", "/", "/\u{1B}"])
    func rejectsUnsafeFolders(variable: String, folder: String) throws {
        #expect(try #require(question(["yett", "token", "work"], Self.home.merging([variable: folder]) { $1 })).request == "")
    }

    @Test(arguments: [nil, "", "relative", "/", "/" + String(repeating: "x", count: 100)])
    func socketNeedsARuntimeFolder(folder: String?) throws {
        var environment = Self.home
        environment["XDG_RUNTIME_DIR"] = folder
        #expect(try #require(question(["yett", "token", "work"], environment)).socket == nil)
    }

    @Test func writesNothingIntoASmallBuffer() throws {
        let whole = try #require(question(["yett", "token", "work"])).request.utf8.count
        #expect(try #require(question(["yett", "token", "work"], bufferSize: 2 * whole)).request.utf8.count == whole)
        #expect(try #require(question(["yett", "token", "work"], bufferSize: 2 * whole - 2)).request == "")
        #expect(try #require(question(["yett", "token", "work"], bufferSize: 0)).request == "")
    }
}
