import AuthModel
import RawSockets
import Sandbox
import Synchronization
import TestClocks
import Testing

@testable import YettCommand

/// What comes back to this machine from a sign-in at Beyond Identity: what is taken, what is refused, and what goes on all the same.
struct BeyondIdentityReturnTests {
    private func direct(_ body: (VendorServer<BeyondIdentitySettings>, CommandWorld) async throws -> Void) async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            """
            mode = "direct"
            authorization_endpoint = "\(origin)/v2/authorize"
            client_id = "acme-cloud"
            scopes = ["openid"]
            exchange_url = "\(origin)/exchange"
            """
        } _: { server, world in
            try await body(server, world)
        }
    }

    private func mediated(_ body: (VendorServer<BeyondIdentitySettings>, CommandWorld) async throws -> Void) async throws {
        try await withVendor(BeyondIdentitySettings(), as: "bi") { origin in
            "mode = \"rp-initiated\"\nurl = \"\(origin)/start?redirect={redirect}\""
        } _: { server, world in
            try await body(server, world)
        }
    }

    /// What a browser is told that brings each of these to the port, in order.
    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])

        var statuses: [String] { lines.withLock { $0 }.map { String($0.split(separator: " ").dropFirst().first ?? "nothing") } }

        func bring(_ target: String, to port: Int) async {
            let answer = await RawClient.get(target, port: port) ?? ""
            lines.withLock { $0.append(String(answer.prefix { $0 != "\r" })) }
        }
    }

    private static func parameter(_ name: String, of url: WebURL) -> String? {
        FormEncoding.decode(url.query ?? "")?.first { $0.name == name }?.value
    }

    // MARK: BI-3

    /// The path alone keeps others from answering: without it there is nothing, and what lacks the session changes nothing.
    @Test func onlyTheWholePathWithASessionIsTaken() async throws {
        try await mediated { server, world in
            let told = Told()
            let result = await world.run(
                "login", "bi",
                browser: .does { url in
                    guard let redirect = Self.parameter("redirect", of: url).flatMap(WebURL.init) else { return }
                    let port = redirect.origin.port
                    for target in ["/callback?session=mine", "/callback/?session=mine", redirect.path, redirect.path + "?session="] {
                        await told.bring(target, to: port)
                    }
                    await world.visit(url)
                })
            #expect(result.status == 0, "\(result.errors)")
            #expect(told.statuses == ["404", "404", "400", "400"])
            #expect(await world.run("token", "bi").output != "mine\n")
            #expect(server.calls(of: "/start").count == 1)
        }
    }

    // MARK: BI-4

    /// After it is over the port is closed; what knocks there finds nobody, and the session stays as it is.
    @Test func answerAfterTheEndChangesNothing() async throws {
        try await mediated { _, world in
            let redirect = Mutex<WebURL?>(nil)
            let result = await world.run(
                "login", "bi",
                browser: .does { url in
                    redirect.withLock { $0 = Self.parameter("redirect", of: url).flatMap(WebURL.init) }
                    await world.visit(url)
                })
            #expect(result.status == 0, "\(result.errors)")
            let place = try #require(redirect.withLock { $0 })
            let before = await world.run("token", "bi").output
            #expect(await RawClient.get("\(place.path)?session=late", port: place.origin.port) == nil)
            #expect(await world.run("token", "bi").output == before && !before.isEmpty)
        }
    }

    @Test func interruptionCancelsAndClosesThePort() async throws {
        try await mediated { _, world in
            let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
            let port = Mutex(0)
            let result = await world.run(
                "login", "bi",
                browser: .does { url in
                    port.withLock { $0 = Self.parameter("redirect", of: url).flatMap(WebURL.init)?.origin.port ?? 0 }
                    continuation.yield(.interrupt)
                }, interruptions: interruptions)
            #expect(result.status == 3, "\(result.errors)")
            #expect(await RawClient.get("/", port: port.withLock { $0 }) == nil)
        }
    }

    // MARK: BI-5

    /// The answer to an attempt that was given up is none to the next one, which ends well all the same.
    @Test func everyAttemptTakesItsOwnAnswerAlone() async throws {
        try await direct { server, world in
            let first = Mutex<String?>(nil)
            let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
            let cancelled = await world.run(
                "login", "bi",
                browser: .does { url in
                    let answer = await world.answer(to: url).flatMap(WebURL.init)
                    first.withLock { $0 = answer?.query }
                    continuation.yield(.interrupt)
                }, interruptions: interruptions)
            #expect(cancelled.status == 3, "\(cancelled.errors)")
            let old = try #require(first.withLock { $0 })
            let told = Told()
            let result = await world.run(
                "login", "bi",
                browser: .does { url in
                    guard let redirect = Self.parameter("redirect_uri", of: url).flatMap(WebURL.init) else { return }
                    await told.bring("\(redirect.path)?\(old)", to: redirect.origin.port)
                    await world.visit(url)
                })
            #expect(result.status == 0, "\(result.errors)")
            #expect(told.statuses == ["400"])
            let asked = server.calls(of: "/v2/authorize")
            #expect(asked.count == 2)
            for name in ["state", "code_challenge"] { #expect(Set(asked.map { $0.parameter(name) }).count == 2, "\(name)") }
            #expect(server.calls(of: "/exchange").count == 1)
        }
    }

    // MARK: BI-10

    private static let foreign = ["code=x&state=wrong", "code=x", "error=access_denied&state=wrong"]

    /// Nobody on this machine can end a sign-in, not with an error either.
    @Test func answersOfAnotherStateAreRefusedAndTheGoodOneStillCounts() async throws {
        try await direct { server, world in
            let told = Told()
            let result = await world.run(
                "login", "bi",
                browser: .does { url in
                    guard let redirect = Self.parameter("redirect_uri", of: url).flatMap(WebURL.init) else { return }
                    for query in Self.foreign { await told.bring("\(redirect.path)?\(query)", to: redirect.origin.port) }
                    await world.visit(url)
                })
            #expect(result.status == 0, "\(result.errors)")
            #expect(told.statuses == ["400", "400", "400"])
            #expect(server.calls(of: "/exchange").count == 1)
        }
    }

    @Test func nothingButForeignAnswersIsAMatterOfSecurity() async throws {
        try await direct { server, world in
            let time = ManualTime(now: world.time.now)
            let browser = CommandWorld.Browser.does { url in
                guard let redirect = Self.parameter("redirect_uri", of: url).flatMap(WebURL.init) else { return }
                let told = Told()
                for query in Self.foreign { await told.bring("\(redirect.path)?\(query)", to: redirect.origin.port) }
                time.advance(by: .seconds(60))
            }
            let result = await world.run(["login", "bi", "--timeout", "2", "--json"], browser: browser, time: time)
            #expect(result.status == 8, "\(result.errors)")
            #expect(result.errors.contains("3 answers"))
            let error = try result.errorObject
            #expect(error["rejected_callbacks"] == 3 && error["kind"] == "security" && error["exit"] == 8)
            #expect(result.output == "")
            #expect(server.calls(of: "/exchange").isEmpty)
            let sessions = try await world.sessions()
            #expect(sessions.isEmpty)
        }
    }
}
