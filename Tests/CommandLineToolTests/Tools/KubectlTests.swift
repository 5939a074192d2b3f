import ProcessHarness
import TestSupport
import Testing

/// kubectl, with a stand-in for a cluster's server: when there is no token, the user reads why, and the server gets no credential.
@Suite(.enabled(if: Product.installed("kubectl") != nil, "kubectl is not installed"))
struct KubectlTests {
    private struct World {
        let signedIn: SignedInHome
        let cluster: StandInServer
        let kubectl: String

        /// `PATH`, with the built programs first.
        static var path: [String: String?] {
            ["PATH": Product.searchPath]
        }

        func get() async throws -> ProgramResult {
            try await Program(
                kubectl, ["get", "--raw", "/version"], environment: signedIn.home.environment(with: Self.path), folder: signedIn.home.path
            ).run()
        }

        var credentials: [String] { cluster.requests.compactMap { $0.header("Authorization") } }

        func expectRefused(_ words: [String]) async throws {
            let before = credentials.count
            let result = try await get()
            #expect(result.status != 0 && result.output.isEmpty, "\(result)")
            for word in words { #expect(result.errors.contains(word), "\(result)") }
            #expect(credentials.count == before)
        }
    }

    /// Runs `body` in a signed-in home whose kubectl gets its token from Yett.
    ///
    /// - Parameter isAllowed: whether the token may be sent to the cluster.
    private func running(
        _ settings: String = "", isAllowed: Bool = true, seal: String = "key-file", sandbox options: [String] = [],
        _ body: (World) async throws -> Void
    ) async throws {
        let cluster = try StandInServer { request in
            let isSignedIn = request.header("Authorization")?.hasPrefix("Bearer ") == true
            return .init(status: isSignedIn ? 200 : 401, headers: ["Content-Type: application/json"], body: Array("{}".utf8))
        }
        let authority = try TestAuthority()
        let front = try authority.front("good", to: cluster.port)
        let host = isAllowed ? front.port : 1
        let signedIn = try await SignedInHome(seal: seal, sandbox: options)
        try signedIn.configure("api_hosts = [\"127.0.0.1:\(host)\"]\n\(settings)")
        let kubeconfig = Kubeconfig(server: front.port, authority: authority.rootFile, program: "yett", mode: "IfAvailable")
        try signedIn.home.write(kubeconfig.text, to: ".kube/config")
        try await body(World(signedIn: signedIn, cluster: cluster, kubectl: try #require(Product.installed("kubectl"))))
        try await signedIn.stopAgent()
    }

    @Test func expiredTokenIsRenewed() async throws {
        try await running(sandbox: ["--access-lifetime", "2"]) { world in
            let first = try await world.signedIn.home.yett("token", "sandbox", "--id-token").output.dropLast()
            try await eventually("the token stays") {
                try await world.signedIn.home.yett("token", "sandbox", "--id-token").output.dropLast() != first
            }
            let result = try await world.get()
            #expect(result.status == 0 && result.output == "{}", "\(result)")
            #expect(!world.credentials.isEmpty && !world.credentials.contains("Bearer \(first)"))
        }
    }

    @Test func lockedStoreSaysHowToUnlockIt() async throws {
        try await running(seal: "passphrase") { world in
            #expect(try await world.signedIn.home.yett("agent", "lock").status == 0)
            try await world.expectRefused(["the store is locked", "yett agent unlock"])
        }
    }

    @Test func signedOutSaysHowToSignIn() async throws {
        try await running { world in
            #expect(try await world.signedIn.home.yett("logout", "sandbox").status == 0)
            try await world.expectRefused(["yett login sandbox"])
        }
    }

    @Test func endedSessionSaysHowToSignIn() async throws {
        try await running(sandbox: ["--access-lifetime", "2", "--fault", "refresh-invalid-grant"]) { world in
            try await eventually("the session stays") { try await world.signedIn.home.yett("token", "sandbox").status != 0 }
            try await world.expectRefused(["ended the session", "yett login sandbox"])
        }
    }

    @Test func providerThatIsDownIsReported() async throws {
        try await running(sandbox: ["--access-lifetime", "2"]) { world in
            await world.signedIn.sandbox.stop()
            try await eventually("the token stays") { try await world.signedIn.home.yett("token", "sandbox").status != 0 }
            try await world.expectRefused(["yett: error: ", "yett: hint: "])
        }
    }

    @Test func otherClusterGetsNoToken() async throws {
        try await running(isAllowed: false) { world in
            try await world.expectRefused(["tokens of sandbox are not sent to 127.0.0.1:", "add api_hosts = [\"127.0.0.1:"])
        }
    }

    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func refusedConsentSendsNothing() async throws {
        try await running("policy = \"ask\"") { world in
            try await world.expectRefused(["needs your consent, but no app is open"])
            let terminal = try await TmuxTerminal(world.signedIn.home, size: .init(120, 40), with: World.path)
            for (answer, isConsent) in [("n", false), ("y", true)] {
                let line = try await terminal.start("kubectl get --raw /version >answer")
                // kubectl may be a program that chooses among versions, and asks the server for its own first.
                while case let screen = try await terminal.wait(until: { line.hasEnded(on: $0) || Self.isAsked($0) }), Self.isAsked(screen)
                {
                    let count = Self.questions(on: screen)
                    try await terminal.enter(answer)
                    // The next question may be there at once.
                    try await terminal.wait { !Self.isAsked($0) || Self.questions(on: $0) > count }
                }
                let end = try await terminal.end(of: line)
                #expect((end.status == 0) == isConsent, "\(end.screen)")
                #expect(world.credentials.isEmpty != isConsent)
            }
        }
    }

    private static func questions(on screen: TerminalScreen) -> Int { screen.rows.count { $0.contains("[y/N]") } }

    /// Whether the cursor stands behind the question.
    private static func isAsked(_ screen: TerminalScreen) -> Bool { screen.rows[screen.cursorRow].hasSuffix("[y/N]") }
}
