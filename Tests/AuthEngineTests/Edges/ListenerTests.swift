import AuthModel
import Crypto
import Glibc
import Localization
import NIOCore
import OAuth
import ProcessHarness
import Synchronization
import Testing

@testable import AuthEngine

/// The queries that a listener received.
final class Queries: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ query: String) { list.withLock { $0.append(query) } }
}

@Suite struct ListenerTests {
    /// Runs a listener that accepts `state=right`, denies `state=no` and ignores other queries, until `body` returns; returns the queries
    /// that the listener received.
    @discardableResult
    static func withListener(
        limits: ListenerLimits = ListenerLimits(), rules: [RedirectRule] = [.standard],
        _ body: @Sendable (LoopbackListener, Int) async throws -> Void
    ) async throws -> [String] {
        let listener = try await LoopbackListener.bind(rules: rules, port: nil, limits: limits)
        let port = try #require(listener.rule.port)
        let queries = Queries()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(AuthFailure) {
                    try await listener.serve { query in
                        queries.add(query)
                        return query.contains("state=right") ? .accepted : query.contains("state=no") ? .denied : .ignored
                    }
                } catch {
                    #expect(error.kind == .cancelled)
                }
            }
            try await body(listener, port)
            await listener.close()
            try await group.waitForAll()
        }
        return queries.all
    }

    @Test func bindsOnlyTheLoopbackAddress() async throws {
        try await Self.withListener { listener, port in
            #expect(listener.redirectURI == "http://127.0.0.1:\(port)/callback")
            #expect(Self.isOnlyOnLoopback(port, with: ListeningSockets.v4Loopback))
        }
        try await Self.withListener(rules: [RedirectRule(host: "localhost", port: nil, path: "/cb")]) { listener, port in
            #expect(listener.redirectURI == "http://localhost:\(port)/cb")
            #expect(Self.isOnlyOnLoopback(port, with: ListeningSockets.v4Loopback))
        }
    }

    /// Returns whether the port is open at this address and at no address that other machines reach. A listener of another test may have
    /// the same port at the other loopback address.
    private static func isOnlyOnLoopback(_ port: Int, with own: String) -> Bool {
        let addresses = ListeningSockets.addresses(port: port)
        return addresses.contains(own) && addresses.isSubset(of: [ListeningSockets.v4Loopback, ListeningSockets.v6Loopback])
    }

    @Test func answersOnBothAddressesOfLocalhost() async throws {
        let hasV6 = RawClient.connected(port: 9, v6: true) != nil || errno == ECONNREFUSED
        try #require(hasV6, "::1 is not available on this machine")
        let queries = try await Self.withListener(rules: [RedirectRule(host: "localhost", port: nil, path: "/cb")]) { _, port in
            let answer = await RawClient.exchange(port: port, "GET /cb?state=right HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n", v6: true)
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func bindsTheIPv6Literal() async throws {
        let queries = try await Self.withListener(rules: [RedirectRule(host: "::1", port: nil, path: "/cb")]) { listener, port in
            #expect(listener.redirectURI == "http://[::1]:\(port)/cb")
            #expect(Self.isOnlyOnLoopback(port, with: ListeningSockets.v6Loopback))
            let answer = await RawClient.exchange(port: port, "GET /cb?state=right HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n", v6: true)
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func passesTheRawQueryAndAnswersTheBrowser() async throws {
        let queries = try await Self.withListener { _, port in
            let headers =
                "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nCookie: a=\(String(repeating: "b", count: 20_000))\r\n"
            let answer = try #require(await RawClient.get("/callback?code=a%2Bb&state=right&x=%zz", port: port, headers: headers))
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("Yett received the response and continues in your terminal. You can close this tab."))
        }
        #expect(queries == ["code=a%2Bb&state=right&x=%zz"])
    }

    /// HTTP libraries that follow the provider's redirect name a mode of their own, as Node.js does, and nothing else that a browser does.
    @Test func libraryMayFollowTheRedirect() async throws {
        let queries = try await Self.withListener { _, port in
            let headers = "Accept: */*\r\nAccept-Language: *\r\nSec-Fetch-Mode: cors\r\nUser-Agent: node\r\n"
            let answer = await RawClient.get("/callback?state=right", port: port, headers: headers)
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func pagesAreStaticAndIsolated() async throws {
        let script = "%3Cscript%3Ealert(1)%3C/script%3E"
        for (query, page) in [("state=right", CallbackPage.received), ("state=no", .denied), ("state=other", .unexpectedCallback)] {
            try await Self.withListener { _, port in
                let target = "/callback?\(query)&code=verysecret&error_description=\(script)"
                let answer = try #require(await RawClient.get(target, port: port, headers: "Origin: https://evil.example\r\n"))
                let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
                #expect(parts.count == 2)
                #expect(parts.last.map(String.init) == page.html(in: .english))
                let head = parts.first?.lowercased() ?? ""
                for field in [
                    "cache-control: no-store", "x-content-type-options: nosniff", "referrer-policy: no-referrer",
                    "content-security-policy: default-src 'none'", "connection: close",
                ] { #expect(head.contains("\r\n" + field)) }
                #expect(!head.contains("access-control") && !head.contains("set-cookie") && !answer.contains("verysecret"))
            }
        }
        for page in CallbackPage.allCases {
            let html = page.html(in: .english)
            #expect(!html.contains("success") && !html.contains("src=") && !html.contains("href=") && !html.contains("url("))
        }
    }

    @Test(arguments: [
        ("", Language.english), ("de-AT,de;q=0.9,en;q=0.8", .german), ("fr, es;q=0.5, en;q=0.7", .english), ("es-419", .spanish),
        ("de;q=0, es", .spanish), (";;;,,q=", .english),
    ])
    func pageHasALanguageOfTheBrowser(field: String, language: Language) async throws {
        #expect(Language(acceptLanguage: [field]) == language)
        try await Self.withListener { _, port in
            let answer = try #require(await RawClient.get("/callback?state=right", port: port, headers: "Accept-Language: \(field)\r\n"))
            #expect(answer.contains("<html lang=\"\(language.rawValue)\">"))
            #expect(answer.hasSuffix(CallbackPage.received.html(in: language)))
        }
    }

    /// The browser applies the page's own style, and no other one.
    @Test func styleHasItsHash() {
        #expect(CallbackPage.received.html(in: .english).contains("<style>\(PageAnswer.style)</style>"))
        #expect(Base64.encode(Array(SHA256.hash(data: Array(PageAnswer.style.utf8)))) == PageAnswer.styleHash)
    }

    @Test(arguments: [
        ("POST /callback?state=right HTTP/1.1\r\nHost: @\r\nContent-Length: 0\r\n\r\n", 405),
        ("HEAD /callback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 405),
        (
            "OPTIONS /callback?state=right HTTP/1.1\r\nHost: @\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Private-Network: true\r\n\r\n",
            405
        ),
        ("GET /callback?state=right HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: localhost:#\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: @\r\nHost: evil.example\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\n\r\n", 400),
        ("GET http://127.0.0.1/callback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 400),
        ("GET /callback?x#state=right HTTP/1.1\r\nHost: @\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: @\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: @\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: @\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n", 400),
        ("GET /callback?state=right HTTP/1.1\r\nHost: @\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n\r\n", 400),
        ("GET /Callback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET /callback/?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET /%63allback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET //callback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET /x/../callback?state=right HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET /favicon.ico HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET / HTTP/1.1\r\nHost: @\r\n\r\n", 404),
        ("GET /callback?state=right HTTP/2.0\r\nHost: @\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 400),
        ("\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n", 400),
    ])
    func otherRequestsHaveNoEffect(_ request: String, _ status: Int) async throws {
        let queries = try await Self.withListener { _, port in
            let text = request.replacing("@", with: "127.0.0.1:\(port)").replacing("#\r", with: "\(port)\r")
            let answer = try #require(await RawClient.exchange(port: port, text))
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(!answer.lowercased().contains("access-control"))
            // The attempt continues: the provider's own response is still accepted.
            #expect(await RawClient.get("/callback?state=right", port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func wrongCallbacksHaveNoEffect() async throws {
        let wrong = ["error=access_denied", "", "state=wrong&code=x"]
        let queries = try await Self.withListener { _, port in
            for query in wrong { #expect(await RawClient.get("/callback?\(query)", port: port)?.hasPrefix("HTTP/1.1 400 ") == true) }
            #expect(await RawClient.get("/callback?state=right", port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
        #expect(queries == wrong + ["state=right"])
    }

    @Test func laterCallbacksReceiveStatus410() async throws {
        let queries = try await Self.withListener { _, port in
            #expect(await RawClient.get("/callback?state=right", port: port)?.hasPrefix("HTTP/1.1 200 ") == true)
            #expect(await RawClient.get("/callback?state=right", port: port)?.hasPrefix("HTTP/1.1 410 ") == true)
        }
        #expect(queries == ["state=right"])
    }

    @Test func onlyTheFirstRequestOfAConnectionCounts() async throws {
        let queries = try await Self.withListener { _, port in
            let one = "GET /favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            let two = "GET /callback?state=right HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
            #expect(await RawClient.exchange(port: port, one + two)?.hasPrefix("HTTP/1.1 404 ") == true)
        }
        #expect(queries.isEmpty)
    }

    @Test func listenersReceiveOnlyTheirOwnCallbacks() async throws {
        try await Self.withListener { _, first in
            let queries = try await Self.withListener { _, second in
                #expect(first != second)
                #expect(await RawClient.get("/callback?state=right&n=2", port: second)?.hasPrefix("HTTP/1.1 200 ") == true)
            }
            #expect(queries == ["state=right&n=2"])
            #expect(await RawClient.get("/callback?state=right&n=1", port: first)?.hasPrefix("HTTP/1.1 200 ") == true)
        }
    }
}
