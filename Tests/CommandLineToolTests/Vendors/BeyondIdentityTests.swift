import AuthEngine
import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Kind `beyond-identity` with the real command, at the sandbox's Beyond Identity and its app's backend.
struct BeyondIdentityTests: BeyondIdentityWorld {
    // MARK: Mediated by the backend

    @Test func mediatedSignInGivesAnOpaqueSession() async throws {
        try await mediated(BeyondIdentitySettings.with { $0.sessionLifetime = 3600 }, more: "capture = [\"session\"]") { server, world in
            await world.run("login", "bi", "--json", exits: 0)
            let session = try #require(try await world.sessions().first)
            #expect(session["kind"] == "opaque" && session["state"] == "signed_in")
            #expect(session["renewable"] == false)
            #expect(session["warnings"]?.strings?.first?.hasPrefix("an opaque session") == true)
            // Only the backend called the token endpoint, with its own secret.
            #expect(server.calls(of: "/v2/token").map { $0.header("Authorization")?.hasPrefix("Basic ") } == [true])
            #expect(server.calls(of: "/exchange").isEmpty)
            let answer = await world.run("request", "bi", server.origin + "/session", exits: 0)
            #expect(try answer.json["sub"] == "sandbox-ada")
        }
    }

    /// The printed URL is the one that is sent, so that a backend that compares URLs byte for byte accepts it.
    @Test(arguments: ["redirect={redirect}&state={state}", "redirect={redirect}"])
    func sentRedirectIsThePrintedOne(query: String) async throws {
        let port = try ReservedPort.reserve(nil).number
        let address = "http://127.0.0.1:\(port)/callback"
        var settings = BeyondIdentitySettings()
        settings.appRedirects = [address]
        try await mediated(settings, query: query, more: "redirect = \"\(address)\"") { server, world in
            #expect(await world.run("providers", "redirect", "bi").output == address + "\n")
            try await world.signIn("bi")
            #expect(server.calls(of: "/start").map { $0.parameter("redirect") } == [address])
            #expect(world.openedAddresses.first?.text.contains("redirect=http%3A%2F%2F127.0.0.1%3A\(port)%2Fcallback") == true)
        }
    }

    /// A warning says that neither a state nor the backend shows which sign-in the callback belongs to.
    @Test(arguments: [
        ("redirect={redirect}", "", true), ("redirect={redirect}&state={state}", "", false),
        ("redirect={redirect}", "session_check_url = \"{origin}/session\"", false),
        ("redirect={redirect}", "callback_path = \"random\"", false),
    ])
    func callbackWithoutProofOfOriginGetsAWarning(query: String, more: String, isDoubted: Bool) async throws {
        try await mediated(query: query, more: more) { _, world in
            try await world.signIn("bi")
            let warnings = try await world.sessions().first?["warnings"]?.strings ?? []
            #expect(warnings.contains { $0.hasPrefix("the backend's answer may not belong to this sign-in") } == isDoubted)
        }
    }

    /// For a backend that returns no state: the path is the secret, and the list of redirects says so.
    @Test func randomCallbackPathIsUsedWhenConfigured() async throws {
        try await mediated(query: "redirect={redirect}", more: "callback_path = \"random\"") { server, world in
            try await world.signIn("bi")
            let redirect = try #require(server.calls(of: "/start").first?.parameter("redirect"))
            let path = try #require(WebURL(redirect)?.path)
            #expect(path.hasPrefix("/callback/") && path.utf8.count == "/callback/".utf8.count + 64)
            #expect(await world.run("providers", "redirect", "bi").errors.contains("the backend must accept every path below"))
        }
    }

    @Test func callbackWithoutTheSessionIsRefused() async throws {
        try await mediated(BeyondIdentitySettings.with { $0.payload = .none }) { (_, world) async throws in
            let result = await world.run(["login", "bi", "--timeout", "5"], untilDeadlineAfter: .seconds(5)) { await world.visit($0) }
            #expect(result.status == 8)
            #expect(result.errors.contains("it has no session"))
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func claimsCanBeTheWholeResponse() async throws {
        try await mediated(BeyondIdentitySettings.with { $0.payload = .userInfo }, more: "capture = [\"email\", \"name\"]") { _, world in
            try await world.signIn("bi")
            let account = try await world.sessions().first?["account"]
            #expect(account == "ada@example.org")
        }
    }

    @Test func missingCallbackTimesOut() async throws {
        try await mediated { _, world in
            #expect(await world.run(["login", "bi", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { _ in }.status == 4)
        }
    }

    // MARK: Asking the backend about a session

    private static let check = "session_check_url = \"{origin}/session\""

    @Test func backendNamesTheUserAndChecksTheSession() async throws {
        try await mediated(more: Self.check) { server, world in
            try await world.signIn("bi")
            let session = try #require(try await world.sessions().first)
            #expect(session["session"] == "bi/ada" && session["subject"] == "sandbox-ada")
            let token = await world.run("token", "bi").output.filter { !$0.isNewline }
            #expect(server.calls(of: "/session").map { $0.header("Authorization") } == ["Bearer \(token)"])
            let good = await world.run("inspect", "bi")
            #expect(good.status == 0 && good.output.contains("says that it is active"), "\(good.output)\(good.errors)")
            server.changeCommon { $0.failNext = ["/session:401"] }
            let ended = await world.run("inspect", "bi")
            #expect(ended.status == 0 && ended.output.contains("says that it is not active"), "\(ended.output)\(ended.errors)")
            #expect(!good.output.contains(token) && !ended.output.contains(token))
        }
    }

    @Test(arguments: [
        (
            #"{"path": "/session", "status": 401, "body": "{\"error\": \"gone\"}"}"#, Int32(5),
            "did not accept the session: status 401, gone"
        ),
        (#"{"path": "/session", "status": 503, "body": "later"}"#, 7, "did not accept the session"),
        (#"{"path": "/session", "status": 302, "headers": {"Location": "https://evil.example/"}}"#, 8, "redirects to another address"),
        (
            #"{"path": "/session", "status": 200, "headers": {"Content-Type": "text/html"}, "body": "<html>"}"#, 7,
            "answered with a web page"
        ),
    ])
    func sessionThatTheBackendRefusesIsNotStored(answer: String, status: Int32, says: String) async throws {
        try await direct(more: Self.check) { server, world in
            try server.set("answers", to: .array([try JSONValue(strict: answer)]))
            let result = await world.run("login", "bi")
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains(says), "\(result.errors)")
            #expect(try await world.sessions().isEmpty)
        }
    }

    // MARK: The code is sent to the backend

    @Test(arguments: BeyondIdentitySettings.ClientAuthentication.allCases, [false, true])
    func codeIsSentToTheBackend(authentication: BeyondIdentitySettings.ClientAuthentication, requiresProofKey: Bool) async throws {
        var settings = BeyondIdentitySettings()
        settings.clientAuthentication = authentication
        settings.requiresProofKey = requiresProofKey
        try await direct(settings) { server, world in
            await world.run("login", "bi", exits: 0)
            let handed = try #require(server.calls(of: "/exchange").first)
            let body = try JSONValue(strict: String(decoding: handed.body, as: UTF8.self))
            let asked = try #require(server.calls(of: "/v2/authorize").first)
            #expect(body["state"]?.string == asked.parameter("state"))
            #expect(body["redirect_uri"]?.string == asked.parameter("redirect_uri"))
            #expect(body["code_verifier"]?.string?.utf8.count == 43)
            #expect(server.calls(of: "/v2/token").count == 1)
            #expect(try await world.sessions().first?["account"] == "ada")
        }
    }

    @Test(arguments: [BeyondIdentitySettings.StateFlaw.missing, .tampered])
    func callbackWithAnotherStateReachesNoBackend(flaw: BeyondIdentitySettings.StateFlaw) async throws {
        try await direct(BeyondIdentitySettings.with { $0.stateFlaw = flaw }) { server, world in
            let result = await world.run(["login", "bi", "--timeout", "5"], untilDeadlineAfter: .seconds(5)) { await world.visit($0) }
            #expect(result.status == 8, "\(result.errors)")
            #expect(server.calls(of: "/exchange").isEmpty)
        }
    }

    @Test func backendErrorIsReported() async throws {
        try await direct { (server, world) async throws in
            server.changeCommon { $0.failNext = ["/exchange:500"] }
            #expect(await world.run("login", "bi").status == 7)
            server.changeCommon { $0.codeLifetime = .seconds(-1) }
            let refused = await world.run("login", "bi", exits: 5)
            #expect(refused.errors.contains("did not exchange the code: status 400, invalid_grant"))
            #expect(try await world.sessions().isEmpty)
        }
    }

    // MARK: Signing up

    @Test func signUpPostsTheAddressAndSaysWhatComesNext() async throws {
        try await mediated { server, world in
            let result = await world.run("signup", "bi", "--email", "new@example.org", "--json", exits: 0)
            #expect(try result.json["account_requested"] == true)
            #expect(result.errors.contains("check your email"))
            #expect(result.errors.contains("https://app.byndid.com/downloads"))
            let body = try #require(server.calls(of: "/enroll").first).body
            #expect(try JSONValue(strict: String(decoding: body, as: UTF8.self)) == ["email": "new@example.org"])
            #expect(server.calls(of: "/v2/authorize").isEmpty)
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test(arguments: [(409, Int32(5)), (500, 7)])
    func failedSignUpShowsTheServersMessage(status: Int, code: Int32) async throws {
        try await mediated(BeyondIdentitySettings.with { $0.enrollStatus = status }) { _, world in
            let result = await world.run("signup", "bi", "--email", "new@example.org")
            #expect(result.status == code)
            #expect(result.errors.contains("enrollment failed, try again"))
        }
    }

    /// The typed address is offered again beside the backend's message; an empty answer keeps it. After three refusals the sign-up fails.
    @Test func refusedAddressCanBeCorrected() async throws {
        try await mediated(BeyondIdentitySettings.with { $0.enrollStatus = 409 }) { server, world in
            let mended = await world.run(
                "signup", "bi", user: .init(hasTerminal: true, lines: ["old@example.org", "new@example.org", "last@example.org"]), exits: 5)
            #expect(mended.errors.contains("status 409, enrollment failed, try again"))
            #expect(mended.errors.contains("E-mail address [old@example.org]:"))
            let posted = server.calls(of: "/enroll").map { String(decoding: $0.body, as: UTF8.self) }
            #expect(posted.count == 3 && posted[1].contains("new@example.org"))
            server.change { $0.enrollStatus = 200 }
            server.changeCommon { $0.failNext = ["/enroll:500"] }
            await world.run("signup", "bi", user: .init(hasTerminal: true, lines: ["old@example.org", ""]), exits: 0)
            #expect(server.calls(of: "/enroll").last.map { String(decoding: $0.body, as: UTF8.self) } == "{\"email\":\"old@example.org\"}")
        }
    }

    @Test func invalidAddressIsNotSent() async throws {
        try await mediated { server, world in
            await world.run("signup", "bi", "--email", "nobody", exits: 64)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func userIsAskedForTheAddress() async throws {
        try await mediated { server, world in
            let result = await world.run("signup", "bi", user: .init(hasTerminal: true, lines: ["nobody", "new@example.org"]), exits: 0)
            #expect(result.errors.contains("not an e-mail address"))
            #expect(server.calls(of: "/enroll").count == 1)
        }
    }

    // MARK: The configuration

    @Test(arguments: [
        ("mode = \"rp-initiated\"\nurl = \"file:///etc/passwd\"", "'url' is refused"),
        ("mode = \"rp-initiated\"\nurl = \"javascript:alert(1)\"", "'url' is refused"),
        ("mode = \"rp-initiated\"\nurl = \"https://user:pass@b.example.org/start?redirect={redirect}\"", "'url' is refused"),
        ("mode = \"rp-initiated\"\nurl = \"https://b.example.org/start\"", "must contain {redirect} exactly once"),
        (
            "mode = \"direct\"\nclient_id = \"c\"\nexchange_url = \"https://b.example.org/x\"\nauthorization_endpoint = \"file:///etc/passwd\"",
            "'authorization_endpoint' is refused"
        ),
        ("mode = \"direct\"\nclient_secret_file = \"/x\"", "'client_secret_file' is not allowed here"),
        ("mode = \"direct\"\nclient_secret = \"x\"", "client_secret does not belong in the configuration"),
        ("mode = \"direct\"\nclient_id = \"c\"", "'exchange_url' is missing"),
        ("url = \"https://b.example.org\"", "'mode' is missing"),
        ("mode = \"rp-initiated\"\nurl = \"https://b.example.org/{redirect}\"\npkce = \"auto\"", "'pkce' is not allowed here"),
        (
            "mode = \"rp-initiated\"\nurl = \"https://b.example.org/{redirect}\"\nsession_check_url = \"http://b.example.org/session\"",
            "'session_check_url' is refused"
        ),
        (
            "mode = \"direct\"\nclient_id = \"c\"\nexchange_url = \"https://b.example.org/x\"\n"
                + "authorization_endpoint = \"https://b.example.org/a\"\npkce = \"off\"", "PKCE cannot be turned off"
        ),
    ])
    func configurationMustFitItsMode(text: String, message: String) async throws {
        let world = try CommandWorld.configured("[providers.bi]\nkind = \"beyond-identity\"\n" + text)
        let result = await world.run("login", "bi", exits: 2)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(world.openedAddresses.isEmpty)
    }

    // MARK: Recovery

    private static let recovery = "recover_url = \"{origin}/recover\""

    @Test func recoveryPostsTheAddressAndSaysWhatComesNext() async throws {
        try await mediated(more: Self.recovery) { server, world in
            let result = await world.run("recover", "bi", "--email", "ada@example.org", exits: 0)
            #expect(result.errors.contains("check your email"))
            let posted = try #require(server.calls(of: "/recover").first)
            #expect(try JSONValue(strict: String(decoding: posted.body, as: UTF8.self))["email"] == "ada@example.org")
            #expect(server.calls(of: "/recover").count == 1 && server.calls(of: "/v1/manage/recover-user").count == 1)
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func failedRecoveryShowsTheServersMessage() async throws {
        try await mediated(BeyondIdentitySettings.with { $0.enrollStatus = 409 }, more: Self.recovery) { (_, world) async throws in
            let result = await world.run("recover", "bi", "--email", "ada@example.org", exits: 5)
            #expect(result.errors.contains("did not recover the account: status 409"))
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func providerWithoutRecoverySaysSo() async throws {
        try await mediated { server, world in
            let result = await world.run("recover", "bi", "--email", "ada@example.org", exits: 2)
            #expect(result.errors.contains("does not support account recovery"))
            #expect(server.requests.isEmpty)
        }
    }
}
