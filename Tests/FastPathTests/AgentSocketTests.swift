import Glibc
import TestSupport
import Testing

@testable import FastPath

/// The launcher's connection to the agent: timeouts and incomplete responses.
@Suite(.startsPrograms) struct AgentSocketTests {
    /// Returns what the launcher receives from an agent that writes `parts` and then, unless it `stays`, closes the connection.
    private func reception(_ parts: String..., stays: Bool = false) throws -> String {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let socket = try #require(AgentSocket(connected: ends[0], silenceTimeout: 50))
        defer { socket.close() }
        #expect(socket.process == getpid())
        for part in parts { try #require(write(ends[1], part, part.utf8.count) == part.utf8.count) }
        if !stays { close(ends[1]) }
        defer { if stays { close(ends[1]) } }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { buffer in
            switch socket.receive(into: buffer) {
            case .complete(let answer, let count): "\(answer.status) in \(count)"
            case .silent: "silent"
            case .truncated: "cut off"
            }
        }
    }

    private let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n"

    @Test func readsAResponse() throws {
        #expect(try reception(head, "{}") == "503 in \(head.utf8.count + 2)")
        #expect(try reception(head, "{}", stays: true) == "503 in \(head.utf8.count + 2)")
    }

    @Test func timesOutWithoutAResponse() throws {
        #expect(try reception(stays: true) == "silent")
    }

    @Test func timesOutOnAnIncompleteResponse() throws {
        #expect(try reception(head, "{", stays: true) == "silent")
        #expect(try reception("HTTP/1.1 102 Processing\r\n\r\n", stays: true) == "silent")
    }

    @Test func reportsATruncatedResponse() throws {
        #expect(try reception() == "cut off")
        #expect(try reception(head, "{") == "cut off")
    }

    @Test func rejectsAResponseLargerThanTheBuffer() throws {
        #expect(try reception(String(repeating: "x", count: 2048), stays: true) == "cut off")
    }
}
