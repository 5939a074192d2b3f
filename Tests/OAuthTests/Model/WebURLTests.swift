import AuthModel
import Testing

/// Strict parsing: a URL is accepted unchanged or rejected.
@Suite struct WebURLTests {
    @Test(arguments: [
        "https://a.example", "https://a.example/", "https://a.example:8443/p?q=1&r#f", "http://127.0.0.1:1/", "http://[::1]:8400/x",
        "HTTPS://A.example/B",
        "https://a.example/%20?x=%2B", "https://xn--80ak6aa92e.com/", "https://a_b.example/", "https://[2001:db8::7]/",
        "https://[::ffff:1.2.3.4]/", "https://[::]/", "https://[1:2:3:4:5:6:7:8]/",
    ])
    func acceptsValidURLs(_ text: String) {
        #expect(WebURL(text)?.text == text)
    }

    @Test(arguments: [
        ("https://a.example/p?x=1&y=2&x=3#f", "https://a.example/p?y=2#f"), ("https://a.example/p?x=1", "https://a.example/p"),
        ("https://a.example/p?x", "https://a.example/p"), ("https://a.example/p?xx=1", "https://a.example/p?xx=1"),
        ("https://a.example/p", "https://a.example/p"),
    ])
    func removesAQueryParameter(_ text: String, _ expected: String) {
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
        "https://127.1/", "https://127.1:8443", "https://0x7f.1/", "https://0177.0.0.1/", "https://2130706433/", "https://0x7f000001/",
        "https://a.0x/", "https://a.example.1/", "https://1.2.3.4.5/", "https://1.2.3.04/", "https://256.1.1.1/", "https://127.0.0.1./",
        "https://[:::]/", "https://[1.2.3.4]/", "https://[1::2::3]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[12345::]/",
    ])
    func rejectsInvalidURLs(_ text: String) {
        // SWF-09, TRM-14, TRM-15, TRM-18.
        #expect(WebURL(text) == nil)
    }

    /// RFC 3986 section 5.4, for the results that ``WebURL`` accepts.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q#s"), ("g#s", "/b/c/g#s"), ("g?y#s", "/b/c/g?y#s"), (";x", "/b/c/;x"), ("g;x=1/./y", "/b/c/g;x=1/y"),
        ("", "/b/c/d;p?q"), (".", "/b/c/"),
        ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"), ("../../../../g", "/g"),
        ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("g/../h", "/b/c/h"),
        ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"), ("a//b", "/b/c/a//b"),
    ])
    func resolvesRelativeReferences(_ reference: String, _ expected: String) throws {
        let base = try #require(WebURL("https://a.example:8443/b/c/d;p?q"))
        #expect(base.resolving(reference)?.text == "https://a.example:8443" + expected)
    }

    @Test func resolvesAbsoluteURLsAndHosts() throws {
        let base = try #require(WebURL("https://a.example?q"))
        #expect(base.resolving("x")?.text == "https://a.example/x")
        #expect(base.resolving("//b.example/x")?.text == "https://b.example/x")
        #expect(base.resolving("http://b.example/x")?.text == "http://b.example/x")
        for reference in ["javascript:alert(1)", "x:y", "a b", "//user@b.example/", "\\x", "%zz", "///x", "\u{1B}"] {
            #expect(base.resolving(reference) == nil, "\(reference)")
        }
    }

    @Test func splitsAURLIntoItsParts() throws {
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
        ("http://localhost/", false), ("http://127.0.0.1.evil.example/", false), ("http://0.0.0.0/", false), ("http://128.0.0.1/", false),
        ("http://[::ffff:127.0.0.1]/", false), ("http://[::]/", false), ("http://[::127.0.0.1]/", false),
    ])
    func onlyHTTPSAndLoopbackLiteralsAreProtected(_ text: String, _ isProtected: Bool) throws {
        #expect(try #require(WebURL(text)).isProtected == isProtected)
    }

    @Test func appendsToTheQuery() throws {
        #expect(WebURL("https://a.example/p")?.appending(query: [("a", "b c+d&é")])?.text == "https://a.example/p?a=b%20c%2Bd%26%C3%A9")
        #expect(WebURL("https://a.example/p?x=1")?.appending(query: [("a", "b")])?.text == "https://a.example/p?x=1&a=b")
        #expect(WebURL("https://a.example/p?")?.appending(query: [("a", "b")])?.text == "https://a.example/p?a=b")
        #expect(WebURL("https://a.example/p#f")?.appending(query: [("a", "b")])?.text == "https://a.example/p?a=b")
        #expect(WebURL("https://a.example/p")?.appending(query: [("a", String(repeating: "a", count: 9000))]) == nil)
    }

    @Test(arguments: [
        "https://a.example", "https://a.example/t/1", "http://127.0.0.1:8080/api/oidc", "https://a.example/", "http://localhost:8080",
    ])
    func acceptsValidIssuers(_ text: String) {
        #expect(Issuer(text)?.text == text)
    }

    @Test(arguments: [
        "http://a.example", "http://a.localhost:8080", "http://localhost.example",
        "https://a.example?x", "https://a.example#f", "https://a.example/?", "a.example", "",
    ])
    func rejectsInvalidIssuers(_ text: String) {
        #expect(Issuer(text) == nil)
    }

    @Test func comparesIssuersByteForByte() {
        #expect(Issuer("https://a.example") != Issuer("https://a.example/"))
        #expect(Issuer("https://a.example") != Issuer("https://A.example"))
    }

    // MARK: Local addresses

    @Test(arguments: [
        ("https://[0:0:0:0:0:0:0:1]/", "::1"), ("https://[::0001]/", "::1"), ("https://[2001:DB8:0:0:1:0:0:1]/", "2001:db8::1:0:0:1"),
        ("https://[1:0:2:0:0:0:3:4]/", "1:0:2::3:4"), ("https://[1:0:2:3:4:5:6:7]/", "1:0:2:3:4:5:6:7"),
        ("https://[::7f00:1]/", "::7f00:1"),
        ("https://[::FFFF:7F00:1]/", "::ffff:127.0.0.1"), ("https://[0::0]/", "::"), ("https://[1::]/", "1::"),
    ])
    func ipv6AddressesAreComparedByValue(_ text: String, _ host: String) throws {
        #expect(try #require(WebURL(text)).origin.host == host)
    }

    @Test(arguments: [
        "https://127.0.0.1:8443", "https://127.9.9.9/", "https://[::1]/", "https://[0:0:0:0:0:0:0:1]/", "https://localhost/",
        "https://LOCALHOST/", "https://a.localhost/", "https://0.0.0.0/", "https://0.1.2.3/", "https://[::]/",
        "https://[::ffff:127.0.0.1]/", "https://[::FFFF:7f00:1]/", "https://[::ffff:0.0.0.0]/", "https://[::127.0.0.1]/",
        "https://ip6-localhost/", "https://localhost.localdomain/",
    ])
    func everyLocalNameIsThisMachine(_ text: String) throws {
        #expect(try #require(WebURL(text)).origin.isThisMachine)
    }

    @Test(arguments: [
        "https://a.example/", "https://128.0.0.1/", "https://1.2.3.4/", "https://[::ffff:1.2.3.4]/", "https://[2001:db8::1]/",
        "https://localhost.example/", "https://127.0.0.1.example/",
    ])
    func remoteHostsAreNotThisMachine(_ text: String) throws {
        #expect(try #require(WebURL(text)).origin.isThisMachine == false)
    }

    /// Hosts that a redirect from the public Internet may not lead to.
    @Test(arguments: [
        ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.1.1", true), ("192.169.1.1", false),
        ("169.254.169.254", true), ("100.64.0.1", true), ("100.128.0.1", false), ("224.0.0.1", true), ("8.8.8.8", false),
        ("[fd00:ec2::254]", true), ("[fe80::1]", true), ("[::ffff:10.0.0.1]", true), ("[2606:4700::1111]", false),
        ("[64:ff9b::a00:1]", true), ("[2002:a00:1::1]", true), ("[::1]", true), ("127.0.0.1", true), ("localhost", true),
        ("intranet", true), ("printer.local", true),
        ("metadata.google.internal", true), ("codeload.github.com", false), ("local.example", false),
    ])
    func privateHostsAreKnown(_ host: String, _ isPrivate: Bool) throws {
        #expect(try #require(WebURL("https://\(host)/")).origin.isPrivate == isPrivate)
    }

    // MARK: Normalization (RFC 3986 section 6.2.2)

    @Test(arguments: [
        ("HTTPS://A.Example:443", "https://a.example/"), ("https://a.example?q", "https://a.example/?q"),
        ("http://127.0.0.1:80/x", "http://127.0.0.1/x"), ("https://a.example/%7euser/%41", "https://a.example/~user/A"),
        ("https://a.example/a%2fb%c3%a9", "https://a.example/a%2Fb%C3%A9"), ("https://a.example/a/./b/../c", "https://a.example/a/c"),
        ("https://a.example/a/%2e/b/%2E%2e/c", "https://a.example/a/c"), ("https://a.example/a/..", "https://a.example/"),
        ("https://a.example/a/b/.", "https://a.example/a/b/"), ("https://a.example/a//b", "https://a.example/a//b"),
        ("https://a.example/portal/sharing/../../evil", "https://a.example/evil"),
        ("https://a.example/a?x=%2e%2f", "https://a.example/a?x=.%2F"),
        ("https://a.example/...;x/..a", "https://a.example/...;x/..a"), ("https://a.example/100%25", "https://a.example/100%25"),
        ("https://[0:0:0:0:0:0:0:1]:8443/", "https://[::1]:8443/"),
    ])
    func normalizesURLs(_ text: String, _ normalized: String) throws {
        let form = try #require(WebURL(text)?.normalized)
        #expect(form.text == normalized)
        #expect(form.normalized == form && form.hasUnambiguousPath)
    }

    @Test(arguments: [
        "/..", "/../a", "/a/../../b", "/%2e%2e/a", "/a/.%2e/../..", "/a/..;x/b", "/a/..;/b", "/a/%2e%2e;x=1/b", "/a/.;x/b", "/a/..%3b/b",
        "/a/..%2fb", "/a%2f..%2fb", "/a/%2e%2e%2fb", "/a/..%5cb", "/a%5c..%5cb", "/a%5Cb", "/a/%252e%252e/b", "/a/%25%32%65/b",
        "/a%252fb", "/a/..%00/b", "/a%0a", "/a%7f", "/%c0%ae%c0%ae/a", "/a/..%20/b", "/a%ff",
    ])
    func ambiguousPathsAreNotNormalized(_ path: String) throws {
        let url = try #require(WebURL("https://a.example" + path))
        #expect(url.normalized == nil && !url.hasUnambiguousPath)
    }

    @Test(arguments: [
        ("https://a.example/portal/sharing", true), ("https://a.example/portal/sharing/rest", true),
        ("https://A.example:443/portal/./sharing/rest", true), ("https://a.example/portal/sharingx", false),
        ("https://a.example/portal", false), ("https://a.example/portal/sharing/../x", false),
        ("https://a.example/portal/sharing/%2e%2e/x", false), ("https://a.example/portal/sharing%2Frest", false),
        ("https://a.example/portal/sharing/a%2Fb", false), ("https://a.example:8443/portal/sharing", false),
        ("http://a.example/portal/sharing", false), ("https://b.example/portal/sharing", false),
        ("https://a.example/Portal/sharing", false),
    ])
    func pathPrefixMatchesWholeSegments(_ text: String, _ isInside: Bool) throws {
        let place = try #require(WebURL("https://a.example/portal/sharing/"))
        #expect(try #require(WebURL(text)).lies(in: place) == isInside)
    }
}
