import AuthModel
import Testing

@testable import Sandbox

@Suite struct InteractionTests {
    private static let now = Timestamp(milliseconds: 10_000_000)

    private func request(_ extra: (String, String)...) throws -> ReceivedAuthorization {
        let parameters =
            [
                ("response_type", "code"), ("client_id", "yett"), ("redirect_uri", "http://127.0.0.1:1/callback"),
                ("scope", "openid email"),
                ("code_challenge", String(repeating: "A", count: 43)), ("code_challenge_method", "S256"),
            ] + extra
        return try ReceivedAuthorization(
            parameters: parameters.map { (name: $0.0, value: $0.1) }, client: { id in SandboxClient.standard.first { $0.id == id } },
            offersPromptCreate: true)
    }

    private func browser(_ accounts: [(String, secondsAgo: Int)]) -> BrowserSession {
        var session = BrowserSession()
        for (username, seconds) in accounts { session.signIn(username, now: Self.now - .seconds(seconds)) }
        return session
    }

    private func step(
        _ interaction: Interaction, _ browser: BrowserSession, consented: ScopeSet? = nil
    ) -> Interaction.Step {
        interaction.nextStep(browser: browser, remembered: { _ in consented }, now: Self.now)
    }

    private static let all: ScopeSet = ["openid", "email"]

    @Test func newUserSignsInAndConsents() throws {
        var interaction = Interaction(request: try request(), browserSession: "b")
        #expect(step(interaction, browser([])) == .signIn(hint: nil))
        interaction.signedInUsername = "ada"
        #expect(step(interaction, browser([("ada", 0)])) == .consent(username: "ada"))
        interaction.consented = ["openid"]
        #expect(step(interaction, browser([("ada", 0)])) == .finish(username: "ada", scopes: ["openid"]))
    }

    @Test func knownUserIsNotAsked() throws {
        let interaction = Interaction(request: try request(), browserSession: "b")
        #expect(step(interaction, browser([("ada", 9)]), consented: Self.all) == .finish(username: "ada", scopes: Self.all))
        #expect(step(interaction, browser([("ada", 9)]), consented: ["openid"]) == .consent(username: "ada"))
    }

    @Test(
        arguments: [
            (0, false, "login_required"), (1, false, "consent_required"), (1, true, nil),
        ] as [(Int, Bool, String?)])
    func promptNoneNeverShowsAPage(accounts: Int, isConsented: Bool, error: String?) throws {
        let interaction = Interaction(request: try request(("prompt", "none")), browserSession: "b")
        let outcome = step(interaction, browser(accounts == 0 ? [] : [("ada", 9)]), consented: isConsented ? Self.all : nil)
        var code: String?
        if case .refuse(let refusal) = outcome { code = refusal.code }
        #expect(code == error)
        #expect((outcome == .finish(username: "ada", scopes: Self.all)) == (error == nil))
    }

    @Test func promptNoneRefusesAnOldSignInOrAnotherUser() throws {
        let old = Interaction(request: try request(("prompt", "none"), ("max_age", "5")), browserSession: "b")
        let other = Interaction(request: try request(("prompt", "none"), ("login_hint", "grace")), browserSession: "b")
        let refusal = Interaction.Step.refuse(ErrorReply("login_required", "no user is signed in"))
        #expect(step(old, browser([("ada", 6)]), consented: Self.all) == refusal)
        #expect(step(other, browser([("ada", 6)]), consented: Self.all) == refusal)
    }

    @Test func promptLoginAsksForTheSignInAgain() throws {
        var interaction = Interaction(request: try request(("prompt", "login")), browserSession: "b")
        #expect(step(interaction, browser([("ada", 1)]), consented: Self.all) == .signIn(hint: nil))
        interaction.signedInUsername = "grace"
        #expect(
            step(interaction, browser([("ada", 1), ("grace", 0)]), consented: Self.all) == .finish(username: "grace", scopes: Self.all))
    }

    @Test func promptConsentAsksAgain() throws {
        let interaction = Interaction(request: try request(("prompt", "consent")), browserSession: "b")
        #expect(step(interaction, browser([("ada", 1)]), consented: Self.all) == .consent(username: "ada"))
    }

    @Test func promptCreateShowsTheSignUpPage() throws {
        var interaction = Interaction(request: try request(("prompt", "create")), browserSession: "b")
        #expect(step(interaction, browser([("ada", 1)]), consented: Self.all) == .signUp)
        interaction.signedInUsername = "new"
        #expect(step(interaction, browser([("new", 0)])) == .consent(username: "new"))
    }

    @Test func promptSelectAccountOffersSignedInAccounts() throws {
        var interaction = Interaction(request: try request(("prompt", "select_account")), browserSession: "b")
        #expect(step(interaction, browser([])) == .signIn(hint: nil))
        let both = browser([("ada", 2), ("grace", 1)])
        #expect(step(interaction, both, consented: Self.all) == .chooseAccount)
        interaction.chosen = "ada"
        #expect(step(interaction, both, consented: Self.all) == .finish(username: "ada", scopes: Self.all))
    }

    @Test(arguments: [(59, true), (60, true), (61, false)])
    func signInOlderThanMaxAgeIsRepeated(secondsAgo: Int, isGood: Bool) throws {
        let interaction = Interaction(request: try request(("max_age", "60")), browserSession: "b")
        let outcome = step(interaction, browser([("ada", secondsAgo)]), consented: Self.all)
        #expect(outcome == (isGood ? .finish(username: "ada", scopes: Self.all) : .signIn(hint: "ada")))
    }

    @Test func loginHintSelectsAnAccountOrFillsTheForm() throws {
        let both = browser([("ada", 2), ("grace", 1)])
        let known = Interaction(request: try request(("login_hint", "ada@example.org")), browserSession: "b")
        #expect(step(known, both, consented: Self.all) == .finish(username: "ada", scopes: Self.all))
        let unknown = Interaction(request: try request(("login_hint", "linus")), browserSession: "b")
        #expect(step(unknown, both, consented: Self.all) == .signIn(hint: "linus"))
    }

    @Test func browserSessionsExpire() {
        var session = browser([("ada", 100), ("grace", 10)])
        session.expire(lifetime: .seconds(50), now: Self.now)
        #expect(session.accounts.map(\.username) == ["grace"])
    }
}
