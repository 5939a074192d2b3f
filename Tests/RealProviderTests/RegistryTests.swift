import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// skopeo with a genuine registry, whose token server accepts access tokens as passwords: in a signed-in home, and when there is no token.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: RegistryClient.isInstalled, RegistryClient.absence))
struct RegistryTests {
    /// Runs `body` in a signed-in home with a registry.
    ///
    /// - Parameter isSetUp: whether skopeo already gets tokens for the registry.
    private func running(
        isSetUp: Bool = true, sandbox options: [String] = [],
        _ body: (RegistryClient, SignedInHome) async throws -> Void
    ) async throws {
        let signedIn = try await SignedInHome(sandbox: options)
        try await ToolServer.registry.running(issuer: signedIn.sandbox.issuer) { server in
            let client = try RegistryClient(home: signedIn.home, server: server)
            if isSetUp {
                try client.setUp()
                try signedIn.configure("api_hosts = [\"\(client.registry)\"]")
            }
            try await body(client, signedIn)
            try await signedIn.stopAgent()
        }
    }

    @Test func setupLetsSkopeoCopyImages() async throws {
        try await running(isSetUp: false) { client, signedIn in
            try await client.expectRefusedWithoutHelper()
            let setup = try await client.yett("setup", "docker", client.registry, "sandbox", "--yes")
            #expect(setup.status == 0, "\(setup)")
            #expect(
                setup.output == """
                    set up: docker gets tokens of sandbox for \(client.registry)
                    checked: docker-credential-yett get returned a token, sent for the user oauth2

                    """)
            var results: [ProgramResult] = [setup]
            for words in [client.push, client.inspect, client.pull] {
                results.append(try await client.skopeo(words))
                #expect(results.last?.status == 0, "\(words): \(results)")
            }
            #expect(results[2].output.contains("\"Name\": \"\(client.registry)/team/image\""), "\(results[2])")
            for (name, text) in RegistryClient.image { #expect(signedIn.home.read("copy/" + name) == Array(text.utf8), "\(name)") }
            let answers = client.answers.dropFirst()
            #expect(answers.contains(RegistryClient.accepted) && answers.allSatisfy { $0.hasPrefix("accepted ada for ") }, "\(answers)")
            client.expectNowhere(String(try await client.yett("token", "sandbox").output.dropLast()), outputs: results)

            #expect(try await client.yett("setup", "docker", client.registry, "--remove", "--yes").status == 0)
            try await client.expectRefusedWithoutHelper()
        }
    }

    @Test func expiredTokenIsRenewed() async throws {
        try await running(sandbox: ["--access-lifetime", "20"]) { client, signedIn in
            let old = String(try await client.yett("token", "sandbox").output.dropLast())
            try await eventually("the token does not expire") {
                try await Resource.userInfo(at: signedIn.sandbox, token: old).status == 401
            }
            let result = try await client.skopeo(client.push)
            #expect(result.status == 0, "\(result)")
            #expect(client.answers == [RegistryClient.accepted])
        }
    }

    /// The registry refuses a token that has not expired, and skopeo tells no helper. The next renewal replaces it.
    @Test func revokedTokenIsRefusedUntilItIsRenewed() async throws {
        try await running { client, signedIn in
            let token = String(try await client.yett("token", "sandbox").output.dropLast())
            let endpoint = try #require(try await Resource.metadata(of: signedIn.sandbox)["revocation_endpoint"]?.string)
            let revocation = try await Program(
                #require(Product.installed("curl")), ["--fail", "--silent", "--show-error", "--config", "-"],
                environment: ["PATH": "/usr/bin:/bin"], input: "url = \"\(endpoint)\"\ndata = \"client_id=yett&token=\(token)\"\n"
            ).run()
            #expect(revocation.status == 0, "\(revocation)")
            let refused = try await client.skopeo(client.push)
            #expect(refused.status == 1 && refused.errors.contains("invalid username/password"), "\(refused)")
            #expect(!refused.errors.contains(token))
            #expect(client.answers == ["refused a credential for repository:team/image:pull,push"])
            #expect(try await client.yett("renew", "sandbox").status == 0)
            let accepted = try await client.skopeo(client.push)
            #expect(accepted.status == 0 && client.answers.last == RegistryClient.accepted, "\(accepted)")
        }
    }

    @Test func endedSessionIsReported() async throws {
        try await running(sandbox: ["--access-lifetime", "2", "--fault", "refresh-invalid-grant"]) { client, signedIn in
            let issuer = signedIn.sandbox.issuer.dropFirst("http://".count)
            try await client.expectNoCredential(
                "\(issuer) ended the session: invalid_grant: the grant no longer exists", hint: "sign in again with: yett login sandbox")
        }
    }

    @Test func unreachableProviderIsReported() async throws {
        try await running(sandbox: ["--access-lifetime", "2"]) { client, signedIn in
            await signedIn.sandbox.stop()
            try await eventually("the token does not expire") { try await client.yett("token", "sandbox").status != 0 }
            let issuer = signedIn.sandbox.issuer.dropFirst("http://".count)
            let result = try await client.skopeo(client.push)
            #expect(result.status == 1 && client.answers == [], "\(result)")
            // The hint tells how to find the cause, or when the agent tries again.
            let error = "cannot connect to \(issuer): connection refused"
            #expect(result.errors.hasPrefix("yett: error: \(error)\nyett: hint: "), "\(result)")
            #expect(result.errors.contains("exit status 1, out: `\(error); "), "\(result)")
        }
    }

    @Test func lockedStoreIsReported() async throws {
        try await running { client, _ in
            #expect(try await client.yett("agent", "lock").status == 0)
            try await client.expectNoCredential("the store is locked", hint: "unlock it with: yett agent unlock")
        }
    }

    /// The helper reports that it has no credential, so that public images need none.
    @Test func signedOutUserReadsWhy() async throws {
        try await running { client, _ in
            #expect(try await client.yett("logout", "sandbox").status == 0)
            try await client.expectAnonymousRequest("not signed in at sandbox", hint: "sign in with: yett login sandbox")
        }
    }

    @Test func registryOutsideOfAPIHostsGetsNothing() async throws {
        try await running { client, signedIn in
            // The same host, with another port.
            try signedIn.configure("api_hosts = [\"127.0.0.1:1\"]")
            let registry = client.registry
            try await client.expectAnonymousRequest(
                "no token for \(registry): it is in api_hosts of no provider",
                hint: "if it may get your tokens, run: yett setup docker \(registry) SESSION")
        }
    }

    @Test func policyAskNeedsTheApp() async throws {
        try await running { client, signedIn in
            try signedIn.configure("api_hosts = [\"\(client.registry)\"]\npolicy = \"ask\"")
            try await client.expectNoCredential(
                "a token of sandbox/ada needs your consent, but no app is open to ask you",
                hint: "policy in [providers.sandbox] is \"ask\": open the app in a terminal with: yett, and try again")
        }
    }

    /// The helper's streams belong to skopeo, so the question is asked at the terminal itself.
    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func terminalAsksForConsent() async throws {
        try await running { client, signedIn in
            try signedIn.configure("api_hosts = [\"\(client.registry)\"]\npolicy = \"ask\"")
            let terminal = try await TmuxTerminal(signedIn.home, size: .init(200, 40), with: ["PATH": client.path])
            for (answer, status) in [("n", 1), ("y", 0)] {
                let line = try await terminal.start("skopeo \(client.push.joined(separator: " ")) 2>errors")
                let question = try await terminal.wait(for: "Allow?")
                #expect(question.shows("/skopeo copy, by"), "\(question)")
                #expect(question.shows("for yett helper docker, \(client.registry)."), "\(question)")
                try await terminal.enter(answer)
                let end = try await terminal.end(of: line)
                #expect(end.status == status, "\(end.screen)")
                #expect(client.answers == (status == 0 ? [RegistryClient.accepted] : []))
            }
        }
    }

    /// The user refuses in the app, and then consents.
    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func openAppAsksForConsent() async throws {
        try await running { client, signedIn in
            try signedIn.configure("api_hosts = [\"\(client.registry)\"]\npolicy = \"ask\"")
            let app = try await TmuxTerminal(signedIn.home, size: .init(120, 40), with: ["PATH": client.path])
            try await app.enter("clear; yett")
            try await app.wait { $0.isAlternate && $0.shows("sandbox/ada") }
            var refused = ContinuousClock.now
            for (answer, isConsent) in [("n", false), ("y", true)] {
                // After a refusal, the same program is refused for some seconds, without a question.
                if isConsent { try await eventually("the refusal does not end") { ContinuousClock.now > refused + .seconds(5) } }
                async let pushed = client.skopeo(client.push)
                let question = try await app.wait(until: \.acceptsConsent)
                #expect(question.shows("Issue the access token of sandbox/ada?"), "\(question)")
                #expect(question.shows("/skopeo copy, by"), "\(question)")
                #expect(question.shows("According to the program, it is for \(client.registry)."), "\(question)")
                try await app.press(answer)
                try await app.wait { !$0.shows("Issue the") }
                let result = try await pushed
                refused = .now
                #expect(result.status == (isConsent ? 0 : 1), "\(result)")
                #expect(client.answers == (isConsent ? [RegistryClient.accepted] : []))
                guard !isConsent else { continue }
                #expect(
                    result.errors.hasPrefix(
                        """
                        yett: error: consent to a token of sandbox/ada was refused
                        yett: hint: policy in [providers.sandbox] is "ask"

                        """), "\(result)")
            }
            try await app.press("C-c")
            try await app.wait { !$0.isAlternate }
        }
    }
}

/// skopeo with a genuine registry at a terminal, where its first request signs the user in.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: RegistryClient.isInstalled, RegistryClient.absence),
    .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct RegistryOnDemandTests {
    private func running(
        sandbox options: [String] = [], _ body: (RegistryClient, OnDemandHome, TmuxTerminal) async throws -> Void
    ) async throws {
        let world = try await OnDemandHome(sandbox: options)
        try await ToolServer.registry.running(issuer: world.sandbox.issuer) { server in
            let client = try RegistryClient(home: world.home, server: server)
            try client.setUp()
            try world.configure("api_hosts = [\"\(client.registry)\"]")
            let terminal = try await world.terminal(browser: try world.followingBrowser(), with: ["PATH": client.path])
            try await body(client, world, terminal)
            try await world.stopAgent()
        }
    }

    @Test func firstRequestSignsIn() async throws {
        try await running { client, world, terminal in
            for words in [client.push, client.pull] {
                let rows = try await terminal.run("skopeo \(words.joined(separator: " ")); echo status=$?")
                #expect(rows.last == "status=0", "\(rows)")
                #expect(world.signIns.count == 1)
            }
            #expect(client.answers.allSatisfy { $0.hasPrefix("accepted ada for ") } && client.answers.count >= 2, "\(client.answers)")
        }
    }

    @Test func declinedSignInIsReported() async throws {
        try await running(sandbox: ["--fault", "callback-error"]) { client, world, terminal in
            let rows = try await terminal.run("skopeo \(client.push.joined(separator: " ")); echo status=$?")
            #expect(rows.last == "status=1", "\(rows)")
            let issuer = world.sandbox.issuer.dropFirst("http://".count)
            for row in [
                "error: \(issuer) refused the sign-in: access_denied: the user denied the request", "hint: sign in again, and allow it",
                "error: the sign-in at sandbox did not succeed", "hint: try again with: yett login sandbox",
            ] {
                #expect(rows.contains("yett: " + row), "\(rows)")
            }
            #expect(world.signIns.count == 1 && client.answers == [])
        }
    }
}
