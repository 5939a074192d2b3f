import AuthModel
import Testing

@testable import Sandbox

/// What a user does on the sandbox's pages.
@Suite(.serialized) struct BrowserFlowTests {
    private static let password = "correct horse battery staple"

    /// A visitor who has signed in as Ada and allowed everything.
    private func signedIn(_ party: RelyingParty) async throws -> Visitor {
        var visitor = Visitor(origin: party.origin)
        let consent = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "ada", password: Self.password)
        #expect(try await visitor.submit(consent, action: "/consent", Self.everything).locationParameter("code") != nil)
        return visitor
    }

    private static let everything = [
        ("scope", "profile"), ("scope", "email"), ("scope", "offline_access"), ("decision", "allow"),
    ]

    @Test func wrongPasswordIsReportedAndCanBeCorrected() async throws {
        try await RelyingParty.running { _, party in
            var visitor = Visitor(origin: party.origin)
            let again = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "ada", password: "wrong")
            #expect(again.text.contains("The user name or password is wrong"))
            #expect(again.text.contains("value=\"ada\""))
            let consent = try await visitor.signIn(again, username: "ada", password: Self.password)
            #expect(consent.text.contains("id=\"allow\""))
        }
    }

    @Test func denyingRedirectsWithAccessDenied() async throws {
        try await RelyingParty.running { server, party in
            var visitor = Visitor(origin: party.origin)
            let consent = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "ada", password: Self.password)
            let back = try await visitor.submit(consent, action: "/consent", [("decision", "deny")])
            #expect(back.locationParameter("error") == "access_denied")
            #expect(back.locationParameter("state") == party.state)
            #expect(back.locationParameter("iss") == server.issuer)
            #expect(back.locationParameter("code") == nil)
        }
    }

    @Test func uncheckedScopesAreNotGranted() async throws {
        try await RelyingParty.running { _, party in
            var visitor = Visitor(origin: party.origin)
            let consent = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "ada", password: Self.password)
            let back = try await visitor.submit(
                consent, action: "/consent", [("scope", "email"), ("scope", "hello"), ("decision", "allow")])
            let tokens = try await party.exchange(code: #require(back.locationParameter("code"))).json()
            #expect(tokens["scope"] == "openid email")
            #expect(tokens["refresh_token"] == nil)
            let info = try await party.userInfo(tokens.text("access_token")).json()
            #expect(info["name"] == nil)
            #expect(info["email"] == "ada@example.org")
        }
    }

    @Test func signedInUserIsRedirectedWithoutAPage() async throws {
        try await RelyingParty.running { _, party in
            var visitor = try await signedIn(party)
            #expect(try await visitor.open(party.authorizationURL()).locationParameter("code") != nil)
            let silent = try await visitor.open(party.authorizationURL([("prompt", "none")]))
            #expect(silent.locationParameter("code") != nil)
            #expect(try await visitor.open(party.authorizationURL([("prompt", "login")])).text.contains("id=\"login\""))
        }
    }

    @Test func promptNoneWithoutASessionReturnsLoginRequired() async throws {
        try await SandboxServer.running { server in
            let reply = try await Wire.get(RelyingParty(server: server).authorizationURL([("prompt", "none")]))
            #expect(reply.locationParameter("error") == "login_required")
        }
    }

    @Test func userCanChooseBetweenTwoAccounts() async throws {
        try await RelyingParty.running { _, party in
            var visitor = try await signedIn(party)
            let signIn = try await visitor.open(party.authorizationURL([("prompt", "login")]))
            let consent = try await visitor.signIn(signIn, username: "grace", password: "nanosecond")
            _ = try await visitor.submit(consent, action: "/consent", Self.everything)
            let choice = try await visitor.open(party.authorizationURL([("prompt", "select_account")]))
            #expect(choice.text.contains("id=\"account-ada\"") && choice.text.contains("id=\"account-grace\""))
            let back = try await visitor.submit(choice, action: "/choose-account", [("username", "ada")])
            let tokens = try await party.exchange(code: #require(back.locationParameter("code"))).json()
            #expect(DecodedToken(try tokens.text("id_token")).claims?["sub"] == "sandbox-ada")
        }
    }

    @Test func promptCreateCreatesAnAccountAndSignsIn() async throws {
        try await RelyingParty.running { _, party in
            var visitor = Visitor(origin: party.origin)
            let form = try await visitor.open(party.authorizationURL([("prompt", "create")]))
            #expect(form.text.contains("id=\"signup\""))
            let entry = [("username", "noor"), ("name", "Noor نور"), ("email", "noor@example.org"), ("password", "light")]
            let taken = try await visitor.submit(form, action: "/sign-up", [("username", "ada")] + entry.dropFirst())
            #expect(taken.status == 400 && taken.text.contains("is taken"))
            let consent = try await visitor.submit(form, action: "/sign-up", entry)
            let back = try await visitor.submit(consent, action: "/consent", Self.everything)
            let tokens = try await party.exchange(code: #require(back.locationParameter("code"))).json()
            #expect(try await party.userInfo(tokens.text("access_token")).json()["name"] == "Noor نور")
        }
    }

    @Test func separateSignUpPageCreatesAnAccount() async throws {
        try await RelyingParty.running { server, party in
            var visitor = Visitor(origin: party.origin)
            let form = try await visitor.open(server.issuer + "/sign-up")
            let done = try await visitor.submit(
                form, action: "/sign-up", [("username", "kit"), ("name", "Kit"), ("email", "kit@example.org"), ("password", "pw")])
            #expect(done.status == 201)
            let consent = try await visitor.signIn(visitor.open(party.authorizationURL()), username: "kit", password: "pw")
            #expect(consent.text.contains("id=\"allow\""))
        }
    }

    @Test(arguments: ["/sign-in", "/consent", "/choose-account", "/sign-up"])
    func anotherBrowserCannotContinueASignIn(action: String) async throws {
        try await RelyingParty.running { server, party in
            let page = try await Wire.get(party.authorizationURL())
            var thief = Visitor(origin: party.origin)
            let fields = [
                (
                    "interaction",
                    try #require(
                        page.text.split(separator: "name=\"interaction\" value=\"").dropFirst().first?.split(separator: "\"").first.map(
                            String.init))
                ),
                ("username", "ada"), ("password", Self.password), ("decision", "allow"),
            ]
            _ = try await thief.open(server.issuer + "/")
            let reply = try await Wire.post(server.issuer + action, fields)
            #expect(reply.status == 400)
            #expect(reply.location == nil)
        }
    }

    @Test func logoutWithAHintRedirectsTheBrowser() async throws {
        try await RelyingParty.running { server, party in
            var visitor = try await signedIn(party)
            let code = try #require(try await visitor.open(party.authorizationURL([("scope", "openid")])).locationParameter("code"))
            let tokens = try await party.exchange(code: code).json()
            let logout = [
                ("id_token_hint", try tokens.text("id_token")), ("post_logout_redirect_uri", party.redirect), ("state", "bye"),
            ]
            let reply = try await visitor.open(server.issuer + "/logout?" + FormEncoding.encode(logout))
            #expect(reply.location == party.redirect + "?state=bye")
            #expect(try await visitor.open(party.authorizationURL()).text.contains("id=\"login\""))
            #expect(try await party.userInfo(tokens.text("access_token")).status == 401)
        }
    }

    @Test(
        arguments: [
            (nil, "http://127.0.0.1:9999/callback"), ("a b&c=d", "http://127.0.0.1:9999/callback?state=a%20b%26c%3Dd"),
        ] as [(String?, String)])
    func logoutReturnsTheStateUnchanged(state: String?, location: String) async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada")) { server, party in
            let hint = try await party.tokens().text("id_token")
            let fields = [("id_token_hint", hint), ("post_logout_redirect_uri", party.redirect)] + (state.map { [("state", $0)] } ?? [])
            let reply = try await Wire.get(server.issuer + "/logout?" + FormEncoding.encode(fields))
            #expect(reply.location == location)
            let nowhere = try await Wire.get(
                server.issuer + "/logout?" + FormEncoding.encode(fields.filter { $0.0 != "post_logout_redirect_uri" }))
            #expect(nowhere.status == 200 && nowhere.location == nil)
        }
    }

    @Test func logoutWithoutAHintAsksTheUser() async throws {
        try await RelyingParty.running { server, party in
            var visitor = try await signedIn(party)
            let page = try await visitor.open(server.issuer + "/logout?client_id=yett")
            #expect(page.text.contains("id=\"logout\""))
            #expect(try await visitor.open(party.authorizationURL()).locationParameter("code") != nil)
            let done = try await visitor.submit(page, action: "/logout", [("decision", "sign-out")])
            #expect(done.status == 200 && done.location == nil)
            #expect(try await visitor.open(party.authorizationURL()).text.contains("id=\"login\""))
        }
    }

    @Test(arguments: [
        [("id_token_hint", "unknown")], [("client_id", "yett"), ("post_logout_redirect_uri", "https://evil.example/")],
        [("post_logout_redirect_uri", "http://127.0.0.1:9999/callback")],
    ])
    func invalidLogoutIsRefused(fields: [(String, String)]) async throws {
        try await SandboxServer.running { server in
            let reply = try await Wire.get(server.issuer + "/logout?" + FormEncoding.encode(fields))
            #expect(reply.status == 400)
            #expect(reply.location == nil)
        }
    }

    @Test(arguments: LogoutFault.allCases.filter { !$0.affectsRevocation })
    func logoutRedirectHasTheFault(fault: LogoutFault) async throws {
        try await RelyingParty.running(SandboxConfiguration(autoApproves: "ada")) { server, party in
            let hint = try await party.tokens().text("id_token")
            await server.set([.logout(fault)])
            let logout = [("id_token_hint", hint), ("post_logout_redirect_uri", party.redirect), ("state", "bye")]
            let reply = try await Wire.get(server.issuer + "/logout?" + FormEncoding.encode(logout))
            let expected: String? =
                switch fault {
                case .stateMissing: party.redirect
                case .stateWrong: party.redirect + "?state=bye1"
                default: nil
                }
            #expect(reply.location == expected)
        }
    }
}
