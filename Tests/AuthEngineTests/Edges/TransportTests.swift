import AuthEngine
import AuthModel
import Localization
import OAuth
import Testing

func transport(_ environment: [String: String] = [:]) -> CurlTransport {
    CurlTransport(version: "0.0-test", environment: environment)
}

func url(_ text: String) throws -> WebURL {
    try #require(WebURL(text))
}

func get(_ text: String, headers: [(name: String, value: String)] = []) throws -> WebRequest {
    WebRequest(method: .get, url: try url(text), headers: headers)
}

/// Returns the failure of a request that must fail.
func failure(
    of request: WebRequest, policy: TransportPolicy = .standard, with transport: CurlTransport = transport()
) async throws -> AuthFailure {
    let failure = await #expect(throws: AuthFailure.self) { try await transport.send(request, policy: policy) }
    return try #require(failure)
}

@Suite struct TransportTests {
    @Test func sendsTheRequestUnchanged() async throws {
        let server = try await RawServer { _, _ in .ok("{}") }
        let request = WebRequest.form(
            try url(server.origin + "/a//token%2F?x=..%2F#part"), [("code", "a+b"), ("empty", "")],
            headers: [("Authorization", "Bearer abc")])
        let response = try await transport().send(request)
        #expect(response.status == 200)
        #expect(response.body == Array("{}".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("POST /a//token%2F?x=..%2F HTTP/1.1\r\n"))
        #expect(sent.hasSuffix("\r\n\r\ncode=a%2Bb&empty="))
        let names = sent.split(separator: "\r\n").dropFirst().prefix { !$0.isEmpty }.compactMap { $0.split(separator: ":").first }
        #expect(
            Set(names.prefix(7)) == ["Host", "User-Agent", "Accept-Encoding", "Content-Type", "Accept", "Authorization", "Content-Length"])
        #expect(sent.contains("User-Agent: yett/0.0-test\r\n"))
        #expect(sent.contains("Accept-Encoding: gzip, deflate\r\n"))
    }

    @Test(arguments: [(WebRequest.Method.get, ""), (.put, "{}"), (.delete, ""), (.post, "")])
    func sendsEveryMethod(_ method: WebRequest.Method, body: String) async throws {
        let server = try await RawServer { _, _ in .ok("") }
        _ = try await transport().send(WebRequest(method: method, url: try url(server.origin + "/"), body: Array(body.utf8)))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("\(method.rawValue) / HTTP/1.1\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n" + body))
        #expect(!sent.lowercased().contains("content-type"))
    }

    @Test func returnsHeadersOfTheFinalResponseOnly() async throws {
        let server = try await RawServer { _, _ in
            .text(
                "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 401 No\r\nWWW-Authenticate:  Bearer \r\nX:\r\nContent-Length: 0\r\n\r\n"
            )
        }
        let response = try await transport().send(get(server.origin + "/"))
        #expect(response == WebResponse(status: 401, headers: [("WWW-Authenticate", "Bearer"), ("X", ""), ("Content-Length", "0")]))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func neverFollowsARedirect(_ status: Int) async throws {
        let other = try await RawServer { _, _ in .ok("stolen") }
        let target = other.origin
        let server = try await RawServer { _, _ in .text("HTTP/1.1 \(status) Moved\r\nLocation: \(target)/\r\nContent-Length: 0\r\n\r\n") }
        let request = WebRequest.form(try url(server.origin + "/token"), [("code", "c")], headers: [("Authorization", "Bearer secret")])
        let response = try await transport().send(request)
        #expect(response.status == status)
        #expect(response.header("location") == target + "/")
        #expect(other.connections == 0)
    }

    @Test func sendsNoCookieAndNoReferrer() async throws {
        let server = try await RawServer { _, _ in .ok("", headers: "Set-Cookie: id=1; Path=/\r\n") }
        let transport = transport()
        for _ in 0..<2 { _ = try await transport.send(get(server.origin + "/")) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") && !$0.lowercased().contains("referer") })
    }

    @Test func reusesAConnection() async throws {
        let server = try await RawServer { _, _ in .ok("") }
        let transport = transport()
        for _ in 0..<3 { _ = try await transport.send(WebRequest(method: .post, url: try url(server.origin + "/"))) }
        #expect(server.requests.count == 3)
        #expect(server.connections == 1)
    }

    @Test func neverSendsAPostTwice() async throws {
        // The second request goes over a kept connection, is read, and gets no response: the server may have redeemed the code.
        let server = try await RawServer { number, _ in number == 1 ? .hangUp : .ok("") }
        let transport = transport()
        let request = WebRequest.form(try url(server.origin + "/token"), [("code", "c")])
        _ = try await transport.send(request)
        let failure = try await failure(of: request, with: transport)
        #expect(failure.isTransient)
        #expect(failure.summary == "127.0.0.1:\(server.port) closed the connection before the response was complete")
        #expect(server.requests.count == 2)
    }

    @Test func repeatsSafeRequests() async throws {
        let server = try await RawServer { number, _ in number == 1 ? .hangUp : .ok("\(number)") }
        let transport = transport()
        let request = try get(server.origin + "/")
        _ = try await transport.send(request)
        #expect(try await transport.send(request).body == Array("2".utf8))
    }

    /// The only host name that plain http may use, and only while it resolves to this machine.
    @Test func reachesLocalhostOnTheLoopbackInterface() async throws {
        let server = try await RawServer { _, _ in .ok("here") }
        let request = try get(server.origin.replacing("127.0.0.1", with: "localhost") + "/")
        #expect(try await transport().send(request).body == Array("here".utf8))
    }

    @Test(arguments: ["http://a.localhost:1/", "http://192.0.2.1/", "http://id.example.org/", "http://127.0.0.1.example.org/"])
    func refusesPlainHTTPOffLoopbackLiterals(_ text: String) async throws {
        let failure = try await failure(of: get(text))
        #expect(failure.kind == .security)
        #expect(failure.summary.hasPrefix("refused to use plain http for "))
    }

    @Test(arguments: [
        ("A", "b\r\nX: y"), ("A", "b\nX: y"), ("A", "b\rX"), ("A", "b\0"), ("A", "\u{1B}[2J"), ("A: b\r\nX", "y"), ("", "y"), ("a b", "y"),
    ])
    func refusesControlCharactersInHeaders(_ name: String, _ value: String) async throws {
        let server = try await RawServer { _, _ in .ok("") }
        #expect(try await failure(of: get(server.origin + "/", headers: [(name, value)])).kind == .security)
        #expect(server.connections == 0)
    }

    @Test func manyRequestsRunAtOnce() async throws {
        let server = try await RawServer { _, request in .ok(String(request.split(separator: " ")[1])) }
        let transport = transport()
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<50 {
                let request = try get("\(server.origin)/\(number)")
                group.addTask { try await transport.send(request).body }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert(String(decoding: $1, as: UTF8.self)) }
        }
        #expect(bodies == Set((0..<50).map { "/\($0)" }))
    }
}
