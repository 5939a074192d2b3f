import AuthModel
import NIOHTTP1
import Testing

@testable import ResourceProxy

/// Which requests the proxy passes on, and where to.
@Suite struct ProxyGateTests {
    private let socket: ProxyGate
    private let port: ProxyGate

    init() throws {
        let target = try #require(WebURL("https://api.example.org/v1"))
        socket = ProxyGate(target: target, entry: .socket)
        port = ProxyGate(target: target, entry: .port(4321, secret: Secret("s3cret")))
    }

    private func result(_ gate: ProxyGate, _ uri: String, hosts: [String] = ["127.0.0.1:4321"], isFromBrowserPage: Bool = false) -> String {
        switch gate.target(of: uri, hosts: hosts, isFromBrowserPage: isFromBrowserPage) {
        case .success(let url): url.text
        case .failure(let error): "\(error.refusal)"
        }
    }

    @Test(arguments: [
        ("/v1", "https://api.example.org/v1"), ("/v1/me?a=%20b&c", "https://api.example.org/v1/me?a=%20b&c"),
        ("/v1/", "https://api.example.org/v1/"),
        ("/", "ambiguousPath"), ("/v2", "ambiguousPath"), ("/v1x", "ambiguousPath"), ("/v1/../v2", "ambiguousPath"),
        ("/v1/%2e%2e/v2", "ambiguousPath"), ("/v1/%2f..", "ambiguousPath"), ("https://evil.example/", "ambiguousPath"),
        ("//evil.example/v1", "ambiguousPath"), ("/v1/#x", "ambiguousPath"), ("*", "ambiguousPath"), ("", "ambiguousPath"),
        ("@evil.example/v1", "ambiguousPath"),
    ])
    func passesOnPlainPathsBelowItsTarget(uri: String, expected: String) {
        #expect(result(socket, uri) == expected)
        #expect(result(port, "/s3cret" + uri) == expected || expected == "ambiguousPath")
    }

    @Test(arguments: [
        ("/s3cret/v1", "https://api.example.org/v1"), ("/S3cret/v1", "unknownPath"), ("/v1", "unknownPath"), ("/s3cretx/v1", "unknownPath"),
        ("/", "unknownPath"), ("/s3cret", "ambiguousPath"), ("/s3cret?x=1", "ambiguousPath"),
    ])
    func portNeedsTheSecret(uri: String, expected: String) { #expect(result(port, uri) == expected) }

    @Test(arguments: [
        (["127.0.0.1:4321"], true), (["localhost:4321"], true), (["LOCALHOST:4321"], true), (["127.0.0.1"], false),
        (["evil.example"], false),
        (["127.0.0.1:4321", "127.0.0.1:4321"], false), ([], false), (["127.0.0.1:4322"], false),
    ])
    func portNeedsItsOwnHost(hosts: [String], isAllowed: Bool) {
        #expect((result(port, "/s3cret/v1", hosts: hosts) != "foreign") == isAllowed)
    }

    @Test func webPageIsRefused() {
        #expect(result(port, "/s3cret/v1", isFromBrowserPage: true) == "foreign")
    }

    @Test func redirectsStayAtTheProxy() throws {
        let url = try #require(WebURL("https://api.example.org/v1/a"))
        #expect(port.local("/v1/b?c", from: url) == "http://127.0.0.1:4321/s3cret/v1/b?c")
        #expect(port.local("https://api.example.org/v1/", from: url) == "http://127.0.0.1:4321/s3cret/v1/")
        #expect(socket.local("b", from: url) == "/v1/b")
        #expect(port.local("https://elsewhere.example/x", from: url) == "https://elsewhere.example/x")
    }

    @Test(
        arguments: [
            ("unix:/run/a.sock", ProxyAddress.unix(path: "/run/a.sock")), ("127.0.0.1:0", .tcp(port: 0)),
            ("127.0.0.1:65535", .tcp(port: 65_535)),
            ("0.0.0.0:80", nil), ("127.0.0.1:65536", nil), ("unix:a.sock", nil), ("unix:", nil), ("8080", nil),
            ("unix:/" + String(repeating: "a", count: 107), nil),
        ] as [(String, ProxyAddress?)])
    func addressIsLocal(text: String, address: ProxyAddress?) { #expect(ProxyAddress(text) == address) }

    @Test func fieldsOfTheConnectionAndCredentialsAreNotPassedOn() {
        let headers: HTTPHeaders = [
            "Host": "x", "Authorization": "Bearer mine", "Cookie": "a=b", "Connection": "close, X-Own", "X-Own": "1", "TE": "trailers",
            "Transfer-Encoding": "chunked", "Accept": "*/*", "Content-Length": "3", "DPoP": "x", "Expect": "100-continue",
        ]
        let fields = ProxyFields.request(headers, credentials: ["authorization", "dpop", "cookie"])
        #expect(fields.map(\.name) == ["Accept"])
        let answer = ProxyFields.response(
            [("Set-Cookie", "a=b"), ("Keep-Alive", "1"), ("Location", "/a"), ("ETag", "x"), ("Alt-Svc", "h3")]) { "local " + $0 }
        #expect(answer?.map { "\($0.name): \($0.value)" } == ["Location: local /a", "ETag: x"])
    }
}
