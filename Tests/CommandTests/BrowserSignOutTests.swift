import AuthModel
import Sandbox
import Testing

@testable import YettCommand

/// `yett logout --browser`: the provider's own session, and what is known of it afterwards (RP-44, RP-45).
struct BrowserSignOutTests {
    private static let comesBack = "post_logout_redirect = \"http://127.0.0.1/callback\""

    private func signedIn(
        fault: String? = nil, more: String = comesBack, _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration(autoApproves: "ada")
        if let fault { configuration.misbehaviour = try Misbehaviour(names: [fault]) }
        try await withSandbox(configuration, more: more) { sandbox, world in
            try await world.signIn()
            try await body(sandbox, world)
            #expect(try await world.sessions().isEmpty)
        }
    }

    /// The step about the browser in the only receipt.
    private func step(_ result: CommandResult) throws -> JSONValue {
        let steps = try result.json["receipts"]?.array?.first?["steps"]?.array
        return try #require(steps?.first { $0["step"] == "end_browser_session" })
    }

    /// Where the browser was to come back to.
    private func redirect(_ world: CommandWorld) throws -> WebURL {
        let query = try #require(FormEncoding.decode(world.openedAddresses.last?.query ?? ""))
        return try #require(query.first { $0.name == "post_logout_redirect_uri" }.flatMap { WebURL($0.value) })
    }

    @Test func browserThatComesBackConfirmsIt() async throws {
        try await signedIn { _, world in
            let result = await world.run("logout", "--browser")
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output == """
                    sandbox/ada: signed out
                      revoke the refresh token: done
                      revoke the access token: done
                      end the browser's session: done
                      forget here: done

                    """)
            let query = try #require(FormEncoding.decode(world.openedAddresses.last?.query ?? ""))
            #expect(query.map(\.name) == ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"])
            #expect(query.last?.value.count == 43)
            let redirect = try redirect(world)
            #expect(redirect.text == "http://127.0.0.1:\(redirect.origin.port)/callback")
        }
    }

    @Test(arguments: [
        ("logout-state-missing", "without the state that it was sent with"), ("logout-state-wrong", "with another state"),
    ])
    func stateOnlyTellsWhoSentTheBrowser(fault: String, says: String) async throws {
        try await signedIn(fault: fault) { _, world in
            let result = await world.run("logout", "--browser", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let step = try step(result)
            #expect(step["outcome"] == "unconfirmed")
            #expect(step["reason"]?.string?.contains(says) == true)
            #expect(try result.json["receipts"]?.array?.first?["complete"] == true)
        }
    }

    @Test func browserThatNeverComesBackIsSaidSo() async throws {
        try await signedIn(fault: "logout-never", more: Self.comesBack + "\nlogin_timeout = 2") { _, world in
            let result = await world.run("logout", "--browser", "--json")
            #expect(result.status == 7, "\(result.errors)")
            let step = try step(result)
            #expect(step["outcome"] == "failed")
            #expect(step["reason"]?.string?.contains("did not come back in time") == true)
            #expect(step["queued"] == false)
            #expect(result.errors.contains("you may still be signed in at the provider in your browser"))
            #expect(!result.errors.contains("a token may live on"))
            let port = try redirect(world).origin.port
            #expect(LoopbackProbe.bind("127.0.0.1", port: port) == nil)
        }
    }

    @Test func interruptionEndsTheWaitingAndNotTheSignOut() async throws {
        try await signedIn { sandbox, world in
            let (interruptions, keyboard) = AsyncStream.makeStream(of: Interruption.self)
            let result = await world.run(
                "logout", "--browser", "--json", browser: .does { _ in keyboard.yield(.interrupt) }, interruptions: interruptions)
            #expect(result.status == 3)
            #expect(try step(result)["outcome"] == "failed")
            #expect(sandbox.requests.filter { $0.path.contains("revoke") }.count == 2)
            let port = try redirect(world).origin.port
            #expect(LoopbackProbe.bind("127.0.0.1", port: port) == nil)
        }
    }

    @Test func withoutAWayBackNothingIsAwaited() async throws {
        try await signedIn(more: "") { _, world in
            let result = await world.run("logout", "--browser", "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(world.openedAddresses.last?.text.contains("post_logout_redirect_uri") == false)
            #expect(world.openedAddresses.last?.text.contains("id_token_hint=") == true)
            let step = try step(result)
            #expect(step["outcome"] == "unconfirmed")
            #expect(step["reason"] == "the browser does not come back from there: no post_logout_redirect is configured")
            #expect(!result.errors.contains("waiting for your browser"))
            #expect(result.errors.contains("/logout?client_id=yett\n"), "\(result.errors)")
            #expect(!result.errors.contains("id_token_hint"))
        }
    }

    @Test func wayBackThatIsTakenIsDoneWithout() async throws {
        // The sandbox itself holds the port.
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { sandbox in
            let world = try CommandWorld()
            try world.configure(
                issuer: sandbox.issuer, more: "post_logout_redirect = \"http://127.0.0.1:\(sandbox.port)/callback\"")
            try await world.signIn()
            let result = await world.run("logout", "--browser", "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(world.openedAddresses.last?.text.contains("post_logout_redirect_uri") == false)
            #expect(try step(result)["reason"]?.string?.contains("port \(sandbox.port) is taken") == true)
        }
    }

    @Test func overSSHTheLineForTheOtherMachineIsShown() async throws {
        try await signedIn { _, world in
            let result = await world.run("logout", "--browser", with: ["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.9 22"])
            #expect(result.status == 0, "\(result.errors)")
            let port = try redirect(world).origin.port
            #expect(result.errors.contains("ssh -L \(port):127.0.0.1:\(port) 192.0.2.9"))
        }
    }

    @Test(arguments: ["https://id.example.org/bye", "http://192.0.2.1/bye", "urn:ietf:wg:oauth:2.0:oob", "http://127.0.0.1/bye?x=1"])
    func wayBackLeadsToThisMachineOnly(address: String) async throws {
        let world = try CommandWorld()
        try world.configure(issuer: "https://id.example.org", more: "post_logout_redirect = \"\(address)\"")
        let result = await world.run("providers", "list")
        #expect(result.status == 2)
        #expect(result.errors.contains("the post_logout_redirect '\(address)' is refused"))
    }
}
