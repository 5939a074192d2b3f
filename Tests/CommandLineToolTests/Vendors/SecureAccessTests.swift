import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Beyond Identity's newer generation with the real command: both ways to the authenticator, and the tokens that it lists.
struct SecureAccessTests {
    typealias Server = VendorServer<BeyondIdentitySettings>

    static let application = "/v1/tenants/t1/realms/r1/applications/a1"

    private func running(
        _ settings: BeyondIdentitySettings = BeyondIdentitySettings(), invocation: String = "automatic", hosts: String? = nil,
        _ body: (Server, CommandWorld) async throws -> Void
    ) async throws {
        var settings = settings
        settings.requiresProofKey = true
        settings.invocation = settings.invocation == .manual || invocation == "manual" ? .manual : .automatic
        try await withVendor(settings, as: "bi") { origin in
            """
            mode = "secure-access"
            issuer = "\(origin)\(Self.application)"
            client_id = "acme-cloud"
            invocation = "\(invocation)"
            invoke_hosts = ["\(hosts ?? String(origin.dropFirst("http://".count)))"]
            tokens_url = "\(origin)\(Self.application)/tokens"
            """
        } _: { server, world in
            try await body(server, world)
        }
    }

    // MARK: BI-14

    @Test(arguments: ["automatic", "manual"])
    func authenticatorIsReachedAutomaticallyOrManually(invocation: String) async throws {
        try await running(invocation: invocation) { server, world in
            let result = await world.run("login", "bi", "--json", exits: 0)
            let answer = try result.json
            let session = try #require(answer["sessions"]?.array?.first)
            #expect(session["state"] == "signed_in" && session["subject"] == "sandbox-ada" && session["renewable"] == true)
            let opened = try #require(world.openedAddresses.first)
            #expect(opened.path == (invocation == "manual" ? "/bi-authenticate" : Self.application + "/authorize"))
            let asked = server.calls(of: Self.application + "/authorize")
            // In manual mode the program sends this request itself, and asks for JSON.
            #expect(asked.count == 1 && (asked.first?.header("Accept") == "application/json") == (invocation == "manual"))
            #expect(server.calls(of: Self.application + "/token").first?.field("code_verifier") != nil)
            #expect(await world.run("renew", "bi").status == 0)
        }
    }

    @Test(
        arguments: [
            (BeyondIdentitySettings.InvocationFlaw.page, Int32(7), "not JSON"), (.refusal, 5, "forbidden"), (.empty, 7, "authenticate_url"),
        ])
    func invalidInvocationResponsesAreReported(flaw: BeyondIdentitySettings.InvocationFlaw, status: Int32, words: String) async throws {
        try await running(BeyondIdentitySettings.with { $0.invocationFlaw = flaw }, invocation: "manual") { _, world in
            let result = await world.run("login", "bi")
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains(words))
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func authenticatorOnAnotherHostIsNotOpened() async throws {
        var settings = BeyondIdentitySettings()
        for url in ["https://evil.example", "http://authenticator.example.org", "https://notbeyondidentity.com", "javascript:alert(1)//"] {
            settings.invokeURL = url
            try await running(settings, invocation: "manual", hosts: "beyondidentity.com") { _, world in
                let result = await world.run("login", "bi")
                #expect(result.status == 8, "\(url): \(result.errors)")
                #expect(result.errors.contains("invoke_hosts"))
                #expect(world.openedAddresses.isEmpty)
            }
        }
    }

    @Test func unexpectedRedirectSuggestsTheInvocationSetting() async throws {
        try await running(invocation: "manual") { server, world in
            server.change { $0.invocation = .automatic }
            let result = await world.run("login", "bi", exits: 2)
            #expect(result.errors.contains("invocation = \"automatic\""))
        }
    }

    @Test(
        arguments: [
            ("client_id = \"c\"", "issuer"), ("issuer = \"https://a.example\"", "client_id"),
            ("issuer = \"https://a.example\"\nclient_id = \"c\"\nexchange_url = \"https://b.example\"", "exchange_url"),
            ("issuer = \"https://a.example\"\nclient_id = \"c\"\ninvocation = \"sometimes\"", "invocation"),
            ("issuer = \"https://a.example\"\nclient_id = \"c\"\ninvoke_hosts = [\"a/b\"]", "invoke_hosts"),
            ("issuer = \"https://a.example\"\nclient_id = \"c\"\nscopes = [\"profile\"]", "openid"),
        ])
    func invalidSettingsAreNamed(lines: String, key: String) async throws {
        let world = try CommandWorld()
        try world.configure("[providers.bi]\nkind = \"beyond-identity\"\nmode = \"secure-access\"\n\(lines)\n")
        let result = await world.run("providers", "show", "bi", exits: 2)
        #expect(result.errors.contains(key), "\(result.errors)")
    }

    @Test func tokensURLIsDerivedFromTheVendorsIssuer() async throws {
        let world = try CommandWorld()
        let path = "beyondidentity.com/v1/tenants/t/realms/r/applications/a"
        try world.configure(
            """
            [providers.bi]
            kind = "beyond-identity"
            mode = "secure-access"
            issuer = "https://auth-us.\(path)"
            client_id = "c"
            """)
        let provider = try await world.run("providers", "show", "bi", "--json").json["provider"]
        #expect(provider?["tokens_url"] == .string("https://api-us.\(path)/tokens"))
        #expect(provider?["invoke_hosts"]?.strings?.contains("byndid.com") == true)
    }

    // MARK: BI-15

    @Test func tokensAreListedBySuffixAndRevoked() async throws {
        var settings = BeyondIdentitySettings()
        settings.tokensPerPage = 1
        settings.issuesRefreshTokens = false
        try await running(settings) { server, world in
            try await world.signIn("bi")
            let first = await world.run("token", "bi").output.dropLast()
            await world.run("login", "bi", "--force", exits: 0)
            let second = await world.run("token", "bi").output.dropLast()
            let listed = await world.run("sessions", "bi", "--remote", exits: 0)
            #expect(listed.output.split(separator: "\n").count == 3)
            #expect(!listed.output.contains(first) && !listed.output.contains(second))
            #expect(server.calls(of: Self.application + "/tokens").count == 2)

            let tokens = try #require(try await world.run("sessions", "bi", "--remote", "--json").json["tokens"]?.array)
            func id(endingIn token: Substring) throws -> String {
                try #require(tokens.first { token.hasSuffix($0["suffix"]?.string ?? "-") }?["id"]?.string)
            }
            // The token of the replaced session: the current session continues.
            await world.run("revoke", "bi", "--", try id(endingIn: first), exits: 0)
            var sessions = try await world.sessions()
            #expect(sessions.first?["state"] == "signed_in")
            // Its own token: the provider says that it is revoked, and so does the status.
            let own = await world.run("revoke", "bi", "--", try id(endingIn: second))
            #expect(own.status == 0 && own.errors.contains("that was the token of bi/"), "\(own.errors)")
            sessions = try await world.sessions()
            #expect(sessions.first?["state"] == "revoked")
            #expect(await world.run("token", "bi").status == 6)
        }
    }

    /// Returns the id of the session's own token of a kind.
    private func ownToken(_ kind: String, _ world: CommandWorld) async throws -> String {
        let tokens = try await world.run("sessions", "bi", "--remote", "--json").json["tokens"]?.array
        return try #require(tokens?.first { $0["kind"]?.string == kind }?["id"]?.string)
    }

    @Test func revokingTheAccessTokenRevokesTheRefreshToken() async throws {
        try await running { server, world in
            try await world.signIn("bi")
            let own = await world.run("revoke", "bi", "--", try await ownToken("access_token", world))
            #expect(own.status == 0 && own.errors.contains("that was the token of bi/"), "\(own.errors)")
            let sessions = try await world.sessions()
            #expect(sessions.first?["state"] == "revoked" && sessions.first?["renewable"] == false)
            #expect(server.calls(of: Self.application + "/revoke").map { $0.field("token_type_hint") } == ["refresh_token"])
            #expect(await world.run("token", "bi").status == 6)
            // For a new session the provider lists only that session's tokens.
            #expect(await world.run("login", "bi").status == 0)
            let listed = try await world.run("sessions", "bi", "--remote", "--json").json["tokens"]?.array
            #expect(listed?.count == 2)
        }
    }

    /// A provider that cannot be reached now is told later.
    @Test func refreshTokenOfARevokedSessionIsRevokedLater() async throws {
        try await running { server, world in
            try await world.signIn("bi")
            server.changeCommon { $0.failNext = [Self.application + "/revoke:503"] }
            await world.run("revoke", "bi", "--", try await ownToken("access_token", world), exits: 0)
            #expect(await world.run("login", "bi").status == 0)
            let told = server.calls(of: Self.application + "/revoke")
            #expect(told.count == 2 && Set(told.map { $0.field("token") }).count == 1)
        }
    }

    @Test func revokedRefreshTokenIsReportedAtOnce() async throws {
        try await running { _, world in
            try await world.signIn("bi")
            let own = await world.run("revoke", "bi", "--", try await ownToken("refresh_token", world))
            #expect(own.status == 0 && own.errors.contains("can no longer be renewed"), "\(own.errors)")
            let session = try #require(try await world.sessions().first)
            #expect(session["state"] == "signed_in" && session["renewable"] == false)
            #expect(session["warnings"]?.strings?.contains { $0.contains("refresh token was revoked") } == true)
            #expect(await world.run("token", "bi").status == 0)
            #expect(await world.run("renew", "bi").status == 6)
        }
    }

    @Test func tokenListErrorsAreReported() async throws {
        try await running { _, world in
            try await world.signIn("bi")
            let unknown = await world.run("revoke", "bi", "--", "nosuchtoken")
            #expect(unknown.status == 5 && unknown.errors.contains("not_found"), "\(unknown.errors)")
            #expect(await world.run("revoke", "bi", "--", "../x").status == 64)
            let dashed = await world.run("revoke", "bi", "-x7Q")
            #expect(dashed.status == 64 && dashed.errors.contains("if '-x7Q' is a value, write -- before it"), "\(dashed)")
            #expect(await world.run("sessions", "nosuch", "--remote").status == 9)
        }
        try await withSolution { _, world in
            await world.run("login", "mi", exits: 0)
            #expect(await world.run("sessions", "mi", "--remote").status == 2)
            #expect(await world.run("sessions", "mi").output.contains("mi/ada"))
        }
    }

    @Test func signOutRevokesRefreshTokenThenAccessToken() async throws {
        try await running { server, world in
            try await world.signIn("bi")
            server.clearRequests()
            #expect(await world.run("logout", "bi").status == 0)
            let hints = server.calls(of: Self.application + "/revoke").map { $0.field("token_type_hint") }
            #expect(hints == ["refresh_token", "access_token"])
        }
    }
}
