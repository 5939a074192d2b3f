import AuthModel
import ProcessHarness
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool

/// The port that a sign-in opens, tested by the command: its address, what it accepts and what it answers.
struct LoopbackCommandTests {
    /// Signs in. Once the browser is opened, `body` sends its own requests to the port, and then the provider's answer follows.
    ///
    /// In the browser alone: on a busy machine, the device flow beside it would be faster.
    private func signIn(
        _ arguments: [String] = ["login", "--flow", "browser"], redirect rule: String? = nil,
        _ body: @escaping @Sendable (Int, WebURL) async -> Void
    ) async throws -> (result: CommandResult, requests: [LoggedRequest], world: CommandWorld) {
        var outcome: (CommandResult, [LoggedRequest], CommandWorld)?
        try await withSandbox(SignInTests.honest, more: rule.map { "redirect = \"\($0)\"" } ?? "") { server, world in
            let result = await world.run(
                arguments,
                browser: .does { url in
                    guard let text = await world.answer(to: url), let answer = WebURL(text) else { return }
                    await body(answer.origin.port, answer)
                    _ = await RawClient.exchange(
                        port: answer.origin.port,
                        "GET \(answer.path)?\(answer.query ?? "") HTTP/1.1\r\nHost: \(answer.origin.authority)\r\n\r\n",
                        v6: answer.origin.host == "::1")
                })
            outcome = (result, server.requests, world)
        }
        return try #require(outcome)
    }

    @Test(arguments: [("http://127.0.0.1/callback", ListeningSockets.v4Loopback), ("http://[::1]/callback", ListeningSockets.v6Loopback)])
    func portIsOpenOnLoopbackOnly(rule: String, address: String) async throws {
        let found = Mutex<Set<String>>([])
        let (result, requests, _) = try await signIn(redirect: rule) { port, _ in
            found.withLock { $0 = ListeningSockets.addresses(port: port) }
        }
        #expect(result.status == 0, "\(result.errors)")
        #expect(found.withLock { $0 } == [address])
        let redirect = try #require(requests.first { $0.path == "/authorize" }?.parameter("redirect_uri"))
        #expect(redirect.hasPrefix(rule.hasPrefix("http://[") ? "http://[::1]:" : "http://127.0.0.1:"))
    }

    @Test func onlyTheProvidersAnswerCounts() async throws {
        let answers = Mutex<[String]>([])
        let (result, requests, _) = try await signIn { port, answer in
            let query = answer.query ?? ""
            let host = "Host: 127.0.0.1:\(port)\r\n"
            let script = "%3Cscript%3Ealert(1)%3C/script%3E"
            for request in [
                "POST /callback?\(query) HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n", "HEAD /callback?\(query) HTTP/1.1\r\n\(host)\r\n",
                "OPTIONS /callback HTTP/1.1\r\n\(host)Origin: https://evil.example\r\nAccess-Control-Request-Private-Network: true\r\n\r\n",
                "GET /callback?\(query) HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                "GET /callback?error=access_denied&error_description=\(script) HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?code=stolen&state=guessed HTTP/1.1\r\n\(host)\r\n", "GET /favicon.ico HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?\(query)&x=\(String(repeating: "x", count: 4_000_000)) HTTP/1.1\r\n\(host)\r\n",
            ] {
                let answer = await RawClient.exchange(port: port, request) ?? ""
                answers.withLock { $0.append(answer) }
            }
        }
        #expect(result.status == 0, "\(result.errors)")
        let heard = answers.withLock { $0 }
        #expect(heard.count == 8)
        for answer in heard {
            #expect(!answer.hasPrefix("HTTP/1.1 2"))
            #expect(!answer.lowercased().contains("access-control") && !answer.contains("script"))
        }
        // None of them reached the provider.
        #expect(requests.filter { $0.path == "/token" }.count == 1)
        #expect(!requests.contains { $0.field("code") == "stolen" })
    }

    @Test func successPageContainsNothingOfTheAnswer() async throws {
        let page = Mutex("")
        let (result, requests, _) = try await signIn { port, answer in
            let text = await RawClient.get("/callback?\(answer.query ?? "")", port: port) ?? ""
            page.withLock { $0 = text }
        }
        #expect(result.status == 0, "\(result.errors)")
        let text = page.withLock { $0 }
        let code = try #require(requests.first { $0.path == "/token" }?.field("code"))
        #expect(text.hasPrefix("HTTP/1.1 200 ") && !text.contains(code))
        for field in ["cache-control: no-store", "x-content-type-options: nosniff", "referrer-policy: no-referrer", "default-src 'none'"] {
            #expect(text.lowercased().contains(field))
        }
        #expect(!text.contains("src=") && !text.contains("href="))
    }

    @Test func concurrentSignInsGetTheirOwnAnswers() async throws {
        try await withSandbox(SignInTests.honest) { server, world in
            // Each browser waits until both sign-ins are open, and calls the other one first.
            let waiting = Mutex<[WebURL]>([])
            let both = AsyncStream.makeStream(of: Void.self)
            let browser = CommandWorld.Browser.does { url in
                guard let text = await world.answer(to: url), let own = WebURL(text) else { return }
                let count = waiting.withLock {
                    $0.append(own)
                    return $0.count
                }
                if count == 2 { both.continuation.finish() }
                for await _ in both.stream {}
                for other in waiting.withLock({ $0 }) where other != own {
                    _ = await RawClient.get("/callback?\(own.query ?? "")", port: other.origin.port)
                }
                _ = await RawClient.get("/callback?\(own.query ?? "")", port: own.origin.port)
            }
            async let first = world.run("login", "--account", "one", browser: browser)
            async let second = world.run("login", "--account", "two", browser: browser)
            let results = await [first, second]
            #expect(results.allSatisfy { $0.status == 0 }, "\(results.map(\.errors))")
            let requests = server.requests.filter { $0.path == "/authorize" }
            for name in ["state", "nonce", "code_challenge", "redirect_uri"] {
                #expect(Set(requests.map { $0.parameter(name) }).count == 2, "\(name)")
            }
            let redeemed = server.requests.filter { $0.path == "/token" }
            #expect(redeemed.count == 2 && Set(redeemed.map { $0.field("code_verifier") }).count == 2)
        }
    }

    /// A malicious provider redirects the browser to an honest one, with the state of its own sign-in.
    @Test func codeOfAnotherProviderIsNotSentToTheRequestedOne() async throws {
        try await SandboxServer.running(SignInTests.honest) { honest in
            try await withSandbox(SignInTests.honest) { (evil, world) async throws in
                let result = await world.run(
                    "login", "--timeout", "300",
                    browser: .does { url in
                        guard let forwarded = WebURL(honest.issuer + "/authorize?" + (url.query ?? "")),
                            let text = await world.answer(to: forwarded), let answer = WebURL(text)
                        else { return }
                        _ = await RawClient.get("\(answer.path)?\(answer.query ?? "")", port: answer.origin.port)
                    }, exits: 8)
                #expect(result.errors.contains("iss"))
                #expect(honest.requests.contains { $0.path == "/authorize" })
                #expect(!evil.requests.contains { $0.path == "/token" } && !honest.requests.contains { $0.path == "/token" })
                #expect(try await world.sessions().isEmpty)
            }
        }
    }
}
