import AuthModel
import NIOHTTP1
import OAuth
import Testing

@testable import ResourceProxy

/// The first request of a connection to the proxy for HTTPS, and what decides about it.
@Suite struct ConnectRequestTests {
    private func request(_ first: String, _ fields: String = "") throws(ConnectRequest.Failure) -> ConnectRequest {
        try ConnectRequest(header: "\(first)\r\n\(fields)\r\n")
    }

    @Test func connectionHasAHostAndAPort() throws {
        let origin = try request("CONNECT API.example.org:443 HTTP/1.1", "Host: other.example\r\n").target
        #expect(origin == .connection(Origin(scheme: .https, host: "api.example.org", port: 443)))
        #expect(try request("CONNECT [::1]:8443 HTTP/1.1").target == .connection(Origin(scheme: .https, host: "::1", port: 8443)))
        #expect(try request("GET http://api.example.org/a HTTP/1.1").target == .plain(host: "api.example.org"))
    }

    @Test(arguments: [
        "CONNECT api.example.org HTTP/1.1", "CONNECT api.example.org: HTTP/1.1", "CONNECT api.example.org:0 HTTP/1.1",
        "CONNECT api.example.org:443/a HTTP/1.1", "CONNECT a@api.example.org:443 HTTP/1.1", "CONNECT  api.example.org:443 HTTP/1.1",
        "CONNECT api.example.org.:443 HTTP/1.1", "CONNECT 127.1:443 HTTP/1.1", "CONNECT 0x7f000001:443 HTTP/1.1",
        "CONNECT api.example.org:443 HTTP/2", "CONNECT api.example.org:443", "GET / HTTP/1.1", "GET https://api.example.org/ HTTP/1.1", "",
    ])
    func otherFirstLinesAreRefused(line: String) {
        #expect(throws: ConnectRequest.Failure.invalid) { try request(line) }
    }

    @Test(arguments: [
        "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "A: b\n", "A: b\rC: d\r\n", " A: b\r\n", "A : b\r\n", "A\r\n", ": b\r\n",
        "A: \u{1}\r\n", "Proxy-Authorization: Basic a\r\nproxy-authorization: Basic b\r\n", String(repeating: "A: b\r\n", count: 101),
    ])
    func fieldsThatOthersReadDifferentlyAreRefused(fields: String) {
        #expect(throws: ConnectRequest.Failure.invalid) { try request("CONNECT api.example.org:443 HTTP/1.1", fields) }
    }

    @Test(arguments: [
        ("yett:s3cret", true), ("other:s3cret", true), ("yett:s3cret2", false), ("yett:", false), ("s3cret", false), ("", false),
    ])
    func passwordMustBeTheSecret(text: String, isKnown: Bool) throws {
        let field = "Proxy-Authorization: Basic \(Base64.encode(Array(text.utf8)))\r\n"
        #expect(try request("CONNECT a.example:443 HTTP/1.1", field).knows(Secret("s3cret")) == isKnown)
        #expect(try !request("CONNECT a.example:443 HTTP/1.1").knows(Secret("s3cret")))
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("0.0.0.0", true), ("169.254.169.254", true), ("100.100.100.200", true), ("::", true),
        ("::1", true), ("fe80::1%eth0", true), ("febf::1", true), ("::ffff:127.0.0.1", true), ("::127.0.0.1", true), ("ff02::1", true),
        ("64:ff9b::7f00:1", true), ("2002:7f00:1::", true), ("fd00:ec2::254", true), ("fd00:ec2::23", true), ("224.0.0.1", true),
        ("fd20:ce::254", true), ("fd00:c1::a9fe:a9fe", true), ("fd00:42::42", true), ("fd00:a9fe:a9fe::1", true),
        ("fd00:100::100:200", true), ("168.63.129.16", true), ("::ffff:0:169.254.169.254", true), ("::ffff:0:192.0.2.1", false),
        ("fd20:ce::255", false), ("fd00:42::43", false), ("168.63.129.17", false),
        ("2001:0:c000:201::80ff:fffe", true), ("2001:0:7f00:1::3fff:fdfe", false), ("255.255.255.255", true),
        ("name", true), ("192.0.2.1", false), ("10.0.0.1", false), ("::ffff:192.0.2.1", false), ("2001:db8::1", false), ("fec0::1", false),
    ])
    func addressesOfThisMachineAreKnown(address: String, isOfThisMachine: Bool) {
        #expect(ProxyTunnel.isOfThisMachine(address) == isOfThisMachine)
    }

    /// A service of this machine may trust all connections from this machine, at each of its addresses.
    @Test(arguments: [
        ("192.0.2.7", true), ("::ffff:192.0.2.7", true), ("64:ff9b::c000:207", true), ("2001:db8::7", true), ("192.0.2.8", false),
        ("2001:db8::8", false),
    ])
    func addressesOfInterfacesAreKnown(address: String, isOfThisMachine: Bool) {
        let own: Set<[UInt8]> = [[192, 0, 2, 7], [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]]
        #expect(ProxyTunnel.isOfThisMachine(address, own: own) == isOfThisMachine)
        #expect(!ProxyTunnel.isOfThisMachine(address))
        #expect(ProxyTunnel.ownAddresses().contains([127, 0, 0, 1]))
    }

    @Test(arguments: [
        ("yett", true), ("Bearer yett", true), ("token yett", true), ("Bearer other", false), ("Bearer yett other", false),
        ("Bearer", false), ("", false), ("Basic \(Base64.encode(Array("user:yett".utf8)))", true),
        ("Basic \(Base64.encode(Array("yett:".utf8)))", true), ("Basic \(Base64.encode(Array("yett:other".utf8)))", false),
        ("Basic \(Base64.encode(Array("user:".utf8)))", false),
    ])
    func placeholderStandsForNoCredential(value: String, isPlaceholder: Bool) {
        #expect(ProxyPlaceholder.isPlaceholder(value) == isPlaceholder)
        #expect(ProxyPlaceholder.hasOthers(["authorization": value], in: ["authorization"]) == !isPlaceholder)
        #expect(!ProxyPlaceholder.hasOthers(["Cookie": "a=b", "X": "y"], in: ["authorization", "cookie"]))
        #expect(ProxyPlaceholder.hasOthers(["Authorization": "yett", "authorization": "a"], in: ["authorization"]))
    }

    @Test(arguments: [
        (["api.example.org"], true), (["API.example.org:443"], true), (["api.example.org:444"], false), (["evil.example"], false),
        (["api.example.org", "api.example.org"], false), ([], false), (["api.example.org/a"], false), (["a@api.example.org"], false),
    ])
    func openedConnectionIsForOneHost(hosts: [String], isAllowed: Bool) throws {
        let gate = ProxyGate(target: try #require(WebURL("https://api.example.org")), entry: .opened)
        let url = try? gate.target(of: "/a/@b%2fc?d", hosts: hosts, isFromBrowserPage: true).get()
        #expect(url?.text == (isAllowed ? "https://api.example.org/a/@b%2Fc?d" : nil))
        #expect(gate.local("https://api.example.org/x", from: gate.target) == "https://api.example.org/x")
    }

    @Test(arguments: [
        ("Origin", "https://api.example.org", false), ("Origin", "https://API.example.org:443", false), ("Origin", "null", true),
        ("Origin", "https://evil.example", true), ("Origin", "http://api.example.org", true), ("Origin", "", true),
        ("Origin", "https://api.example.org:444", true), ("Sec-Fetch-Site", "none", false), ("Sec-Fetch-Site", "same-origin", false),
        ("Sec-Fetch-Site", "same-site", true), ("Sec-Fetch-Site", "cross-site", true), ("Referer", "https://evil.example/", false),
    ])
    func requestsOfOtherPagesAreKnown(name: String, value: String, isOfPage: Bool) {
        let origin = Origin(scheme: .https, host: "api.example.org", port: 443)
        #expect(HTTPHeaders([("Accept", "*/*"), (name, value)]).areOfPage(outside: origin) == isOfPage)
        #expect(HTTPHeaders([("Origin", "https://api.example.org"), (name, value)]).areOfPage(outside: origin) == isOfPage)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "grant_type=refresh_token", true),
        ("Application/X-WWW-Form-Urlencoded; charset=utf-8", "a=b&grant_type=c", true),
        ("application/x-www-form-urlencoded", "a=grant_type=&my_grant_type=b", false), ("application/json", "grant_type=a", false),
        ("application/x-www-form-urlencoded", "", false), ("application/x-www-form-urlencoded", "grant_type", false),
        ("application/x-www-form-urlencoded", "a=b&grant%5Ftype=c", true), ("application/x-www-form-urlencoded", "grant+type=c", false),
        ("application/x-www-form-urlencoded", "%67%72%61%6E%74%5F%74%79%70%65=c", true),
        ("application/x-www-form-urlencoded", "grant%5Gtype=c&%=d", false),
    ])
    func requestsForTokensAreKnown(type: String, body: String, isKnown: Bool) {
        #expect(HTTPHeaders([("content-type", type)]).areOfTokenRequest(with: Array(body.utf8)) == isKnown)
    }

    /// Some services have these requests in a query.
    @Test(arguments: [
        ("/refresh_access_token?grant_type=ig_refresh_token", true), ("/x?a=b&grant%5Ftype=c", true), ("/x?a=grant_type", false),
        ("/grant_type=a", false), ("/x", false), ("/x?a=b?grant_type=c", false), ("/x?", false),
    ])
    func queriesForTokensAreKnown(uri: String, isKnown: Bool) {
        for method in [HTTPMethod.GET, .POST] {
            #expect(HTTPRequestHead(version: .http1_1, method: method, uri: uri).queryAsksForTokens == isKnown)
        }
    }
}
