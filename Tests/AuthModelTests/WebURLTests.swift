import AuthModel
import Testing

/// URLs are taken as they are or not at all.
@Suite struct WebURLTests {
    @Test(arguments: [
        "https://a.example", "https://a.example/", "https://a.example:8443/p?q=1&r#f", "http://127.0.0.1:1/", "http://[::1]:8400/x",
        "HTTPS://A.example/B",
        "https://a.example/%20?x=%2B", "https://xn--80ak6aa92e.com/", "https://a_b.example/", "https://[2001:db8::7]/",
        "https://[::ffff:1.2.3.4]/", "https://[::]/", "https://[1:2:3:4:5:6:7:8]/",
    ])
    func takesURLs(_ text: String) {
        #expect(WebURL(text)?.text == text)
    }

    @Test(arguments: [
        ("https://a.example/p?x=1&y=2&x=3#f", "https://a.example/p?y=2#f"), ("https://a.example/p?x=1", "https://a.example/p"),
        ("https://a.example/p?x", "https://a.example/p"), ("https://a.example/p?xx=1", "https://a.example/p?xx=1"),
        ("https://a.example/p", "https://a.example/p"),
    ])
    func leavesOutAParameter(_ text: String, _ expected: String) {
        #expect(WebURL(text)?.removing(query: "x")?.text == expected)
    }

    @Test(arguments: [
        "", "a.example", "//a.example", "https:", "https://", "https:///x", "https:/a", "ftp://a", "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x", "https://user@a.example/", "https://trusted@evil.example", "https://a:b@c/", "https://a.example:0/",
        "https://a.example:99999/",
        "https://a.example:/", "https://a.example:8a/", "https://a example/", "https://a.example/ ", " https://a.example/",
        "https://a.example/\n",
        "https://a.example/\u{1B}", "https://a.example/\"", "https://a.example/<", "https://a.example/`id`", "https://a.example/|",
        "https://a.example/{",
        "https://a.example/^", "http://evil\\@good/", "https://a.example/\\", "https://аpple.com/", "https://①②⑦.0.0.1/", "https://a..b/",
        "https://.a/",
        "https://a./", "https://-a/", "https://a-/", "https://a.example/%", "https://a.example/%2", "https://a.example/%zz",
        "https://[::1/", "https://::1/",
        "https://[]/", "https://[a.example]/", "https://[::1]x/", "--flag", "-https://a.example", "https://[::1%25lo]/",
        "https://[fe80::g]/", "https://[1:2]/",
        "https://[:::]/", "https://[1.2.3.4]/", "https://[1::2::3]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[12345::]/",
    ])
    func refusesOthers(_ text: String) {
        // SWF-09, TRM-14, TRM-15, TRM-18.
        #expect(WebURL(text) == nil)
    }

    /// RFC 3986 section 5.4, as far as its results are URLs that are taken.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q#s"), ("g#s", "/b/c/g#s"), ("g?y#s", "/b/c/g?y#s"), (";x", "/b/c/;x"), ("g;x=1/./y", "/b/c/g;x=1/y"),
        ("", "/b/c/d;p?q"), (".", "/b/c/"),
        ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"), ("../../../../g", "/g"),
        ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("g/../h", "/b/c/h"),
        ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"), ("a//b", "/b/c/a//b"),
    ])
    func resolvesWhatStandsForAURL(_ reference: String, _ expected: String) throws {
        let base = try #require(WebURL("https://a.example:8443/b/c/d;p?q"))
        #expect(base.resolving(reference)?.text == "https://a.example:8443" + expected)
    }

    @Test func resolvesWholeURLsAndHosts() throws {
        let base = try #require(WebURL("https://a.example?q"))
        #expect(base.resolving("x")?.text == "https://a.example/x")
        #expect(base.resolving("//b.example/x")?.text == "https://b.example/x")
        #expect(base.resolving("http://b.example/x")?.text == "http://b.example/x")
        for reference in ["javascript:alert(1)", "x:y", "a b", "//user@b.example/", "\\x", "%zz", "///x", "\u{1B}"] {
            #expect(base.resolving(reference) == nil, "\(reference)")
        }
    }

    @Test func takesThemApart() throws {
        let url = try #require(WebURL("https://A.Example:8443/p/q?x=1?2#f#g"))
        #expect(url.origin == Origin(scheme: .https, host: "a.example", port: 8443))
        #expect(url.path == "/p/q")
        #expect(url.query == "x=1?2")
        #expect(url.fragment == "f#g")
        #expect(url.description == "https://a.example:8443/p/q")
        #expect(WebURL("https://a.example?x")?.path == "")
        #expect(WebURL("http://[::1]/")?.origin.authority == "[::1]")
        #expect(WebURL("http://a.example:80/")?.origin.authority == "a.example")
    }

    @Test(arguments: [
        ("https://a.example/", true), ("http://a.example/", false), ("http://127.0.0.1/", true), ("http://127.255.255.254:8/", true),
        ("http://[::1]/", true),
        ("http://localhost/", false), ("http://127.0.0.1.evil.example/", false), ("http://127.1/", false), ("http://0127.0.0.1/", false),
        ("http://127.0.0.01/", false), ("http://127.0.0.256/", false), ("http://0.0.0.0/", false), ("http://128.0.0.1/", false),
    ])
    func protectsCredentials(_ text: String, _ isProtected: Bool) throws {
        #expect(try #require(WebURL(text)).isProtected == isProtected)
    }

    @Test func appendsToTheQuery() throws {
        #expect(WebURL("https://a.example/p")?.appending(query: [("a", "b c+d&é")])?.text == "https://a.example/p?a=b%20c%2Bd%26%C3%A9")
        #expect(WebURL("https://a.example/p?x=1")?.appending(query: [("a", "b")])?.text == "https://a.example/p?x=1&a=b")
        #expect(WebURL("https://a.example/p?")?.appending(query: [("a", "b")])?.text == "https://a.example/p?a=b")
        #expect(WebURL("https://a.example/p#f")?.appending(query: [("a", "b")])?.text == "https://a.example/p?a=b")
        #expect(WebURL("https://a.example/p")?.appending(query: [("a", String(repeating: "a", count: 9000))]) == nil)
    }

    @Test(arguments: ["https://a.example", "https://a.example/t/1", "http://127.0.0.1:8080/api/oidc", "https://a.example/"])
    func takesIssuers(_ text: String) {
        #expect(Issuer(text)?.text == text)
    }

    @Test(arguments: [
        "http://a.example", "http://localhost:8080", "https://a.example?x", "https://a.example#f", "https://a.example/?", "a.example", "",
    ])
    func refusesWhatIsNoIssuer(_ text: String) {
        #expect(Issuer(text) == nil)
    }

    @Test func comparesIssuersByteForByte() {
        #expect(Issuer("https://a.example") != Issuer("https://a.example/"))
        #expect(Issuer("https://a.example") != Issuer("https://A.example"))
    }
}
