import AuthModel
import ProcessHarness
import Sandbox
import OperatingSystem
import Testing

@testable import CommandLineTool

/// Signing in from the command line, at a provider without faults.
struct SignInTests {
    static let honest = SandboxConfiguration(autoApproves: "ada", lifetimes: .lasting, idTokenAlgorithm: .es256)

    @Test func printsTheStatusObjectInTheDocumentedOrder() async throws {
        try await withSandbox(Self.honest) { sandbox, world in
            let login = await world.run("login", "--json", exits: 0)
            #expect(login.output.last == "\n")
            #expect(try login.json.members?.map(\.name) == ["version", "sessions"])
            #expect(try login.json["version"] == 1)
            let session = try #require(try login.json["sessions"]?.array?.first)
            #expect(
                session.members?.map(\.name) == [
                    "session", "provider", "account", "issuer", "subject", "state", "access_expires_at", "refresh_expires_at", "renewable",
                    "next_renewal_at", "scopes", "granted_at", "last_used_at", "warnings",
                ])
            #expect(session["session"] == "sandbox/ada")
            #expect(session["provider"] == "sandbox")
            #expect(session["account"] == "ada")
            #expect(session["issuer"]?.string == sandbox.issuer)
            #expect(session["subject"] == "sandbox-ada")
            #expect(session["state"] == "signed_in")
            #expect(session["renewable"] == true)
            #expect(session["last_used_at"] == .null)
            #expect(session["warnings"] == [])
            let end = try #require(session["access_expires_at"]?.string)
            #expect(end.hasSuffix("Z") && Timestamp(end) != nil)
            #expect(await world.run("status", "--json").output == login.output)
        }
    }

    @Test func printsStepsHostsAndTheURLOnStandardError() async throws {
        try await withSandbox(Self.honest) { sandbox, world in
            let result = await world.run("login")
            #expect(result.output.hasPrefix("signed in: sandbox/ada, for "))
            #expect(result.output.split(separator: "\n").count == 1)
            let address = try #require(world.openedAddresses.first)
            #expect(result.errors.contains("\n  \(address.text)\n"))
            #expect(result.errors.contains("you sign in at 127.0.0.1:\(sandbox.port)"))
            for step in [
                "Discover the provider", "Open your browser", "Wait for you to sign in", "Exchange the code", "Check who signed in",
                "Seal the session",
            ] {
                #expect(result.errors.contains(step))
            }
        }
    }

    @Test func severalAccountsAtOneProviderCoexist() async throws {
        try await withSession(Self.honest) { sandbox, world in
            await sandbox.autoApprove(as: "grace")
            try await world.signIn("--account", "admiral")
            #expect(try await world.sessions().compactMap { $0["session"]?.string } == ["sandbox/ada", "sandbox/admiral"])
            let ambiguous = await world.run("token", "sandbox", exits: 64)
            #expect(ambiguous.errors.contains("sandbox/ada, sandbox/admiral"))
            #expect(await world.run("token", "sandbox/admiral").status == 0)
        }
    }

    @Test func signingInAgainReplacesTheSession() async throws {
        try await withSession(Self.honest) { _, world in
            try await world.signIn()
            #expect(try await world.sessions().count == 1)
        }
    }

    @Test func signedInAccountIsNotSignedInAgain() async throws {
        try await withSession(Self.honest) { _, world in
            let opened = world.openedAddresses.count
            let named = await world.run("login", "sandbox/ada", exits: 10)
            #expect(named.errors.contains("already signed in: sandbox/ada"))
            #expect(await world.run("login", "--account", "ada").status == 10)
            #expect(world.openedAddresses.count == opened)
            #expect(await world.run("login", "--account", "ada", "--prompt", "login").status == 0)
        }
    }

    @Test func signInOptionsAreSentToTheProvider() async throws {
        try await withSandbox(Self.honest) { _, world in
            await world.run(
                "login", "--scope", "openid email", "--scope", "offline_access", "--login-hint", "ada@example.org", "--max-age", "60",
                "--prompt", "select_account", "--acr-values", "gold urn:yett:sandbox:password", "--ui-locales", "de-AT en", exits: 0)
            let query = try #require(FormEncoding.decode(world.openedAddresses.first?.query ?? ""))
            func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
            #expect(value("scope") == "openid email offline_access")
            #expect(value("login_hint") == "ada@example.org")
            #expect(value("max_age") == "60")
            #expect(value("ui_locales") == "de-AT en")
            #expect(value("prompt") == "select_account")
            #expect(value("acr_values") == "gold urn:yett:sandbox:password")
        }
    }

    @Test(arguments: ["", " ", "d\u{E9}", "de_AT", "de;q=1", "-", "de-"])
    func invalidUILocalesAreRefused(text: String) async throws {
        await (try CommandWorld()).run("login", "sandbox", "--ui-locales", text, exits: 64)
    }

    /// A token may be for another resource than userinfo; the ID token says who signed in. A different subject ends the sign-in.
    @Test(arguments: [("userinfo-401", "optional", Int32(0)), ("userinfo-401", "required", 5), ("userinfo-sub-other", "optional", 8)])
    func userInfoMayRefuseTheToken(fault: String, use: String, status: Int32) async throws {
        try await withSandbox(Self.honest, more: "userinfo = \"\(use)\"") { sandbox, world in
            await sandbox.set(try FaultSet(names: [fault]))
            for arguments in [["login"], ["login", "--resource", sandbox.issuer + "/mcp"]] {
                let result = await world.run(arguments)
                #expect(result.status == status, "\(result.errors)")
                #expect(!result.errors.contains("userinfo, and the ID token has no name"))
            }
            #expect(sandbox.requests.contains { $0.path == "/userinfo" })
        }
    }

    @Test func resourcesAreSentInBothRequestsAndEachRenewal() async throws {
        try await withSandbox(Self.honest) { sandbox, world in
            let resources = ["https://api.example.org/v1", "urn:example:second"]
            await world.run("login", "--resource", resources[0], "--resource", resources[1], exits: 0)
            #expect(await world.run("renew", "sandbox").status == 0)
            let query = try #require(FormEncoding.decode(world.openedAddresses.first?.query ?? ""))
            #expect(query.filter { $0.name == "resource" }.map(\.value) == resources)
            let posts = sandbox.requests.filter { $0.path == "/token" }
            #expect(posts.count == 2)
            for post in posts {
                let fields = try #require(FormEncoding.decode(String(decoding: post.body, as: UTF8.self)))
                #expect(fields.filter { $0.name == "resource" }.map(\.value) == resources)
            }
        }
    }

    @Test(arguments: ["api.example.org", "https://api.example.org/#top", ""])
    func invalidResourceIsRefused(text: String) async throws {
        let world = try CommandWorld.configured(issuer: "https://id.example.org")
        let result = await world.run("login", "--resource", text, exits: 64)
        #expect(result.errors.contains("is not a resource"))
    }

    @Test func interruptCancelsAndClosesThePort() async throws {
        try await withSandbox(Self.honest) { _, world in
            let (interruptions, keyboard) = AsyncStream.makeStream(of: Interruption.self)
            let result = await world.run("login", browser: .does { _ in keyboard.yield(.interrupt) }, interruptions: interruptions)
            #expect(result.status == 3)
            #expect(result.errors.contains("yett: error: the sign-in was cancelled"))
            let query = try #require(FormEncoding.decode(world.openedAddresses.first?.query ?? ""))
            let redirect = try #require(query.first { $0.name == "redirect_uri" }.flatMap { WebURL($0.value) })
            #expect(RawClient.connected(port: redirect.origin.port) == nil)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test(arguments: [(Interruption.terminate, Int32(143)), (.hangUp, 129)])
    func otherSignalsSetTheShellsExitStatus(signal: Interruption, status: Int32) async throws {
        try await withSandbox(Self.honest) { _, world in
            let (interruptions, keyboard) = AsyncStream.makeStream(of: Interruption.self)
            let result = await world.run("login", browser: .does { _ in keyboard.yield(signal) }, interruptions: interruptions)
            #expect(result.status == status)
        }
    }

    @Test func logContainsURLsAndNoSecret() async throws {
        try await withSandbox(Self.honest) { sandbox, world in
            #expect(await world.run("login", "--log").status == 0)
            let token = String(await world.run("token", "sandbox", with: ["YETT_LOG": "debug"]).output.dropLast())
            let log = try world.text(world.home + "/.local/state/yett/yett.log")
            #expect(log.contains("POST \(sandbox.issuer)/token: 200"))
            #expect(log.contains("begin token") && log.contains("end with status 0"))
            #expect(!token.isEmpty && !log.contains(token))
            #expect(!log.contains("code=") && !log.contains("state=") && !log.contains("verifier"))
        }
    }

    @Test func occupiedPortIsNamed() async throws {
        try await withSandbox(Self.honest) { sandbox, world in
            let result = await world.run("login", "--port", "\(sandbox.port)", exits: 2)
            #expect(result.errors.contains("\(sandbox.port)"))
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func pastedURLSignsIn() async throws {
        try await withSandbox(Self.honest) { _, world in
            let result = await world.signInByPaste()
            #expect(result.status == 0, "\(result.errors)")
            #expect(world.openedAddresses.isEmpty)
        }
    }

    @Test func pasteRedirectPageSignsInByPaste() async throws {
        let page = "https://www.example.org/callback"
        var configuration = Self.honest
        configuration.clients.append(SandboxClient(id: "paged", name: "Paged", redirects: [page], redirectRule: .exact))
        try await withEmptyHome(configuration) { server, world in
            let added = await world.run(
                "providers", "add", server.issuer, "--name", "box", "--client-id", "paged", "--paste-redirect", page, exits: 0)
            #expect(added.errors.contains("register this callback address there: \(page)"))
            let refused = await world.run("login", "box", "--flow", "browser", exits: 2)
            #expect(refused.errors.contains("a browser cannot return to the redirect address"))
            let (addresses, address) = AsyncStream.makeStream(of: String.self)
            await world.run(
                ["login", "box"], browser: .isMissing, user: .init(hasTerminal: true), paste: addresses,
                told: { line in
                    guard let url = WebURL(String(line.trimmed)), url.path == "/authorize" else { return }
                    Task { address.yield(await world.answer(to: url) ?? "no answer") }
                }, exits: 0)
            #expect(server.requests.last { $0.path == "/token" }?.field("redirect_uri") == page)
        }
    }

    @Test(arguments: [
        ["login", "--idp", "google"], ["login", "--idp", "google", "--force-idp"], ["signup", "--idp", "google"],
        ["login", "--email", "ada@example.org"],
    ])
    func unsupportedSignInAnswerIsAUsageError(arguments: [String]) async throws {
        try await withSandbox(Self.honest) { server, world in
            let result = await world.run(arguments, exits: 64)
            #expect(
                result.errors.contains(
                    arguments[1] == "--idp" ? "does not support choosing an identity provider" : "does not ask for an e-mail address"))
            #expect(server.requests.isEmpty && world.openedAddresses.isEmpty)
            #expect(await world.run("login", "--force-idp").status == 64)
        }
    }

    @Test func providerIsChosenByNumberOrName() async throws {
        try await withSandbox(Self.honest, more: "[providers.zoo]\nkind = \"oidc\"\nissuer = \"https://z.invalid\"\nclient_id = \"y\"") {
            _, world in
            let silent = await world.run("login", exits: 64)
            #expect(silent.errors.contains("choose one: sandbox, zoo"))
            let asked = await world.run("login", user: .init(hasTerminal: true, lines: ["7", "1"]), exits: 0)
            #expect(asked.errors.contains("Which provider? [1-2]"))
            #expect(asked.errors.contains("1  sandbox  not signed in  127.0.0.1:"), "\(asked.errors)")
            #expect(asked.errors.contains("2  zoo      not signed in  z.invalid"), "\(asked.errors)")
            let again = await world.run("login", user: .init(hasTerminal: true, lines: ["1"]))
            #expect(again.errors.contains("1  sandbox  as ada         127.0.0.1:"), "\(again.errors)")
        }
    }

    @Test func unknownProviderNamesTheNearest() async throws {
        try await withSandbox(Self.honest) { _, world in
            let result = await world.run("login", "sandbx", exits: 2)
            #expect(
                result.errors
                    == "yett: error: unknown provider 'sandbx'\nyett: hint: did you mean 'sandbox'? see: yett providers list\n")
        }
    }
}
