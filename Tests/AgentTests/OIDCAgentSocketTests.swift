@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import LocalServer
import Localization
import NIOCore
import OAuth
import ProcessHarness
import TestSupport
import Testing

/// The socket for oidc-agent's clients: requests, refusals, and bytes that are none of both. `RealProviderTests` has the genuine clients.
@Suite(.startsPrograms, .timeLimit(.minutes(10)))
struct OIDCAgentSocketTests {
    private let inner = ScriptedSessionService()
    private let home: TemporaryHome
    private let place: AgentLocation
    private let service: OIDCAgentService

    init() throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
        try place.prepare()
        service = OIDCAgentService(
            service: AgentService(
                service: inner,
                facts: AgentFacts(
                    version: "1.0.0", home: AgentHome(store: "/store", configuration: "/config.toml"),
                    startedAt: Timestamp(milliseconds: 1), trustedFiles: []),
                log: ActivityLog(folder: nil), time: SystemTimeSource(), stop: { Issue.record("the agent was stopped") }))
    }

    private func serving(
        limits: ServerLimits = AgentFixture.generous, _ body: (OIDCAgentSetting) async throws -> Void
    ) async throws {
        let setting = OIDCAgentSetting(true)
        let task = Task { [socket = OIDCAgentSocket(at: place, service: service, limits: limits)] in await socket.follow(setting) }
        try await eventually("the socket is not there") { accepts }
        try await body(setting)
        task.cancel()
        await task.value
        #expect(!place.isServingOIDCAgent)
    }

    /// Whether a client can connect. The file alone is there a moment earlier.
    private var accepts: Bool { (try? RawConnection(path: place.oidcAgentSocket)) != nil }

    private func answer(_ request: JSONValue) async -> JSONValue {
        let response = await service.answer(Array(request.text.utf8), to: Caller(process: getpid(), user: geteuid()))
        return (try? JSONValue(strict: response.json)) ?? .null
    }

    /// Sends a request without encryption, and returns the response.
    private func plainAnswer(_ request: String) async throws -> JSONValue {
        let raw = try RawConnection(path: place.oidcAgentSocket)
        raw.send(request)
        return try JSONValue(strict: await raw.readAll())
    }

    private static func bytes(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    /// A client's keys: those of RFC 7748 section 6.1.
    private static let privateKey = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    private static let publicKey = bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")

    // MARK: The connection

    @Test func encryptedRequestGetsAnEncryptedResponse() async throws {
        try await serving { _ in
            var found = stat()
            #expect(stat(place.oidcAgentSocket, &found) == 0 && found.st_mode & 0o777 == 0o600)
            let raw = try RawConnection(path: place.oidcAgentSocket)
            raw.send(Base64.encode(Self.publicKey))
            let key = try #require(Base64.decode(await raw.read(upTo: "=")))
            let cipher = try #require(OIDCAgentCipher(publicKey: Self.publicKey, privateKey: Self.privateKey, otherKey: key))
            raw.send(cipher.seal(Array(#"{"request":"access_token","account":"work/Ada Lovelace"}"#.utf8)).wire)
            let wire = await raw.readAll()
            #expect(!wire.contains("at-"))
            let response = try JSONValue(strict: try cipher.open(OIDCAgentSealedMessage(wire: Array(wire.utf8))))
            #expect(response["status"] == "success" && response["access_token"]?.string == Sample.grant.token.reveal())
            #expect(response["issuer"] == "https://id.example.org" && response["expires_at"] == 1_800_000_000)
        }
    }

    /// Go's client takes a response whose size is a multiple of its buffer for an incomplete one.
    @Test func responseNeverFillsTheBufferOfAClient() async throws {
        try await serving { _ in
            for length in 3_950..<3_990 {
                var grant = Sample.grant
                grant.token = Secret(String(repeating: "t", count: length))
                let issued = grant
                await inner.change { $0.tokenAnswer = .success(issued) }
                let raw = try RawConnection(path: place.oidcAgentSocket)
                raw.send(#"{"request":"access_token","account":"work/Ada Lovelace"}"#)
                let response = await raw.readAll()
                #expect(response.utf8.count % 4_096 != 0)
                #expect(try JSONValue(strict: response)["access_token"]?.string?.count == length)
            }
        }
    }

    @Test func socketFollowsTheSetting() async throws {
        try await serving { setting in
            #expect(try await plainAnswer(#"{"request":"check"}"#) == ["status": "success"])
            setting.set(false)
            try await eventually("the socket stays") { !place.isServingOIDCAgent }
            setting.set(true)
            try await eventually("the socket does not come back") { accepts }
            #expect(try await plainAnswer(#"{"request":"loaded_accounts"}"#)["info"] == ["work/Ada Lovelace"])
        }
    }

    @Test func unencryptableRequestGetsAPlainFailure() async throws {
        try await serving { _ in
            let raw = try RawConnection(path: place.oidcAgentSocket)
            raw.send(Base64.encode(Self.publicKey))
            _ = await raw.read(upTo: "=")
            raw.send(OIDCAgentSealedMessage(nonce: [UInt8](repeating: 1, count: 24), bytes: [UInt8](repeating: 2, count: 40)).wire)
            let response = try JSONValue(strict: await raw.readAll())
            #expect(response["status"] == "failure" && response["error"]?.string?.contains("not encrypted with the keys") == true)
            #expect(response["info"]?.string?.hasSuffix("\n") == true)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "{}", "{\"request\":7}", "{\"request\":\"nonsense\"}", String(repeating: "{", count: 70_000),
        String(repeating: "=", count: 100), "{\"request\":\"check\",\"request\":\"check\"}", "\u{1}\u{2}\u{1B}[31m",
        "{\"request\":\"\\ud800\"}",
    ])
    func hostileBytesGetAFailure(text: String) async throws {
        try await serving { _ in
            let response = try await plainAnswer(text)
            #expect(response["status"] == "failure", "\(response)")
            #expect(response["error"]?.string?.isEmpty == false && response["info"]?.string?.isEmpty == false || text.count > 65_536)
            #expect(try await plainAnswer(#"{"request":"check"}"#) == ["status": "success"])
        }
        #expect(await inner.asked.isEmpty)
    }

    @Test(arguments: ["", "{\"request\"", "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="])
    func silentClientIsDisconnected(text: String) async throws {
        try await serving(limits: ServerLimits(readTime: .seconds(1), writeTime: .seconds(1))) { _ in
            let raw = try RawConnection(path: place.oidcAgentSocket)
            raw.send(text)
            // On a busy machine, the valid request may itself be too slow, and is then sent again.
            try await eventually("other clients are not served") {
                (try? await plainAnswer(#"{"request":"check"}"#)) == ["status": "success"]
            }
            #expect(await raw.readAll().count <= 44)
        }
    }

    @Test func silentConnectionsDoNotKeepOthersOut() async throws {
        try await serving { _ in
            let silent = try (0..<OIDCAgentSocket.connectionLimit + 20).map { _ in try RawConnection(path: place.oidcAgentSocket) }
            #expect(try await plainAnswer(#"{"request":"check"}"#) == ["status": "success"])
            withExtendedLifetime(silent) {}
        }
    }

    @Test func otherUsersAreRefused() async throws {
        let (listener, file) = try AgentLock.listen(at: place.oidcAgentSocket)
        let server = try await OIDCAgentSocket.serve(listener, file: file, service: service, limits: ServerLimits(), user: geteuid() + 1)
        let raw = try RawConnection(path: place.oidcAgentSocket)
        raw.send(#"{"request":"check"}"#)
        #expect(await raw.readAll() == "")
        await server.close()
    }

    // MARK: Requests

    @Test func requestBecomesThatOfTheCaller() async throws {
        let request: JSONValue = [
            "request": "access_token", "account": "work/Ada Lovelace", "min_valid_period": 300, "application_hint": "my\u{202E}\napp",
            "scope": "openid mail", "audience": "https://api.example.org", "unknown": [1],
        ]
        #expect(await answer(request)["status"] == "success")
        let asked = try #require(await inner.asked.last)
        #expect(asked.session == Sample.name && asked.wanted == .access && asked.minimumValidity == .seconds(300))
        #expect(asked.restrictions == TokenRestrictions(scopes: ["openid", "mail"], audience: "https://api.example.org"))
        #expect(asked.process == getpid() && asked.asking == .service && asked.consent == nil)
        let caller = try #require(asked.caller)
        #expect(caller.english.hasSuffix(", for my??app") && caller.programPath?.hasPrefix("/") == true, "\(caller.english)")
    }

    @Test(arguments: [
        (JSONValue.number(-1), OIDCAgentTokenQuery.always), (.number("18446744073709551615"), OIDCAgentTokenQuery.always),
        (.number(0), .seconds(60)),
        ("90", .seconds(90)), (.null, .seconds(60)),
    ])
    func minimumValidityIsANumberOfSeconds(period: JSONValue, expected: Duration) async throws {
        _ = await answer(["request": "access_token", "account": "work", "min_valid_period": period])
        #expect(await inner.asked.last?.minimumValidity == expected)
    }

    /// A member that is ignored could mean a token that permits more.
    @Test(
        arguments: [
            ["request": "access_token"], ["request": "access_token", "account": "work", "issuer": "https://id.example.org"],
            ["request": "access_token", "account": "work", "scope": 7], ["request": "access_token", "account": "work", "scope": "a\"b"],
            ["request": "access_token", "account": "work", "audience": ["https://a.example"]],
            ["request": "access_token", "account": "work", "min_valid_period": .number("1.5")],
            ["request": "access_token", "account": "a b"],
            ["request": "access_token", "account": ["work"]],
        ] as [JSONValue])
    func malformedRequestIsRefused(request: JSONValue) async throws {
        let response = await answer(request)
        #expect(response["status"] == "failure" && response["info"] != nil, "\(response)")
        #expect(await inner.asked.isEmpty)
    }

    @Test(arguments: ["https://id.example.org", "https://id.example.org/"])
    func issuerSelectsItsSession(issuer: String) async throws {
        #expect(await answer(["request": "access_token", "issuer": .string(issuer)])["status"] == "success")
        #expect(await inner.asked.last?.session == Sample.name)
        var second = Sample.session
        second.name = Sample.named("work/bob")
        var third = Sample.session
        third.name = Sample.named("work/eve")
        let others = [second, third]
        await inner.change { $0.others = others }
        // The default account is bob's.
        _ = await answer(["request": "access_token", "issuer": .string(issuer)])
        #expect(await inner.asked.last?.session == second.name)
        await inner.change { $0.provider.defaultAccount = nil }
        let response = await answer(["request": "access_token", "issuer": .string(issuer)])
        #expect(response["error"]?.string?.contains("several accounts") == true)
        #expect(response["info"]?.string?.contains("work/Ada Lovelace, work/bob, work/eve") == true)
        #expect(await inner.asked.count == 2)
    }

    @Test(arguments: ["https://ID.example.org", "https://id.example.org//", "https://id.example.org.evil.example", "https://other.example"])
    func otherIssuerHasNoSession(issuer: String) async throws {
        let response = await answer(["request": "access_token", "issuer": .string(issuer)])
        #expect(response["error"]?.string?.contains("not signed in at the issuer") == true)
        #expect(response["info"]?.string?.contains("yett login") == true)
        #expect(await inner.asked.isEmpty)
    }

    @Test(arguments: [
        "add", "gen", "register", "remove", "remove_all", "delete", "lock", "unlock", "reauthenticate", "file_read", "file_write",
        "mytoken",
        "refresh_token", "code_exchange", "delete_client", "term_http_server",
    ])
    func everythingElseIsRefused(name: String) async throws {
        let response = await answer(["request": .string(name), "account": "work", "password": "x"])
        #expect(response["error"]?.string?.contains("does not accept the request \(name)") == true)
        #expect(response["info"]?.string?.contains("yett") == true)
        let locks = await inner.locks, unlocks = await inner.unlocks, modes = await inner.modes, asked = await inner.asked
        #expect(locks == 0 && unlocks == 0 && modes.isEmpty && asked.isEmpty)
    }

    @Test func listsNameTheSessions() async throws {
        #expect(await answer(["request": "status_json"])["info"]?["loaded_accounts"] == ["work/Ada Lovelace"])
        #expect(await answer(["request": "status"])["info"]?.string?.contains("yett 1.0.0") == true)
        let infos = await answer(["request": "account_info"])["info"]
        #expect(infos?["https://id.example.org"]?["accounts"]?.members?.map(\.name) == ["work/Ada Lovelace"])
    }

    @Test func boundTokenAndLockedStoreAreRefused() async throws {
        var bound = Sample.grant
        bound.tokenType = "DPoP"
        let issued = bound
        await inner.change { $0.tokenAnswer = .success(issued) }
        let response = await answer(["request": "access_token", "account": "work"])
        #expect(response["status"] == "failure" && !response.text.contains("at-"))
        await inner.change { $0.sealAnswer = .locked(isNew: false) }
        let locked = await answer(["request": "access_token", "account": "work"])
        #expect(locked["error"] == "the store is locked" && locked["info"]?.string?.contains("yett agent unlock") == true)
        #expect(await inner.asked.count == 1)
    }
}
