import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// git with a server that asks the provider whose tokens it is given.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: ToolServer.git.isInstalled, "git or Python is not installed"))
struct GitTests {
    /// A home in which git gets its tokens from Yett, and the server.
    private struct World {
        let signedIn: SignedInHome
        let server: StartedServer
        var home: TemporaryHome { signedIn.home }
        var repository: String { server.address + "/work.git" }

        func git(_ words: String..., with changes: [String: String?] = [:]) async throws -> ProgramResult {
            let environment = home.environment(
                with: ["PATH": Product.searchPath, "GIT_TERMINAL_PROMPT": "0"].merging(changes) { $1 })
            return try await Program(
                #require(Product.installed("git")), words, environment: environment, folder: home.path
            ).run()
        }

        func fetch() async throws -> ProgramResult { try await git("ls-remote", repository) }

        /// git fails, the user reads why, and the server got no credential.
        func expectRefused(_ words: [String]) async throws {
            let before = requests("refused").count + requests("ada").count
            let result = try await fetch()
            #expect(result.status == 128 && result.output.isEmpty, "\(result)")
            for word in words { #expect(result.errors.contains(word), "\(result)") }
            #expect(requests("refused").count + requests("ada").count == before)
        }

        /// The requests of a user, or those that were `refused` or had `no credential`.
        func requests(_ user: String) -> [Substring] { server.log.split(separator: "\n").filter { $0.hasPrefix(user + " ") } }
    }

    /// Runs `body` with a home that is signed in, and in which `yett setup git` has set up the server.
    private func settingUp(
        seal: String = "key-file", sandbox options: [String] = [], _ body: (World) async throws -> Void
    ) async throws {
        let signedIn = try await SignedInHome(seal: seal, sandbox: options)
        try await ToolServer.git.running(issuer: signedIn.sandbox.issuer) { server in
            let world = World(signedIn: signedIn, server: server)
            try signedIn.home.write("[user]\n\tname = Ada\n\temail = ada@example.org\n", to: ".gitconfig")
            let setup = try await signedIn.home.program(
                "yett", ["setup", "git", server.address, "sandbox", "--yes"], with: ["PATH": Product.searchPath]
            ).run()
            // Not the status: its check fails where the session ends at once.
            try #require(setup.output.hasPrefix("set up: git gets tokens of sandbox"), "\(setup)")
            try await body(world)
        }
        try await signedIn.stopAgent()
    }

    @Test func cloneCommitPush() async throws {
        try await settingUp { world in
            #expect(try await world.git("clone", world.repository, "first").status == 0)
            #expect(try await world.git("-C", "first", "commit", "--allow-empty", "--message", "One").status == 0)
            let push = try await world.git("-C", "first", "push", "origin", "HEAD:main")
            #expect(push.status == 0, "\(push)")
            #expect(try await world.git("clone", world.repository, "second").status == 0)
            #expect(try await world.git("-C", "second", "log", "--format=%s").output == "One\n")
            #expect(world.requests("ada").contains { $0.contains("POST /work.git/git-receive-pack") })
            let activity = try await world.home.yett("activity").output
            #expect(activity.contains("issued to git push") && activity.contains("issued to git clone"), "\(activity)")
            let token = try await world.home.yett("token", "sandbox").output.dropLast()
            #expect(world.home.files(containing: String(token)) == [] && !push.errors.contains(token))
        }
    }

    @Test func lockedStoreSaysHowToUnlockIt() async throws {
        try await settingUp(seal: "passphrase") { world in
            #expect(try await world.home.yett("agent", "lock").status == 0)
            try await world.expectRefused(["the store is locked", "yett agent unlock"])
        }
    }

    /// A token that is valid for less than a minute counts as expired. It lives longer than a busy machine takes to use it.
    @Test func expiredTokenIsRenewed() async throws {
        try await settingUp(sandbox: ["--access-lifetime", "50"]) { world in
            let first = try await world.home.yett("token", "sandbox").output
            try await eventually("the token stays") { try await world.home.yett("token", "sandbox").output != first }
            let result = try await world.fetch()
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        }
    }

    /// A server that refuses a token which has not expired: git reports it to its helper, and the next request has another token.
    @Test func refusedTokenIsReplaced() async throws {
        try await settingUp { world in
            let first = try await world.home.yett("token", "sandbox").output.dropLast()
            let metadata = try await Resource.metadata(of: world.signedIn.sandbox)
            let revocation = try #require(metadata["revocation_endpoint"]?.string)
            let words = ["-fsS", "-d", "client_id=yett", "-d", "token=\(first)", revocation]
            #expect(try await Program(#require(Product.installed("curl")), words, environment: world.home.environment).run().status == 0)
            let refused = try await world.fetch()
            #expect(refused.status == 128 && refused.errors.contains("Authentication failed"), "\(refused)")
            #expect(world.requests("refused").count == 1)
            let accepted = try await world.fetch()
            #expect(accepted.status == 0, "\(accepted)")
            #expect(try await world.home.yett("token", "sandbox").output.dropLast() != first)
        }
    }

    @Test func signedOutSaysHowToSignIn() async throws {
        try await settingUp { world in
            #expect(try await world.home.yett("logout", "sandbox").status == 0)
            try await world.expectRefused(["yett login sandbox"])
        }
    }

    @Test func endedSessionSaysHowToSignIn() async throws {
        try await settingUp(sandbox: ["--access-lifetime", "2", "--fault", "refresh-invalid-grant"]) { world in
            try await eventually("the session stays") { try await world.home.yett("token", "sandbox").status != 0 }
            try await world.expectRefused(["yett login sandbox"])
        }
    }

    @Test func providerThatIsDownIsReported() async throws {
        try await settingUp(sandbox: ["--access-lifetime", "2"]) { world in
            await world.signedIn.sandbox.stop()
            try await eventually("the token stays") { try await world.home.yett("token", "sandbox").status != 0 }
            try await world.expectRefused(["yett: error: ", "yett: hint: "])
        }
    }

    /// The helper for all hosts: one that no session allows gets nothing, and the user reads how to allow it.
    @Test func otherServerGetsNoToken() async throws {
        try await settingUp { world in
            try world.home.write("[credential]\n\thelper = !yett helper git\n", to: ".gitconfig")
            try await ToolServer.git.running(issuer: world.signedIn.sandbox.issuer) { other in
                let result = try await world.git("ls-remote", other.address + "/work.git")
                #expect(result.status == 128, "\(result)")
                let host = other.address.dropFirst("http://".count)
                #expect(result.errors.contains("no session's tokens may be sent to \(host)"), "\(result)")
                #expect(result.errors.contains("api_hosts = [\"\(host)\"]"), "\(result)")
                #expect(!other.log.contains("refused") && !other.log.contains("ada"))
            }
        }
    }

    @Test func refusedConsentSendsNothing() async throws {
        try await settingUp { world in
            let before = String(decoding: try #require(world.home.read("config/yett/config.toml")), as: UTF8.self)
            try world.home.configure(before + "policy = \"ask\"\n")
            try await world.expectRefused(["needs your consent, but no app is open"])
            let terminal = try await TmuxTerminal(world.home, size: .init(160, 30), with: ["PATH": Product.searchPath])
            for (answer, status) in [("n", 128), ("y", 0)] {
                let accepted = world.requests("ada").count
                let line = try await terminal.start("GIT_ASKPASS=true git ls-remote \(world.repository)")
                let question = try await terminal.wait(for: "Allow?")
                #expect(question.shows("asks for the token of sandbox"), "\(question)")
                #expect(question.shows("for yett helper git, 127.0.0.1:"), "\(question)")
                try await terminal.enter(answer)
                let end = try await terminal.end(of: line)
                #expect(end.status == status, "\(end.screen)")
                #expect((world.requests("ada").count > accepted) == (answer == "y"))
            }
        }
    }

    /// Ctrl-Z stops the helper too, after git: the shell may have its terminal back by then. The question is asked again with each `fg`.
    @Test func questionIsAskedAgainAfterAStop() async throws {
        try await settingUp { world in
            let before = String(decoding: try #require(world.home.read("config/yett/config.toml")), as: UTF8.self)
            try world.home.configure(before + "policy = \"ask\"\n")
            let terminal = try await TmuxTerminal(world.home, size: .init(100, 40), with: ["PATH": Product.searchPath])
            _ = try await terminal.start("GIT_ASKPASS=true git ls-remote \(world.repository)")
            for count in 1...5 {
                try await terminal.wait { $0.text.ranges(of: "Allow?").count == count }
                try await terminal.press("C-z")
                try await terminal.wait { $0.text.ranges(of: "Stopped").count == count && $0.foregroundProgram == "bash" }
                try await terminal.enter("fg")
            }
            try await terminal.wait { $0.text.ranges(of: "Allow?").count == 6 }
            try await terminal.enter("y")
            try await terminal.wait { $0.foregroundProgram == "bash" }
            #expect(!world.requests("ada").isEmpty)
            // The shell has its terminal as before.
            #expect(try await terminal.run("stty -a | tr ' ' '\\n' | grep -cE '^(icanon|echo|icrnl|isig)$'") == ["4"])
        }
    }
}
