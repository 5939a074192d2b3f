import AuthModel
import ProcessHarness
import Sandbox
import Synchronization
import OperatingSystem
import TestSupport
import Testing

@testable import CommandLineTool

/// `yett logout --browser`: the provider's own session, and what the program knows about it afterwards (RP-44, RP-45).
struct BrowserSignOutTests {
    private static let comesBack = "post_logout_redirect = \"http://127.0.0.1/callback\""

    private func signedIn(
        fault: String? = nil, more: String = comesBack, _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration(autoApproves: "ada")
        if let fault { configuration.faultSet = try FaultSet(names: [fault]) }
        try await withSandbox(configuration, more: more) { sandbox, world in
            try await world.signIn("--timeout", "600")
            try await body(sandbox, world)
            #expect(try await world.sessions().isEmpty)
        }
    }

    /// Signs out with a browser that follows redirects, on a clock that stands still: no browser comes too late.
    private func signOut(_ world: CommandWorld, _ options: String...) async -> CommandResult {
        await world.run(["logout", "--browser"] + options, time: ManualTime(now: world.time.now))
    }

    /// Returns the browser step of the only receipt.
    private func step(_ result: CommandResult) throws -> JSONValue {
        let steps = try result.json["receipts"]?.array?.first?["steps"]?.array
        return try #require(steps?.first { $0["step"] == "end_browser_session" })
    }

    /// The request with which the browser reached the provider.
    private func request(_ sandbox: SandboxServer) throws -> LoggedRequest { try #require(sandbox.requests.last { $0.path == "/logout" }) }

    /// The post-logout redirect of that request.
    private func redirect(_ sandbox: SandboxServer) throws -> WebURL {
        try #require(try request(sandbox).parameter("post_logout_redirect_uri").flatMap { WebURL($0) })
    }

    /// Other programs on the machine, and readers of a log, must see no token in a sign-out.
    private func expectNoToken(_ result: CommandResult, _ world: CommandWorld) throws {
        let opened = try #require(world.openedAddresses.last)
        #expect(opened.origin.host == "127.0.0.1" && opened.query == nil && opened.path.utf8.count == 44)
        #expect(!(result.output + result.errors + opened.text).contains("id_token_hint"))
        #expect(!(result.output + result.errors + opened.text).contains("eyJ"))
    }

    @Test func returningBrowserConfirmsTheSignOut() async throws {
        try await signedIn { sandbox, world in
            let result = await signOut(world)
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output == """
                    sandbox/ada: signed out
                      revoke the refresh token: done
                      revoke the access token: done
                      end the browser's session: done
                      forget here: done

                    """)
            let query = try request(sandbox).query
            #expect(query.map(\.name) == ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"])
            #expect(query.first?.value.hasPrefix("eyJ") == true && query.last?.value.count == 43)
            let redirect = try redirect(sandbox)
            #expect(redirect.text == "http://127.0.0.1:\(redirect.origin.port)/callback")
            try expectNoToken(result, world)
        }
    }

    @Test(arguments: [
        ("logout-state-missing", "without the expected state"), ("logout-state-wrong", "with the wrong state"),
    ])
    func wrongStateLeavesTheSignOutUnconfirmed(fault: String, says: String) async throws {
        try await signedIn(fault: fault) { _, world in
            let result = await signOut(world, "--json")
            #expect(result.status == 0, "\(result.errors)")
            let step = try step(result)
            #expect(step["outcome"] == "unconfirmed")
            #expect(step["reason"]?.string?.contains(says) == true)
            #expect(try result.json["receipts"]?.array?.first?["complete"] == true)
        }
    }

    @Test func browserThatDoesNotReturnIsReported() async throws {
        try await signedIn(fault: "logout-never", more: Self.comesBack + "\nlogin_timeout = 2") { sandbox, world in
            let result = await world.run(["logout", "--browser", "--json"], untilDeadlineAfter: .seconds(2)) { await world.visit($0) }
            #expect(result.status == 7, "\(result.errors)")
            let step = try step(result)
            #expect(step["outcome"] == "failed")
            #expect(step["reason"]?.string?.contains("did not come back in time") == true)
            #expect(step["queued"] == false)
            #expect(result.errors.contains("you may still be signed in at the provider in your browser"))
            #expect(!result.errors.contains("a token may stay valid"))
            let port = try redirect(sandbox).origin.port
            #expect(RawClient.connected(port: port) == nil)
        }
    }

    @Test func interruptEndsTheWaitButNotTheSignOut() async throws {
        try await signedIn { sandbox, world in
            let (interruptions, keyboard) = AsyncStream.makeStream(of: Interruption.self)
            let result = await world.run(
                "logout", "--browser", "--json", browser: .does { _ in keyboard.yield(.interrupt) }, interruptions: interruptions, exits: 3)
            #expect(try step(result)["outcome"] == "failed")
            #expect(sandbox.requests.filter { $0.path.contains("revoke") }.count == 2)
            let port = try #require(world.openedAddresses.last).origin.port
            #expect(RawClient.connected(port: port) == nil)
        }
    }

    @Test func withoutAPostLogoutRedirectTheBrowserIsAwaitedUntilItLeaves() async throws {
        try await signedIn(more: "") { sandbox, world in
            let result = await signOut(world, "--json")
            #expect(result.status == 0, "\(result.errors)")
            let leaves = sandbox.followRequests()
            for await request in leaves where request.path == "/logout" { break }
            #expect(try request(sandbox).query.map(\.name) == ["id_token_hint", "client_id"])
            let port = try #require(world.openedAddresses.last).origin.port
            #expect(RawClient.connected(port: port) == nil)
            try expectNoToken(result, world)
            let step = try step(result)
            #expect(step["outcome"] == "unconfirmed")
            #expect(step["reason"] == "the browser cannot return from there: no post_logout_redirect is configured")
            #expect(result.errors.contains(" for your browser to ask for it; "))
            #expect(result.errors.contains("/logout?client_id=yett\n"), "\(result.errors)")
        }
    }

    @Test func browserThatNeverLeavesIsReported() async throws {
        try await signedIn(more: "login_timeout = 2") { sandbox, world in
            let result = await world.run(["logout", "--browser", "--json"], untilDeadlineAfter: .seconds(2)) { _ in }
            #expect(result.status == 7, "\(result.errors)")
            let step = try step(result)
            #expect(step["outcome"] == "failed")
            #expect(step["reason"] == "the browser did not request the page in time, so its session may still be active")
            #expect(!sandbox.requests.contains { $0.path == "/logout" })
        }
    }

    @Test func withoutABrowserTheProgramDoesNotWait() async throws {
        try await signedIn(more: "") { (sandbox, world) async throws in
            let result = await world.run("logout", "--browser", "--json", browser: .isMissing, exits: 0)
            #expect(!result.errors.contains("waiting up to "))
            #expect(try step(result)["outcome"] == "unconfirmed")
            #expect(!sandbox.requests.contains { $0.path == "/logout" })
        }
    }

    /// Other programs can read the URL in the browser's arguments, so it is valid for one page load only.
    @Test func signOutURLIsValidOnce() async throws {
        try await signedIn { (sandbox, world) async throws in
            let answers = Mutex<[String]>([])
            await world.run(
                "logout", "--browser",
                browser: .does { url in
                    let port = url.origin.port
                    let host = "Host: \(url.origin.authority)\r\n"
                    for request in [
                        "POST \(url.path) HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n",
                        "GET \(url.path) HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                        "GET \(url.path)?x=1 HTTP/1.1\r\n\(host)\r\n", "GET \(url.path)x HTTP/1.1\r\n\(host)\r\n",
                        "GET \(url.path) HTTP/1.1\r\n\(host)Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n\r\n",
                        "GET \(url.path) HTTP/1.1\r\n\(host)\r\n", "GET \(url.path) HTTP/1.1\r\n\(host)\r\n",
                    ] {
                        let answer = await RawClient.exchange(port: port, request) ?? ""
                        answers.withLock { $0.append(answer) }
                    }
                    let location = answers.withLock { $0 }.lazy.compactMap { Self.location(in: $0) }.first
                    if let place = location.flatMap({ WebURL($0) }) { await world.visit(place) }
                }, exits: 0)
            let heard = answers.withLock { $0 }
            #expect(heard.map { Self.location(in: $0) != nil } == [false, false, false, false, false, true, false])
            #expect(heard[5].hasPrefix("HTTP/1.1 303 ") && heard[5].lowercased().contains("referrer-policy: no-referrer"))
            #expect(heard[5].lowercased().contains("cache-control: no-store"))
            #expect(heard[6].hasPrefix("HTTP/1.1 410 "))
            #expect(try request(sandbox).parameter("id_token_hint") != nil)
        }
    }

    private static func location(in answer: String) -> String? {
        answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("location: ") }.map { String($0.dropFirst("location: ".count)) }
    }

    @Test func occupiedPostLogoutPortIsSkipped() async throws {
        // The sandbox itself occupies the port.
        try await withEmptyHome(.lasting) { sandbox, world in
            try world.configure(
                issuer: sandbox.issuer, more: "post_logout_redirect = \"http://127.0.0.1:\(sandbox.port)/callback\"")
            try await world.signIn()
            let result = await signOut(world, "--json")
            #expect(result.status == 0, "\(result.errors)")
            // The program does not wait for this browser, so it may still be on its way.
            let leaves = sandbox.followRequests()
            for await request in leaves where request.path == "/logout" { break }
            let request = try request(sandbox)
            #expect(request.parameter("id_token_hint") != nil && request.parameter("post_logout_redirect_uri") == nil)
            #expect(try step(result)["reason"]?.string?.contains("port \(sandbox.port) is in use") == true)
        }
    }

    @Test func sshForwardingCommandIsShownOverSSH() async throws {
        try await signedIn { sandbox, world in
            let result = await world.run("logout", "--browser", with: ["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.9 22"], exits: 0)
            let port = try redirect(sandbox).origin.port
            #expect(result.errors.contains("ssh -L \(port):127.0.0.1:\(port) 192.0.2.9"))
        }
    }

    @Test(arguments: ["https://id.example.org/bye", "http://192.0.2.1/bye", "urn:ietf:wg:oauth:2.0:oob", "http://127.0.0.1/bye?x=1"])
    func postLogoutRedirectMustBeOnLoopback(address: String) async throws {
        let world = try CommandWorld.configured(issuer: "https://id.example.org", more: "post_logout_redirect = \"\(address)\"")
        let result = await world.run("providers", "list", exits: 2)
        #expect(result.errors.contains("the post_logout_redirect '\(address)' is refused"))
    }
}
