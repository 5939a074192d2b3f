import Testing

@testable import AuthEngine

/// What the bytes of a response to a request for an upgrade mean.
@Suite struct UpgradeResponseReaderTests {
    private static let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\r\n"

    private struct Result: Equatable {
        var status = 0
        var names: [String] = []
        var content = ""
        var isComplete = false
    }

    /// Reads a response that arrives in pieces.
    private func read(_ text: String, pieces size: Int = .max, limit: Int = 1024) throws -> Result {
        var reader = UpgradeResponseReader(protocolName: "websocket", byteLimit: limit, countLimit: 10)
        var result = Result()
        var waiting: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while true {
            let portion = try waiting.withUnsafeBytes { bytes in try reader.portion(of: bytes) }
            switch portion {
            case .head(let count):
                (result.status, result.names) = (reader.status, reader.headers.map(\.name))
                waiting.removeFirst(count)
            case .framing(let count): waiting.removeFirst(count)
            case .content(let count):
                result.content += String(decoding: waiting.prefix(count), as: UTF8.self)
                reader.passedOn(count)
                waiting.removeFirst(count)
            case .incomplete where rest.isEmpty, .end:
                result.isComplete = reader.mayEnd || portion == .end
                return result
            case .incomplete:
                waiting += rest.prefix(size)
                rest = rest.dropFirst(size)
            }
        }
    }

    @Test(arguments: [1, 2, 7, .max]) func everythingAfter101IsContent(pieces: Int) throws {
        let result = try read("HTTP/1.1 100 Continue\r\n\r\n" + Self.upgrade + "HTTP/1.1\n\0x", pieces: pieces)
        #expect(result == Result(status: 101, names: ["Upgrade", "Connection"], content: "HTTP/1.1\n\0x", isComplete: true))
    }

    @Test(
        arguments: [1, 3, .max],
        [
            ("Content-Length: 5\r\n\r\nhelloHTTP/1.1", "hello", true), ("Content-Length: 5\r\n\r\nhel", "hel", false),
            ("Content-Length: 0\r\n\r\nx", "", true), ("X: y\r\n\r\nuntil the end", "until the end", true),
            ("Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX: y\r\n\r\nz", "hello", true),
            ("Transfer-Encoding: Chunked\r\n\r\n3\r\nhel\r\n", "hel", false),
        ])
    func refusalHasAnOrdinaryBody(pieces: Int, rest: (text: String, content: String, isComplete: Bool)) throws {
        let result = try read("HTTP/1.1 403 Forbidden\r\n" + rest.text, pieces: pieces)
        #expect((result.status, result.content, result.isComplete) == (403, rest.content, rest.isComplete))
    }

    /// A response that another reader could understand differently, or that upgrades to something else.
    @Test(arguments: [
        "ICY 200 OK\r\n\r\n", "HTTP/2 101 x\r\n", "HTTP/1.1 1010 x\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.0 101 x\r\n", "\r\n", "\n",
        "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\r\nA: b\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n", "HTTP/1.1 200 OK\r\nA\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n", "HTTP/1.1 200 OK\r\n: b\r\n", "HTTP/1.1 200 OK\r\nA: b\rc\r\n", "HTTP/1.1 200 OK\r\nA: b\0c\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+3\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        "HTTP/1.1 101 x\r\n\r\n", "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 101 x\r\nUpgrade: websocket, h2c\r\nConnection: Upgrade\r\n\r\n",
    ])
    func ambiguousResponseIsRefused(text: String) {
        for size in [1, .max] { #expect(throws: UpgradeResponseReader.Fault.invalid) { try read(text, pieces: size) } }
    }

    @Test(arguments: [
        String(repeating: "HTTP/1.1 103 Hints\r\nA: b\r\n\r\n", count: 4), "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 10),
        "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 1024), "HTTP/1.1 " + String(repeating: "2", count: 1024),
    ])
    func headerIsLimited(text: String) {
        for size in [1, .max] { #expect(throws: UpgradeResponseReader.Fault.tooManyHeaders) { try read(text, pieces: size) } }
    }
}
