import AuthModel
import ProcessHarness
import Sandbox
import Synchronization
import OperatingSystem
import Testing

@testable import CommandLineTool

/// Callbacks of a Beyond Identity sign-in: which are accepted, which are refused, and that the sign-in continues.
struct BeyondIdentityCallbackTests: BeyondIdentityWorld {
    // MARK: Sign-out

    /// A session that cannot be ended at the backend is forgotten, and the receipt claims no more.
    @Test func signOutSaysThatTheBackendWasNotTold() async throws {
        try await mediated { _, world in
            try await world.signIn("bi")
            let result = await world.run("logout", "bi", exits: 0)
            #expect(result.output.contains("forgotten here; the provider was not told"))
            #expect(result.output.contains("revoke the access token: skipped, the backend does not support ending a session from here"))
        }
    }

    /// A backend with a sign-out URL is told; one that does not know the session has already ended it.
    @Test(arguments: [
        (nil, Int32(0), "revoke the access token: done"), (401, 0, "revoke the access token: done"), (503, 7, "revoke the access token: "),
    ])
    func signOutIsSentToTheBackend(status: Int?, exit: Int32, says: String) async throws {
        try await mediated(more: "sign_out_url = \"{origin}/sign-out\"") { server, world in
            try await world.signIn("bi")
            let token = await world.run("token", "bi").output.filter { !$0.isNewline }
            if let status { server.changeCommon { $0.failNext = ["/sign-out:\(status)"] } }
            let result = await world.run("logout", "bi")
            #expect(result.status == exit && result.output.contains(says), "\(result.output)\(result.errors)")
            #expect(server.calls(of: "/sign-out").first?.header("Authorization") == "Bearer \(token)")
            #expect(try await world.sessions().isEmpty)
        }
    }

    /// Without scopes in the configuration, the request still asks for `openid`.
    @Test func directModeRequestsOpenID() async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            """
            mode = "direct"
            authorization_endpoint = "\(origin)/v2/authorize"
            client_id = "acme-cloud"
            exchange_url = "\(origin)/exchange"
            """
        } _: { server, world in
            try await world.signIn("bi")
            #expect(server.calls(of: "/v2/authorize").map { $0.parameter("scope") } == ["openid"])
        }
    }

    // MARK: BI-3

    /// The state protects the sign-in from foreign callbacks: without it, or with another one, a callback changes nothing.
    @Test func onlyACallbackWithTheStateIsAccepted() async throws {
        try await mediated { server, world in
            let told = CallbackSender()
            await world.run(
                "login", "bi",
                browser: .does { url in
                    await told.send(answering: url) { path in
                        [
                            "\(path)?session=mine", "\(path)?session=mine&state=wrong", "\(path)?error=access_denied",
                            "\(path)/x?session=mine",
                        ]
                    }
                    await world.visit(url)
                }, exits: 0)
            #expect(told.statuses == ["400", "400", "400", "404"])
            #expect(await world.run("token", "bi").output != "mine\n")
            let states = server.calls(of: "/start").compactMap { $0.parameter("state") }
            #expect(states.count == 1 && states[0].utf8.count == 64)
        }
    }

    /// If the path is the secret, other paths are not found, and a callback without a session changes nothing.
    @Test func onlyTheWholePathWithASessionIsAccepted() async throws {
        try await mediated(query: "redirect={redirect}", more: "callback_path = \"random\"") { server, world in
            let told = CallbackSender()
            await world.run(
                "login", "bi",
                browser: .does { url in
                    await told.send(answering: url) { path in
                        ["/callback?session=mine", "/callback/?session=mine", path, path + "?session="]
                    }
                    await world.visit(url)
                }, exits: 0)
            #expect(told.statuses == ["404", "404", "400", "400"])
            #expect(await world.run("token", "bi").output != "mine\n")
            #expect(server.calls(of: "/start").count == 1)
        }
    }

    // MARK: BI-4

    /// After the sign-in the port is closed, and the session stays unchanged.
    @Test func callbackAfterTheEndChangesNothing() async throws {
        try await mediated { _, world in
            let redirect = Mutex<WebURL?>(nil)
            await world.run(
                "login", "bi",
                browser: .does { url in
                    redirect.withLock { $0 = Self.redirectURL(from: url) }
                    await world.visit(url)
                }, exits: 0)
            let place = try #require(redirect.withLock { $0 })
            let before = await world.run("token", "bi").output
            #expect(await RawClient.get("\(place.path)?session=late", port: place.origin.port) == nil)
            #expect(await world.run("token", "bi").output == before && !before.isEmpty)
        }
    }

    @Test func interruptCancelsAndClosesThePort() async throws {
        try await mediated { _, world in
            let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
            let port = Mutex(0)
            await world.run(
                "login", "bi",
                browser: .does { url in
                    port.withLock { $0 = Self.redirectURL(from: url)?.origin.port ?? 0 }
                    continuation.yield(.interrupt)
                }, interruptions: interruptions, exits: 3)
            #expect(await RawClient.get("/", port: port.withLock { $0 }) == nil)
        }
    }

    // MARK: BI-5

    /// The callback of a cancelled attempt is refused by the next one, which still succeeds.
    @Test func everyAttemptAcceptsOnlyItsOwnCallback() async throws {
        try await direct { server, world in
            let first = Mutex<String?>(nil)
            let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
            await world.run(
                "login", "bi",
                browser: .does { url in
                    let answer = await world.answer(to: url).flatMap(WebURL.init)
                    first.withLock { $0 = answer?.query }
                    continuation.yield(.interrupt)
                }, interruptions: interruptions, exits: 3)
            let old = try #require(first.withLock { $0 })
            let told = CallbackSender()
            await world.run(
                "login", "bi",
                browser: .does { url in
                    await told.send(answering: url) { ["\($0)?\(old)"] }
                    await world.visit(url)
                }, exits: 0)
            #expect(told.statuses == ["400"])
            let asked = server.calls(of: "/v2/authorize")
            #expect(asked.count == 2)
            for name in ["state", "code_challenge"] { #expect(Set(asked.map { $0.parameter(name) }).count == 2, "\(name)") }
            #expect(server.calls(of: "/exchange").count == 1)
        }
    }

    // MARK: BI-10

    private static func foreign(_ path: String) -> [String] {
        ["code=x&state=wrong", "code=x", "error=access_denied&state=wrong"].map { "\(path)?\($0)" }
    }

    /// No other program on this machine can end a sign-in, not even with an error.
    @Test func callbacksWithAnotherStateAreRefusedAndTheRightOneCounts() async throws {
        try await direct { server, world in
            let told = CallbackSender()
            await world.run(
                "login", "bi",
                browser: .does { url in
                    await told.send(answering: url, Self.foreign)
                    await world.visit(url)
                }, exits: 0)
            #expect(told.statuses == ["400", "400", "400"])
            #expect(server.calls(of: "/exchange").count == 1)
        }
    }

    @Test func onlyForeignCallbacksEndInASecurityRefusal() async throws {
        try await direct { server, world in
            let result = await world.run(["login", "bi", "--timeout", "2", "--json"], untilDeadlineAfter: .seconds(2)) { url in
                await CallbackSender().send(answering: url, Self.foreign)
            }
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains("3 responses"))
            let error = try result.errorObject
            #expect(error["rejected_callbacks"] == 3 && error["kind"] == "security" && error["exit"] == 8)
            #expect(result.output == "")
            #expect(server.calls(of: "/exchange").isEmpty)
            #expect(try await world.sessions().isEmpty)
        }
    }
}
