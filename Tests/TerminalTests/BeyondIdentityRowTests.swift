import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// The requirements of Beyond Identity, each checked with the built command against the built sandbox.
@Suite(.startsPrograms) struct BeyondIdentityRowTests {
    private let rows: VendorRows
    private static let application = "/v1/tenants/t/realms/r/applications/a"

    init() async throws { rows = try await VendorRows("beyond-identity", as: "bi") }

    /// Configures `direct` mode: the program sends the code to the backend.
    private func configureDirect(_ more: String = "") throws {
        try rows.configure(
            without: ["mode", "url"],
            """
            mode = "direct"
            authorization_endpoint = "\(rows.origin)/v2/authorize"
            client_id = "acme-cloud"
            scopes = ["openid"]
            exchange_url = "\(rows.origin)/exchange"
            \(more)
            """)
    }

    @Test(arguments: ["file:///x?{redirect}", "javascript:alert({redirect})", "https://user:word@b.example.org/?r={redirect}"])
    func urlThatIsNotAWebPageIsRefused(address: String) async throws {
        try rows.configure(without: ["url"], "url = \"\(address)\"")
        #expect(try await rows.run("login", "bi").status == 2)
        #expect(try await rows.vendor.requests().isEmpty)
    }

    @Test func mediatedSignInGivesAnOpaqueSession() async throws {
        try rows.configure("session_check_url = \"\(rows.origin)/session\"")
        let login = try await rows.run("login", "bi")
        #expect(login.status == 0, "\(login)")
        let began = try #require(try await rows.vendor.requests(at: "/start").first?.parameter("redirect"))
        #expect(began.contains(/^http:\/\/127\.0\.0\.1:\d+\/callback$/))
        // The backend's own request, with its client secret.
        let redeemed = try await rows.vendor.requests(at: "/v2/token")
        #expect(redeemed.map { $0.header("Authorization")?.hasPrefix("Basic ") } == [true])
        let session = try #require(try await rows.sessions().first)
        #expect(session["kind"] == "opaque" && session["state"] == "signed_in" && session["access_expires_at"] == .null)
        let inspected = try await rows.run("inspect", "bi")
        #expect(inspected.output.contains("says that it is active"), "\(inspected)")
        try await rows.turn(["fail_next": ["/session:401"]])
        let refused = try await rows.run("login", "bi")
        #expect(refused.status == 5 && refused.errors.contains("did not accept the session: status 401"), "\(refused)")
    }

    @Test func answerWithoutASessionIsRefused() async throws {
        try await rows.turn(["payload": "none"])
        let result = try await rows.signInUntilTheDeadline("bi")
        #expect(result.status == 8 && result.errors.contains("it has no session"), "\(result)")
        #expect(try await rows.sessions().isEmpty)
    }

    @Test func codeGoesToTheBackendWithItsVerifier() async throws {
        try configureDirect("pkce = \"auto\"")
        try await rows.turn(["require_pkce": true])
        for _ in 0..<2 { #expect(try await rows.run("login", "bi").status == 0) }
        let asked = try await rows.vendor.requests(at: "/v2/authorize")
        for name in ["state", "code_challenge"] { #expect(Set(asked.map { $0.parameter(name) }).count == 2, "\(name)") }
        let handed = try await rows.vendor.requests(at: "/exchange").map(\.body)
        #expect(handed.map { $0?["state"]?.string } == asked.map { $0.parameter("state") })
        #expect(handed.allSatisfy { $0?["code"]?.string != nil && $0?["code_verifier"]?.string?.utf8.count == 43 })
        try configureDirect("pkce = \"off\"")
        let off = try await rows.run("login", "bi")
        #expect(off.status == 2 && off.errors.contains("PKCE cannot be turned off"), "\(off)")
        try configureDirect("client_secret = \"x\"")
        let secret = try await rows.run("login", "bi")
        #expect(secret.status == 2 && secret.errors.contains("only the backend has the secret"), "\(secret)")
    }

    @Test(arguments: ["tampered", "missing"])
    func answerWithAnotherStateReachesNoBackend(state: String) async throws {
        try configureDirect()
        try await rows.turn(["state": .string(state)])
        let result = try await rows.signInUntilTheDeadline("bi", "--json")
        #expect(result.status == 8 && result.errors.contains("\"rejected_callbacks\":1"), "\(result)")
        #expect(try await rows.vendor.requests(at: "/exchange").isEmpty)
    }

    @Test func signUpAndRecoverySendTheEmailAddress() async throws {
        let made = try await rows.run("signup", "bi", "--email", "new@example.org")
        #expect(made.status == 0 && made.errors.contains("check your email"), "\(made)")
        #expect(made.errors.contains("https://app.byndid.com/downloads"))
        #expect(try await rows.vendor.requests(at: "/enroll").map(\.body) == [["email": "new@example.org"]])
        let recovered = try await rows.run("recover", "bi", "--email", "new@example.org")
        #expect(recovered.status == 0 && recovered.errors.contains("check your email"), "\(recovered)")
        #expect(try await rows.vendor.requests(at: "/recover").count == 1)
        for (status, code) in [(409, Int32(5)), (500, 7)] {
            try await rows.turn(["enroll_status": .number(status)])
            let refused = try await rows.run("signup", "bi", "--email", "new@example.org")
            #expect(refused.status == code && refused.errors.contains("enrollment failed, try again"), "\(refused)")
        }
        try await rows.turn()
        #expect(try await rows.run("signup", "bi", "--email", "nobody").status == 64)
        #expect(try await rows.vendor.requests().isEmpty)
    }

    /// Configures `secure-access` mode, the newer generation; the sandbox also acts as the authenticator.
    private func configureSecureAccess(_ more: String = "") throws {
        try rows.configure(
            without: ["mode", "url", "signup_url", "recover_url"],
            """
            mode = "secure-access"
            issuer = "\(rows.origin + Self.application)"
            client_id = "acme-cloud"
            scopes = ["openid"]
            tokens_url = "\(rows.origin + Self.application)/tokens"
            invoke_hosts = ["\(rows.authority)"]
            \(more)
            """)
    }

    @Test func authenticatorIsInvokedAutomaticallyOrManually() async throws {
        try configureSecureAccess()
        #expect(try await rows.run("login", "bi").status == 0)
        try configureSecureAccess("invocation = \"manual\"")
        try await rows.turn(["invocation": "manual"])
        let manual = try await rows.run("login", "bi")
        #expect(manual.status == 0 && manual.errors.contains("/bi-authenticate?request="), "\(manual)")
        try await rows.turn(["invoke_url": "https://evil.example"])
        let foreign = try await rows.run("login", "bi")
        #expect(foreign.status == 8 && foreign.errors.contains("evil.example"), "\(foreign)")
        try await rows.turn(["invoke_url": .null, "invocation_flaw": "page"])
        #expect(try await rows.run("login", "bi").status == 7)
    }

    @Test func remoteTokensAreListedBySuffixAndRevoked() async throws {
        try configureSecureAccess()
        #expect(try await rows.run("login", "bi").status == 0)
        let token = try await rows.run("token", "bi").output.filter { !$0.isNewline }
        let list = try await rows.run("sessions", "bi", "--remote", "--json")
        let tokens = try #require(try JSONValue(strict: list.output)["tokens"]?.array)
        #expect(tokens.count == 2 && !list.output.contains(token))
        let own = try #require(tokens.first { $0["suffix"]?.string == String(token.suffix(4)) }?["id"]?.string)
        // The identifiers are random, and one in 64 begins with a dash.
        let revocation = try await rows.run("revoke", "bi", "--", own)
        #expect(revocation.status == 0, "\(revocation)")
        #expect(try await rows.sessions().map { $0["state"] } == ["revoked"])
    }
}
