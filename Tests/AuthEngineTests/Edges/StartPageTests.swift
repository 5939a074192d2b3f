import AuthModel
import Glibc
import Localization
import ProcessHarness
import TestSupport
import Testing

@testable import AuthEngine

/// The page whose form starts a sign-in: only the user's click on what the page shows now does.
@Suite struct StartPageTests {
    private static func page(_ scopes: String...) throws -> StartPage {
        try #require(StartPage(host: "mcp.example.org", session: "work/ada", scopes: scopes))
    }

    /// A page at a port, and what a browser sends to it.
    private struct Site: Sendable {
        let listener: StartPageListener
        let port: Int
        let path: String

        init(_ listener: StartPageListener) {
            (self.listener, port, path) = (listener, listener.address.origin.port, listener.address.path)
        }

        var origin: String { "http://127.0.0.1:\(port)" }

        func get(_ headers: String = "") async -> String { await RawClient.get(path, port: port, headers: headers) ?? "" }

        /// The one-time value in the page.
        func once() async -> String { String(await get().firstMatch(of: /name="once" value="([^"]+)"/)?.output.1 ?? "") }

        /// Sends the form as a browser does, except for `change`.
        func post(_ body: String, _ change: (String) -> String = { $0 }) async -> String {
            let request = """
                POST \(path) HTTP/1.1\r
                Host: 127.0.0.1:\(port)\r
                Origin: \(origin)\r
                Sec-Fetch-Site: same-origin\r
                Sec-Fetch-Mode: navigate\r
                Sec-Fetch-Dest: document\r
                Content-Type: application/x-www-form-urlencoded\r
                Content-Length: \(body.utf8.count)\r
                \r
                \(body)
                """
            return await RawClient.exchange(port: port, change(request)) ?? ""
        }
    }

    /// Runs a page until `body` returns. Returns the numbers of the offers that were accepted.
    private static func withSite(_ body: (Site) async throws -> Void) async throws -> [Int] {
        let listener = try await StartPageListener.open()
        try await body(Site(listener))
        await listener.close()
        var clicks: [Int] = []
        for await click in listener.clicks { clicks.append(click) }
        return clicks
    }

    @Test func clickStartsTheSignInOnce() async throws {
        let clicks = try await Self.withSite { site in
            #expect(await site.get().hasPrefix("HTTP/1.1 410 "))
            let number = site.listener.offer(try Self.page("mcp:write"))
            let once = await site.once()
            #expect(once.utf8.count == 43 && site.path.utf8.count == 44)
            let first = await site.post("once=\(once)")
            #expect(first.hasPrefix("HTTP/1.1 200 ") && first.contains("Sign-in started") && !first.contains("<form"), "\(first)")
            // The same click again, and the page that was left open.
            for _ in 0..<2 { #expect(await site.post("once=\(once)").contains("Sign-in started")) }
            #expect(await site.get().contains("Sign-in started"))
            site.listener.withdraw()
            #expect(await site.post("once=\(once)").hasPrefix("HTTP/1.1 410 "))
            #expect(await site.get().hasPrefix("HTTP/1.1 410 "))
            // The value of an earlier offer does not start a later one.
            #expect(site.listener.offer(try Self.page("mcp:write")) == number + 1)
            #expect(await site.post("once=\(once)").hasPrefix("HTTP/1.1 409 "))
            #expect(await site.once() != once)
        }
        #expect(clicks == [1])
    }

    /// A server that asks for more after the page was opened: the user agrees to what the page showed, and to nothing else.
    @Test func clickCountsForWhatThePageShowed() async throws {
        let clicks = try await Self.withSite { site in
            _ = site.listener.offer(try Self.page("mcp:read"))
            let once = await site.once()
            _ = site.listener.offer(try Self.page("mcp:read", "mcp:admin"))
            let answer = await site.post("once=\(once)")
            #expect(
                answer.hasPrefix("HTTP/1.1 409 ") && answer.contains("<li>mcp:admin</li>") && answer.contains("has changed"), "\(answer)")
            _ = await site.post("once=\(await site.once())")
        }
        #expect(clicks == [2])
    }

    @Test(arguments: [
        ("Origin: http://127.0.0.1", "Origin: https://evil.example", 400), ("Origin: http://127.0.0.1", "Origin: http://localhost", 400),
        ("Origin: http://127.0.0.1:#", "Origin: null", 400), ("Origin: http://127.0.0.1:#", "Origin: http://127.0.0.1:1", 400),
        ("Origin: ", "X-Origin: ", 400), ("Origin: http:", "Origin: https://evil.example\r\nOrigin: http:", 400),
        ("Host: 127.0.0.1", "Host: evil.example", 400), ("Host: 127.0.0.1", "Host: localhost", 400),
        ("Host: ", "Host: evil.example\r\nHost: ", 400), ("Host: ", "X-Host: ", 400),
        ("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site", 400),
        ("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: same-site", 400),
        ("Sec-Fetch-Mode: navigate", "Sec-Fetch-Mode: no-cors", 400), ("Sec-Fetch-Dest: document", "Sec-Fetch-Dest: iframe", 400),
        ("Sec-Fetch-Dest: document", "Sec-Fetch-Dest: empty", 400), ("x-www-form-urlencoded", "json", 400),
        ("application/x-www-form-urlencoded", "text/plain", 400), (" HTTP/1.1", "?once=x HTTP/1.1", 404), ("POST /", "POST /x", 404),
        ("POST /", "PUT /", 405), ("POST /", "OPTIONS /", 405), ("once=", "twice=", 409), ("once=", "ONCE=", 409),
    ])
    func otherRequestsStartNothing(part: String, replacement: String, status: Int) async throws {
        let clicks = try await Self.withSite { site in
            _ = site.listener.offer(try Self.page())
            let once = await site.once()
            let answer = await site.post("once=\(once)") {
                let changed = $0.replacing(part.replacing("#", with: "\(site.port)"), with: replacement)
                #expect(changed != $0)
                // The length of the body changes only where the body does.
                return changed.replacing("Content-Length: 48\r\n\r\ntwice", with: "Content-Length: 49\r\n\r\ntwice")
            }
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(!answer.lowercased().contains("access-control"))
        }
        #expect(clicks == [])
    }

    /// A prefetch, an image of another site, and the value in the address instead of the form.
    @Test func readingStartsNothing() async throws {
        let clicks = try await Self.withSite { site in
            _ = site.listener.offer(try Self.page())
            let once = await site.once()
            #expect(await site.get("Sec-Purpose: prefetch;prerender\r\nPurpose: prefetch\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(await site.get("Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n").hasPrefix("HTTP/1.1 400 "))
            #expect(await RawClient.get("\(site.path)?once=\(once)", port: site.port)?.hasPrefix("HTTP/1.1 404 ") == true)
            #expect(await RawClient.get("/", port: site.port)?.hasPrefix("HTTP/1.1 404 ") == true)
            let body = "GET \(site.path) HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nContent-Length: 48\r\n\r\nonce=\(once)"
            #expect(await RawClient.exchange(port: site.port, body)?.hasPrefix("HTTP/1.1 400 ") == true)
        }
        #expect(clicks == [])
    }

    /// Another user reads the page, and sends exactly the form that this user's browser sends.
    @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"))
    func anotherUserNeitherReadsNorStarts() async throws {
        let clicks = try await Self.withSite { site in
            _ = site.listener.offer(try Self.page())
            let body = "once=\(await site.once())"
            let headers = "Host: 127.0.0.1:\(site.port)\\r\\nOrigin: \(site.origin)\\r\\n"
            let form = "Content-Type: application/x-www-form-urlencoded\\r\\nContent-Length: \(body.utf8.count)\\r\\n\\r\\n\(body)"
            func send(_ request: String, as command: String) async throws -> String {
                let folder = try TestFolder()
                try await folder.shellBesideTasks(
                    "\(command) bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(site.port); printf \"\(request)\" >&3; cat <&3' >answer")
                return folder.read("answer") ?? ""
            }
            let other = "setpriv --reuid=65534 --clear-groups"
            let read = try await send("GET \(site.path) HTTP/1.1\\r\\n\(headers)\\r\\n", as: other)
            #expect(read.hasPrefix("HTTP/1.1 400 ") && !read.contains("once"), "\(read)")
            #expect(try await send("POST \(site.path) HTTP/1.1\\r\\n\(headers)\(form)", as: other).hasPrefix("HTTP/1.1 400 "))
            #expect(try await send("POST \(site.path) HTTP/1.1\\r\\n\(headers)\(form)", as: "").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(clicks == [1])
    }

    /// Names come from the configuration and from servers.
    @Test func namesAreTextOnThePage() async throws {
        let names = "a\"><script>alert(1)</script>&'\u{202E}\u{1B}"
        let page = try #require(StartPage(host: names, session: names, scopes: [names]))
        for language in Language.allCases {
            let answer = page.answer(in: language, once: "x", hasChanged: true)
            #expect(
                answer.body.matches(of: /a&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;&#39;\?\?/).count == 3, "\(answer.body)")
            #expect(!answer.body.contains("<script") && answer.body.contains("<html lang=\"\(language.rawValue)\">"))
            #expect(!answer.body.contains("start_page."))
        }
    }

    /// The user would agree to what the page does not show.
    @Test func pageShowsEverythingOrDoesNotExist() {
        #expect(StartPage(host: "a", session: "b", scopes: Array(repeating: "c", count: 65)) == nil)
        #expect(StartPage(host: "a", session: "b", scopes: [String(repeating: "c", count: 201)]) == nil)
    }

    @Test func pageIsIsolated() async throws {
        _ = try await Self.withSite { site in
            _ = site.listener.offer(try Self.page())
            let answer = await site.get()
            for field in [
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "Connection: close",
                // Browsers would write "Origin: null" for the form if it were no-referrer.
                "Referrer-Policy: same-origin",
                "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(PageAnswer.styleHash)'; base-uri 'none'; "
                    + "form-action 'self'; frame-ancestors 'none'",
            ] { #expect(answer.contains("\r\n\(field)\r\n"), "\(field)") }
            #expect(!answer.contains("src=") && !answer.contains("href=") && !answer.contains("action="))
        }
    }
}
