import AuthModel
import Glibc
import ProcessHarness
import Testing

/// The life of one session at one provider, from sign-in to sign-out.
struct Journey {
    /// What the provider does with a token after the user signed out.
    enum Revocation {
        /// The provider revokes the token.
        case works
        /// The provider refuses revocation by a public client, so the token stays valid until it expires.
        case refusesPublicClients
    }

    let provider: RealProvider
    let revocation: Revocation

    let home: TemporaryHome
    static let name = "work"
    static let session = "work/ada"

    init(_ provider: RealProvider, revocation: Revocation) throws {
        self.provider = provider
        self.revocation = revocation
        home = try TemporaryHome()
    }

    var log: String { home.path + "/browser.log" }

    var browserLog: String {
        String(decoding: home.read("browser.log") ?? [], as: UTF8.self)
    }

    /// Runs every command in turn, without a terminal.
    func commandsCoverTheLifeOfASession() async throws {
        try await provider.running { provider in
            try configure(provider)
            let signedIn = try await signIn(at: provider)
            let status = try await answer("status", "--json")
            #expect(status == signedIn)

            let first = try await token()
            try await expectAccepted(first, at: provider)
            try await expectAcceptedFromCurl(at: provider)
            try await renew()
            let second = try await token()
            #expect(second != first)
            try await expectAccepted(second, at: provider)
            try await expectAcceptedFromCurl(at: provider)
            #expect(home.files(containing: first) == [])
            #expect(home.files(containing: second) == [])
            #expect(home.files(containing: home.canary) == [])

            let logout = try await home.yett("logout", "--json")
            try expectReceipt(logout)
            #expect(try await answer("status", "--json")["sessions"]?.array == [])
            #expect(try await home.yett("token", Self.session).status == 9)
            try await expectEnded(second, at: provider)
        }
    }

    /// Runs the same steps in the terminal app, from the first key to a refused token.
    func appCoversTheLifeOfASession() async throws {
        try await provider.running { provider in
            try configure(provider)
            let terminal = try await TmuxTerminal(
                home, size: .init(100, 30),
                with: ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin", "BROWSER": Browser.command(log: log)])
            try await terminal.enter("clear; yett")
            try await terminal.wait { $0.isAlternate && $0.shows("Sign in") && $0.shows(Self.name) }
            try await terminal.press("s")
            try await terminal.wait(for: "Where do you want to sign in?")
            try await terminal.press("Enter")
            try await terminal.wait(for: "http://127.0.0.1:")
            do {
                try await terminal.wait(for: "Welcome, ada.", within: .seconds(300))
            } catch {
                throw HarnessError("\(error)\nthe browser:\n\(browserLog)")
            }
            try await terminal.press("Enter")
            let list = try await terminal.wait { $0.shows(Self.session) && $0.shows("signed in") && $0.shows(" min ") }
            let row = try #require(list.rows.first { $0.contains(Self.session) })
            // The countdown runs.
            try await terminal.wait { screen in screen.rows.contains { $0.contains(Self.session) && $0 != row } }

            // The shell gets a token while the app is stopped.
            try await terminal.press("C-z")
            try await terminal.wait { !$0.isAlternate && $0.shows("Stopped") }
            #expect(try await terminal.run("yett token \(Self.session) >token; echo $?") == ["0"])
            let token = String(decoding: try #require(home.read("token")), as: UTF8.self).split(separator: "\n").joined()
            try home.write("", to: "token")
            try await expectAccepted(token, at: provider)
            try await terminal.enter("fg")
            try await terminal.wait { $0.isAlternate && $0.shows(Self.session) }

            try await terminal.press("o")
            try await terminal.wait(for: "How do you want to sign out of")
            try await terminal.press("1")
            let receipt = try await terminal.wait(for: "Receipt", within: .seconds(300))
            #expect(receipt.shows(revocation == .works ? "You are signed out of" : "was forgotten here, but"))
            try await terminal.press("Enter")
            try await terminal.wait { $0.shows("Sign in") && !$0.shows(Self.session) }
            try await terminal.press("q")
            try await terminal.wait { !$0.isAlternate && $0.foregroundProgram == "bash" }
            try await expectEnded(token, at: provider)
            #expect(home.files(containing: token) == [])
        }
    }

    /// Denies consent at the provider.
    /// - Parameter status: The exit status of the sign-in: 5, or 8 if the provider's error response fails a security check.
    func deniedConsentFailsTheSignIn(endsWith status: Int32) async throws {
        try await provider.running { provider in
            try configure(provider)
            let login = try await home.yett(
                "login", "--json", with: ["BROWSER": Browser.command(["--deny"], log: log)], limit: .seconds(300))
            #expect(login.status == status, "\(login)\n\(browserLog)")
            #expect(login.output == "")
            #expect(login.errors.contains("yett: error: "))
            #expect(try await answer("status", "--json")["sessions"]?.array == [])
        }
    }

    /// Creates a new account during the sign-up.
    func signUpCreatesAnAccount() async throws {
        try await provider.running { provider in
            try configure(provider)
            let browser = Browser.command(["--sign-up", "--user", "newcomer", "--password", "a long new passphrase"], log: log)
            let signup = try await home.yett("signup", "--json", with: ["BROWSER": browser], limit: .seconds(300))
            #expect(signup.status == 0, "\(signup)\n\(browserLog)")
            let token = try await home.yett("token", Self.name)
            #expect(token.status == 0)
            try await expectAccepted(String(token.output.dropLast()), at: provider)
        }
    }

    // MARK: Steps

    func configure(_ provider: StartedProvider, more: String = "") throws {
        try home.configure(provider, as: Self.name, more: more)
    }

    private func signIn(at provider: StartedProvider) async throws -> JSONValue {
        let login = try await home.yett("login", Self.name, "--json", with: ["BROWSER": Browser.command(log: log)], limit: .seconds(300))
        #expect(login.status == 0, "\(login)\nthe browser:\n\(browserLog)")
        let answer = try JSONValue(strict: login.output)
        #expect(answer["version"]?.integer == 1)
        let session = try #require(answer["sessions"]?.array?.first)
        #expect(session["session"]?.string == Self.session)
        #expect(session["account"]?.string == "ada")
        #expect(session["issuer"]?.string == provider.issuer)
        #expect(session["state"]?.string == "signed_in")
        #expect(session["renewable"]?.bool == true)
        #expect(session["scopes"]?.array?.contains(.string("openid")) == true)
        #expect(session["access_expires_at"]?.string?.hasSuffix("Z") == true)
        #expect(login.errors.contains(provider.issuer))
        return answer
    }

    func answer(_ arguments: String...) async throws -> JSONValue {
        let result = try await home.program("yett-main", arguments).run()
        #expect(result.status == 0, "\(result)")
        return try JSONValue(strict: result.output)
    }

    func token() async throws -> String {
        let result = try await home.yett("token", Self.session)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors == "")
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "")
        return String(try #require(lines.first))
    }

    /// Tries again once, in the next second, because one provider answers 500 to a second token in the same second; yett reports that as a
    /// transient failure.
    private func renew() async throws {
        var result = try await home.yett("renew", Self.session)
        if result.status == 7 {
            let second = time(nil)
            try await eventually("the next second did not begin") { time(nil) > second }
            result = try await home.yett("renew", Self.session)
        }
        #expect(result.status == 0, "\(result)")
    }

    private func expectReceipt(_ logout: ProgramResult) throws {
        #expect(logout.status == (revocation == .works ? 0 : 7), "\(logout)")
        let receipt = try #require(try JSONValue(strict: logout.output)["receipts"]?.array?.first)
        #expect(receipt["complete"]?.bool == (revocation == .works))
        let steps = try #require(receipt["steps"]?.array)
        #expect(steps.last?["step"]?.string == "forget")
        #expect(steps.last?["outcome"]?.string == "done")
    }

    func expectAccepted(_ token: String, at provider: StartedProvider) async throws {
        let answer = try await Resource.userInfo(at: provider, token: token)
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.json?["sub"]?.string?.isEmpty == false)
    }

    /// Calls curl as a user does in a shell, with the default configuration.
    private func expectAcceptedFromCurl(at provider: StartedProvider) async throws {
        let userInfo = try #require(try await Resource.metadata(of: provider)["userinfo_endpoint"]?.string)
        let command = "curl --silent --show-error --fail -H \"$(yett token \(Self.name) --header)\" '\(userInfo)'"
        let path: [String: String?] = ["PATH": "\(Product.folder):/usr/local/bin:/usr/bin:/bin"]
        let result = try await Program("/bin/sh", ["-c", command], environment: home.environment(with: path), folder: home.path).run()
        #expect(result.status == 0, "\(result)")
        #expect(try JSONValue(strict: result.output)["sub"]?.string?.isEmpty == false)
    }

    func expectEnded(_ token: String, at provider: StartedProvider) async throws {
        let answer = try await Resource.userInfo(at: provider, token: token)
        #expect(answer.status == (revocation == .works ? 401 : 200), "\(answer)")
    }
}
