import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// `yett ssh` with a real sshd on loopback: from one home to another, as between two machines.
@Suite(.startsPrograms) struct SSHTests {
    private let sandbox: SandboxProvider
    private let home: TemporaryHome
    private let far: TemporaryHome
    private let server: SSHServer

    init() async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        home = try TemporaryHome()
        far = try TemporaryHome()
        server = try await SSHServer(in: far)
        try configure("[agent]\nforward = [\"work\"]")
        let login = try await home.yett("login", "work", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")
    }

    private func configure(_ agent: String, _ provider: String = "") throws {
        try home.configure("[store]\nseal = \"key-file\"\n\(agent)\n[providers.work]\n\(sandbox.settings)\n\(provider)\n")
    }

    /// Runs yett on the far machine through `yett ssh`, in its home: ssh passes no variable on.
    private func there(_ words: String...) async throws -> ProgramResult {
        let variables = far.environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        let command = "env \(variables) \(try Product.program("yett-main")) \(words.joined(separator: " "))"
        return try await home.program("yett-main", ["ssh"] + server.options + [server.host, command]).run()
    }

    @Test func farMachineListsAndUsesWhatIsForwarded() async throws {
        let status = try await there("status")
        #expect(status.status == 0 && status.output.contains("work/ada"), "\(status)")
        let user = try #require(server.host.split(separator: "@").first)
        #expect(status.errors.contains("through \(user)@"), "\(status)")
        let token = try await there("token", "work")
        #expect(token.status == 0 && token.output.count > 20, "\(token)")
        #expect(try await home.yett("token", "work").output == token.output)
        // At home, the activity names the far machine, and the session was not changed.
        let activity = try await home.yett("activity")
        #expect(activity.output.contains("\(server.host), through ssh"), "\(activity)")
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    @Test func farMachineCanDoNothingElse() async throws {
        for words in ["agent lock", "agent stop", "logout work", "renew work", "inspect work", "switch work/ada"] {
            let result = try await there(words)
            #expect(result.status != 0, "\(words): \(result)")
        }
        let status = try await home.yett("status", "--json")
        #expect(status.status == 0 && status.output.contains("signed_in"), "\(status)")
        #expect(try await home.yett("agent", "status").output.contains("unlocked"))
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    @Test func brokenConnectionAndMissingSettingSaySo() async throws {
        let gone = try await far.yett("token", "work", with: ["YETT_AGENT_SOCK": "/tmp/yett-no-such.sock"])
        #expect(gone.status == 7 && gone.errors.contains("yett ssh"), "\(gone)")
        try configure("")
        let unset = try await home.yett("ssh", server.host)
        #expect(unset.status == 2 && unset.errors.contains("[agent] forward"), "\(unset)")
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    /// What a user of the far machine reads when there is no token, and that the way out is at home.
    @Test func farMachineReadsWhyThereIsNoToken() async throws {
        let noSession = try await there("token", "other")
        #expect(noSession.status != 0 && noSession.output.isEmpty && noSession.errors.contains("other"), "\(noSession)")

        try configure("[agent]\nforward = [\"work\"]", "policy = \"ask\"")
        let unasked = try await there("token", "work")
        #expect(unasked.status == 5 && unasked.output.isEmpty && unasked.errors.contains("needs your consent"), "\(unasked)")
        try configure("[agent]\nforward = [\"work\"]")

        #expect(try await home.yett("agent", "lock").status == 0)
        let locked = try await there("token", "work")
        #expect(locked.status == 2 && locked.output.isEmpty, "\(locked)")
        #expect(locked.errors.contains("is locked\nyett: hint: unlock it there: yett agent unlock"), "\(locked)")
        #expect(try await home.yett("agent", "unlock").status == 0)
        #expect(try await there("token", "work").status == 0)

        #expect(try await home.yett("logout", "work").status == 0)
        let signedOut = try await there("token", "work")
        #expect(signedOut.status == 9 && signedOut.output.isEmpty, "\(signedOut)")
        #expect(signedOut.errors.contains("sign in there: yett login work"), "\(signedOut)")
        #expect(try await home.yett("agent", "stop").status == 0)
    }
}
