import AuthModel
import ProcessHarness
import Testing

/// Credentials of AWS roles that a running agent keeps.
struct AgentRoleCredentialTests {
    private let service: TokenServiceStandIn
    private let signedIn: SignedInHome

    private static let role = "arn:aws:iam::123456789012:role/dev"
    private static let seal = "passphrase"

    init() async throws {
        service = try TokenServiceStandIn()
        signedIn = try await SignedInHome("api_hosts = [\"127.0.0.1:\(service.port)\"]", seal: Self.seal)
    }

    private var words: [String] {
        ["helper", "aws", "sandbox", "--role-arn", Self.role, "--endpoint", "http://127.0.0.1:\(service.port)/"]
    }

    private func ask(_ options: [String] = []) async throws -> ProgramResult {
        try await signedIn.home.program("yett", words + options).run()
    }

    private func expectCredentials(_ result: ProgramResult) throws {
        #expect(result.status == 0, "\(result)")
        #expect(try JSONValue(strict: result.output)["SecretAccessKey"]?.string == TokenServiceStandIn.secret)
    }

    private func expectNone(_ result: ProgramResult, status: Int32) {
        #expect(result.status == status && result.output.isEmpty, "\(result)")
    }

    @Test func areRequestedOnceAlsoAcrossARestart() async throws {
        try expectCredentials(try await ask())
        try expectCredentials(try await ask())
        #expect(service.requests.count == 1)
        #expect(signedIn.home.files(containing: TokenServiceStandIn.secret) == [])
        try await signedIn.stopAgent()
        let passphrase = ["YETT_PASSPHRASE_FILE": signedIn.home.path + "/passphrase"]
        #expect(try await signedIn.home.yett("agent", "unlock", with: passphrase).status == 0)
        try expectCredentials(try await ask())
        #expect(service.requests.count == 1)
        try await signedIn.stopAgent()
    }

    @Test func roleHasItsOwn() async throws {
        try expectCredentials(try await ask())
        let other = "arn:aws:iam::123456789012:role/other"
        try expectCredentials(try await ask(["--role-arn", other]))
        #expect(service.requests.count == 2)
        #expect(service.requests.last?.contains("role%2Fother") == true)
        try expectCredentials(try await ask())
        try expectCredentials(try await ask(["--role-arn", other]))
        #expect(service.requests.count == 2)
        try await signedIn.stopAgent()
    }

    @Test func lockedStoreGivesNone() async throws {
        try expectCredentials(try await ask())
        #expect(try await signedIn.home.yett("agent", "lock").status == 0)
        expectNone(try await ask(), status: 2)
        #expect(service.requests.count == 1)
        try await signedIn.stopAgent()
    }

    @Test func signOutRemovesThem() async throws {
        try expectCredentials(try await ask())
        #expect(try await signedIn.home.yett("logout", "sandbox").status == 0)
        expectNone(try await ask(), status: 9)
        #expect(service.requests.count == 1)
        try await signedIn.signIn()
        try expectCredentials(try await ask())
        #expect(service.requests.count == 2)
        try await signedIn.stopAgent()
    }

    /// The user is asked for each use, so credentials that were kept before the policy changed are not used either.
    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func policyAskAsksForEachUse() async throws {
        try expectCredentials(try await ask())
        try signedIn.configure("policy = \"ask\"")
        // No one can answer.
        expectNone(try await ask(), status: 5)
        let terminal = try await TmuxTerminal(
            signedIn.home, size: .init(100, 30), with: ["PATH": "\(Product.folder):/usr/bin:/bin"])
        for (answer, status, requests) in [("n", 5, 1), ("y", 0, 2), ("", 5, 2), ("y", 0, 3)] {
            let line = try await terminal.start("yett \(words.joined(separator: " ")) >answer")
            try await terminal.wait(for: "Allow?")
            try await terminal.enter(answer)
            let end = try await terminal.end(of: line)
            #expect(end.status == status, "\(end.screen)")
            #expect(service.requests.count == requests)
            let text = String(decoding: try #require(signedIn.home.read("answer")), as: UTF8.self)
            #expect(text.contains(TokenServiceStandIn.secret) == (status == 0))
        }
        try await signedIn.stopAgent()
    }
}
