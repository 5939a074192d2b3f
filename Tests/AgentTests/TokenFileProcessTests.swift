import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// `yett token --file` with a running agent, as a program sees the file.
@Suite(.startsPrograms) struct TokenFileProcessTests {
    private let sandbox: SandboxProvider
    private let home: TemporaryHome

    init() async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        home = try TemporaryHome()
        try home.configure("[store]\nseal = \"key-file\"\n[providers.sandbox]\n\(sandbox.settings)\n")
        let login = try await signIn()
        try #require(login.status == 0, "\(login)")
    }

    private func signIn() async throws -> ProgramResult {
        try await home.yett("login", "sandbox", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
    }

    private var text: String? { home.read("token").map { String(decoding: $0, as: UTF8.self) } }

    @Test func fileFollowsTheSession() async throws {
        let path = home.path + "/token"
        let kept = try await home.yett("token", "sandbox", "--file", path)
        #expect(kept.status == 0 && kept.output.isEmpty, "\(kept)")
        let first = try #require(text)
        #expect(try await home.yett("token", "sandbox").output == first + "\n")
        #expect(try await home.yett("files").output.contains("has a token"))

        #expect(try await home.yett("renew", "sandbox").status == 0)
        try await eventually("the file has the old token") { text != nil && text != first }
        #expect(try await home.yett("token", "sandbox").output == (text ?? "") + "\n")

        #expect(try await home.yett("logout", "sandbox").status == 0)
        try await eventually("the file is still there") { text == nil }
        #expect(try await home.yett("files").output.contains("no token now"))
        #expect(try await signIn().status == 0)
        try await eventually("the file does not come back") { text != nil }

        let ended = try await home.yett("files", "--end", path)
        #expect(ended.status == 0 && text == nil, "\(ended)")
        #expect(try await home.yett("files", "--end", path).status == 64)
        _ = try await home.yett("agent", "stop")
    }

    /// No process keeps the token fresh or removes it after a sign-out, so it does not outlast the agent.
    @Test func stoppedAgentLeavesNoToken() async throws {
        let path = home.path + "/token"
        #expect(try await home.yett("token", "sandbox", "--file", path).status == 0 && text != nil)
        #expect(try await home.yett("agent", "stop").status == 0)
        #expect(text == nil)
        // The next agent writes it again.
        #expect(try await home.yett("agent", "start").status == 0)
        try await eventually("the file does not come back") { text != nil }
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    /// A killed agent leaves the token; the command that ends the session without an agent removes it.
    @Test(arguments: [["logout", "sandbox"], ["logout", "sandbox", "--local"], ["logout", "--all"]])
    func signOutWithoutAnAgentRemovesTheToken(arguments: [String]) async throws {
        let path = home.path + "/token"
        #expect(try await home.yett("token", "sandbox", "--file", path).status == 0)
        #expect(try await home.yett("agent", "stop").status == 0)
        try home.write("left", to: "token")
        let result = try await home.program("yett-main", arguments + ["--no-agent"]).run()
        #expect(result.status == 0, "\(result)")
        #expect(text == nil)
        #expect(try await home.yett("files", "--no-agent").output.contains("no token now"))
    }
}
