import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// aws with Moto, which issues credentials of roles for ID tokens: in a signed-in home, and when there are no credentials.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: AWSClient.isInstalled, AWSClient.absence))
struct AWSTests {
    /// Runs `body` in a signed-in home with Moto.
    ///
    /// - Parameter isSetUp: whether the profile `dev` already gets its credentials from Yett.
    private func running(
        isSetUp: Bool = true, seal: String = "key-file", sandbox options: [String] = [],
        _ body: (AWSClient, SignedInHome) async throws -> Void
    ) async throws {
        let signedIn = try await SignedInHome(seal: seal, sandbox: options)
        try await ToolServer.moto.running(issuer: signedIn.sandbox.issuer) { server in
            let client = AWSClient(home: signedIn.home, server: server)
            if isSetUp {
                try client.setUp()
                try signedIn.configure("api_hosts = [\"\(client.host)\"]")
            }
            try await body(client, signedIn)
            try await signedIn.stopAgent()
        }
    }

    @Test func setupLetsAWSUseARole() async throws {
        try await running(isSetUp: false) { client, signedIn in
            try await client.createRole("dev")
            let setup = try await client.yett(
                "setup", "aws", "dev", "sandbox", "--role", AWSClient.role("dev"), "--endpoint", client.server.address, "--yes")
            #expect(setup.status == 0, "\(setup)")
            #expect(setup.output.hasPrefix("set up: aws gets tokens of sandbox for the profile dev\n"), "\(setup)")

            try await client.checkSignatures()
            try await client.expectIdentity()
            try signedIn.home.write("hello", to: "note")
            var results: [ProgramResult] = [setup]
            for words in [["mb", "s3://team"], ["cp", "note", "s3://team/note"], ["cp", "s3://team/note", "copy"]] {
                results.append(try await client.aws(["s3"] + words))
                #expect(results.last?.status == 0, "\(words): \(results)")
            }
            #expect(signedIn.home.read("copy") == Array("hello".utf8))

            // The role has no other right, and the signature counts.
            let other = try await client.aws(["iam", "list-users"])
            #expect(other.status != 0 && other.errors.contains("(AccessDenied)"), "\(other)")
            let credentials = try await client.credentials()
            let forged = try await client.aws(
                ["s3", "ls"], profile: nil,
                with: [
                    "AWS_ACCESS_KEY_ID": credentials.key, "AWS_SESSION_TOKEN": credentials.token, "AWS_SECRET_ACCESS_KEY": "another",
                ])
            #expect(forged.status != 0 && forged.errors.contains("(SignatureDoesNotMatch)"), "\(forged)")

            let idToken = String(try await client.yett("token", "sandbox", "--id-token").output.dropLast())
            for secret in [credentials.secret, credentials.token, idToken] {
                #expect(secret.utf8.count > 20)
                #expect(signedIn.home.files(containing: secret) == [] && client.server.files(containing: secret) == [])
                #expect(results.allSatisfy { !$0.output.contains(secret) && !$0.errors.contains(secret) })
            }

            #expect(try await client.yett("setup", "aws", "dev", "--remove", "--yes").status == 0)
            let removed = try await client.identity()
            #expect(removed.status != 0 && !removed.errors.contains("yett"), "\(removed)")
        }
    }

    /// Credentials last without the provider. New ones need a new ID token.
    @Test func unreachableProviderIsReported() async throws {
        try await running(sandbox: ["--access-lifetime", "2"]) { client, signedIn in
            try await client.expectIdentity()
            await signedIn.sandbox.stop()
            try await eventually("the token does not expire") { try await client.yett("token", "sandbox", "--id-token").status != 0 }
            try await client.expectIdentity()
            try client.setUp(role: "other")
            let issuer = signedIn.sandbox.issuer.dropFirst("http://".count)
            // The hint tells how to find the cause, or when the agent tries again.
            try await client.expectNoCredentials("cannot connect to \(issuer): connection refused", hint: "")
        }
    }

    @Test func endedSessionIsReported() async throws {
        try await running(sandbox: ["--access-lifetime", "2", "--fault", "refresh-invalid-grant"]) { client, signedIn in
            let issuer = signedIn.sandbox.issuer.dropFirst("http://".count)
            try await client.expectNoCredentials(
                "\(issuer) ended the session: invalid_grant: the grant no longer exists", hint: "sign in again with: yett login sandbox\n")
        }
    }

    @Test func lockedStoreIsReported() async throws {
        try await running(seal: "passphrase") { client, _ in
            try await client.expectIdentity()
            #expect(try await client.yett("agent", "lock").status == 0)
            try await client.expectNoCredentials("the store is locked", hint: "unlock it with: yett agent unlock")
        }
    }

    @Test func signedOutUserReadsWhy() async throws {
        try await running { client, _ in
            try await client.expectIdentity()
            #expect(try await client.yett("logout", "sandbox").status == 0)
            try await client.expectNoCredentials("there is no session sandbox", hint: "sign in with: yett login sandbox\n")
        }
    }

    @Test func endpointOutsideOfAPIHostsGetsNothing() async throws {
        try await running { client, signedIn in
            // The same host, with another port.
            try signedIn.configure("api_hosts = [\"127.0.0.1:1\"]")
            try await client.expectNoCredentials(
                "tokens of sandbox are not sent to \(client.host)",
                hint: "to allow it, add api_hosts = [\"\(client.host)\"] to [providers.sandbox]\n")
        }
    }

    @Test func unreachableTokenServiceIsReported() async throws {
        try await running { client, _ in
            await client.server.stop()
            try await client.expectNoCredentials("cannot connect to \(client.host): connection refused", hint: "check that the service is")
        }
    }

    /// The service no longer knows credentials that have not expired. The next sign-in replaces them.
    @Test func withdrawnCredentialsEndWithTheNextSignIn() async throws {
        try await running { client, signedIn in
            try await client.expectIdentity()
            try await client.server.restart()
            try await client.checkSignatures()
            let withdrawn = try await client.identity()
            #expect(withdrawn.status != 0 && withdrawn.errors.contains("(InvalidClientTokenId)"), "\(withdrawn)")
            try await client.checkSignatures(false)
            try await signedIn.signIn()
            _ = try await client.credentials()
            try await client.checkSignatures()
            try await client.expectIdentity()
        }
    }

    @Test func policyAskNeedsTheApp() async throws {
        try await running { client, signedIn in
            try await client.expectIdentity()
            try signedIn.configure("api_hosts = [\"\(client.host)\"]\npolicy = \"ask\"")
            try await client.expectNoCredentials(
                "a token of sandbox/ada needs your consent, but no app is open to ask you",
                hint: "policy in [providers.sandbox] is \"ask\": open the app in a terminal with: yett, and try again\n")
        }
    }

    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func terminalAsksForConsent() async throws {
        try await running { client, signedIn in
            try signedIn.configure("api_hosts = [\"\(client.host)\"]\npolicy = \"ask\"")
            let terminal = try await TmuxTerminal(signedIn.home, size: .init(120, 40), with: client.variables)
            for (answer, status) in [("n", 255), ("y", 0)] {
                let line = try await terminal.start(
                    "aws sts get-caller-identity --profile dev --endpoint-url \(client.server.address) >answer 2>errors")
                let question = try await terminal.wait(for: "Allow?")
                #expect(question.shows("asks for the ID token of sandbox"), "\(question)")
                try await terminal.enter(answer)
                let end = try await terminal.end(of: line)
                #expect(end.status == status, "\(end.screen)")
                #expect((client.requests > 0) == (status == 0))
            }
        }
    }

    /// The user refuses in the app, and then consents.
    @Test(.enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
    func openAppAsksForConsent() async throws {
        try await running { client, signedIn in
            try signedIn.configure("api_hosts = [\"\(client.host)\"]\npolicy = \"ask\"")
            let app = try await TmuxTerminal(signedIn.home, size: .init(120, 40), with: ["PATH": client.path])
            try await app.enter("clear; yett")
            try await app.wait { $0.isAlternate && $0.shows("sandbox/ada") }
            var refused = ContinuousClock.now
            for (answer, isConsent) in [("n", false), ("y", true)] {
                // After a refusal, the same program is refused for some seconds, without a question.
                if isConsent { try await eventually("the refusal does not end") { ContinuousClock.now > refused + .seconds(5) } }
                async let identity = client.identity()
                let question = try await app.wait(until: \.acceptsConsent)
                #expect(question.shows("Issue the ID token of sandbox/ada?"), "\(question)")
                #expect(question.shows("According to the program, it is for arn:aws:iam::"), "\(question)")
                try await app.press(answer)
                try await app.wait { !$0.shows("Issue the") }
                let result = try await identity
                refused = .now
                #expect((result.status == 0) == isConsent, "\(result)")
                #expect(isConsent || result.errors.contains("yett: error: consent to a token of sandbox/ada was refused\n"), "\(result)")
                #expect((client.requests > 0) == isConsent)
            }
            try await app.press("C-c")
            try await app.wait { !$0.isAlternate }
        }
    }

    /// The file that Yett keeps filled with an ID token, and which aws exchanges itself.
    @Test func fileHoldsTheTokenOfAWebIdentity() async throws {
        try await running(isSetUp: false) { client, signedIn in
            let file = signedIn.home.path + "/id-token"
            #expect(try await client.yett("token", "sandbox", "--id-token", "--file", file).status == 0)
            let assume = [
                "sts", "assume-role-with-web-identity", "--role-arn", AWSClient.role("dev"), "--role-session-name", "ada",
                "--web-identity-token", "file://" + file,
            ]
            let result = try await client.aws(assume, profile: nil)
            #expect(result.status == 0, "\(result)")
            let issued = try JSONValue(strict: result.output)["Credentials"]?["AccessKeyId"]?.string
            #expect(issued?.hasPrefix("ASIA") == true, "\(result)")

            // Older versions of aws know no other service for the profile than that of AWS.
            if try await client.readsEndpointFromEnvironment() {
                try signedIn.home.write(
                    "[profile dev]\nrole_arn = \(AWSClient.role("dev"))\nweb_identity_token_file = \(file)\nrole_session_name = ada\n",
                    to: ".aws/config")
                try await client.expectIdentity(with: ["AWS_ENDPOINT_URL_STS": client.server.address])
            }

            #expect(try await client.yett("agent", "lock").status == 0)
            let before = client.requests
            let locked = try await client.aws(assume, profile: nil)
            #expect(locked.status != 0 && locked.errors.contains("No such file or directory"), "\(locked)")
            #expect(client.requests == before)
        }
    }
}

/// aws with Moto at a terminal, where its first request signs the user in.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: AWSClient.isInstalled, AWSClient.absence),
    .enabled(if: Product.installed("tmux") != nil, "tmux is not installed"))
struct AWSOnDemandTests {
    private func running(sandbox options: [String] = [], _ body: (AWSClient, OnDemandHome, [String]) async throws -> Void) async throws {
        let world = try await OnDemandHome(sandbox: options)
        try await ToolServer.moto.running(issuer: world.sandbox.issuer) { server in
            let client = AWSClient(home: world.home, server: server)
            try client.setUp()
            try world.configure("api_hosts = [\"\(client.host)\"]")
            let terminal = try await world.terminal(browser: try world.followingBrowser(), with: client.variables)
            let line = "aws sts get-caller-identity --profile dev --endpoint-url \(server.address)"
            try await body(client, world, try await terminal.run("\(line) >answer; echo status=$?"))
            try await world.stopAgent()
        }
    }

    @Test func firstRequestSignsIn() async throws {
        try await running { client, world, rows in
            #expect(rows.last == "status=0", "\(rows)")
            #expect(world.text("answer").contains(":assumed-role/dev/ada\""))
            #expect(world.signIns.count == 1)
            try await client.expectIdentity()
            #expect(world.signIns.count == 1)
        }
    }

    @Test func declinedSignInIsReported() async throws {
        try await running(sandbox: ["--fault", "callback-error"]) { client, world, rows in
            #expect(rows.last == "status=255" && world.text("answer") == "", "\(rows)")
            let issuer = world.sandbox.issuer.dropFirst("http://".count)
            #expect(rows.contains("yett: error: \(issuer) refused the sign-in: access_denied: the user denied the request"), "\(rows)")
            // aws passes on the helper's messages from here on.
            #expect(
                rows.contains("Error when retrieving credentials from custom-process: you must sign in: there is no session sandbox"),
                "\(rows)")
            #expect(rows.contains("yett: error: the sign-in at sandbox did not succeed"), "\(rows)")
            #expect(rows.contains("yett: hint: try again with: yett login sandbox"), "\(rows)")
            #expect(world.signIns.count == 1 && client.requests == 0)
        }
    }
}
