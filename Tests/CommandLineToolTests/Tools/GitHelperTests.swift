import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// `yett helper git` as git calls it.
struct GitHelperTests {
    @Test func tokenIsThePasswordForItsHost() async throws {
        try await withToolWorld { server, world in
            let result = await world.ask("git", "get", "protocol=http", "host=127.0.0.1:\(server.port)", "path=ada/work.git", "future=yes")
            #expect(result.status == 0, "\(result.errors)")
            let token = await world.run("token", "sandbox").output.dropLast()
            let end = try #require(try await world.sessions().first?["access_expires_at"]?.string.flatMap { Timestamp($0) })
            #expect(result.output == "username=oauth2\npassword=\(token)\npassword_expiry_utc=\(end.seconds)\n")
            #expect(result.errors == "")
        }
    }

    @Test(arguments: [
        [], ["protocol=https"], ["host=127.0.0.1:1", "protocol=http"], ["protocol=https", "host=git.example.org"],
        ["protocol=http", "host=127.0.0.1:PORT/x"], ["protocol=http", "host=127.0.0.1:PORT@evil.example"],
        ["protocol=http", "host=evil.example#127.0.0.1:PORT"], ["protocol=ftp", "host=127.0.0.1:PORT"],
        ["protocol=http", "host=127.0.0.1:PORT?a"], ["protocol=http", "host="],
    ])
    func otherHostsGetNoCredential(attributes: [String]) async throws {
        try await withToolWorld { server, world in
            let lines = attributes.map { $0.replacing("PORT", with: String(server.port)) }
            let result = await world.ask("git", "get", lines, exits: 0)
            #expect(result.output == "")
            // An address says why it gets no token, and what to change; anything else is not a question for us.
            guard attributes.contains("host=git.example.org") || attributes.contains("host=127.0.0.1:1") else { return }
            #expect(result.errors.hasPrefix("yett: warning: no session's tokens may be sent to "), "\(result.errors)")
            #expect(
                result.errors.contains("api_hosts = [\"\(attributes.contains("protocol=https") ? "git.example.org" : "127.0.0.1:1")\"]"))
        }
    }

    @Test(arguments: ["nonsense", "host=a\rb", "host=a\0b", "path=" + String(repeating: "a", count: 65_535)])
    func linesThatAreNotGitsAreRefused(line: String) async throws {
        try await withToolWorld { server, world in
            let result = await world.ask("git", "get", "protocol=http", "host=127.0.0.1:\(server.port)", line, exits: 64)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("yett: error: the request on standard input is not from git\nyett: hint: "))
        }
    }

    @Test(arguments: [
        "host=127.0.0.1:PORT", "host=evil.example", "protocol=http", "path=a\npath=a", "username=ada\nusername=ada",
        "password=a\npassword=b", "future=1\nfuture=2",
    ])
    func repeatedAttributeIsRefused(lines: String) async throws {
        try await withToolWorld { server, world in
            let lines = lines.replacing("PORT", with: String(server.port)).split(separator: "\n").map(String.init)
            for operation in ["get", "erase"] {
                let result = await world.ask("git", operation, ["protocol=http", "host=127.0.0.1:\(server.port)"] + lines, exits: 64)
                #expect(result.output == "")
                #expect(result.errors.contains("twice"))
            }
        }
    }

    @Test(arguments: ["host=127.0.0.1:PORT\r", "protocol=http\r", "path=a\r", "\r"])
    func carriageReturnAtALineEndIsRefused(line: String) async throws {
        try await withToolWorld { server, world in
            let line = line.replacing("PORT", with: String(server.port))
            let others = ["protocol=http", "host=127.0.0.1:\(server.port)"].filter { $0.prefix(4) != line.prefix(4) }
            let result = await world.ask("git", "get", others + [line], exits: 64)
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("yett: error: the request on standard input is not from git\n"))
        }
    }

    @Test(arguments: [
        (["capability[]=authtype"], false), (["capability[]=authtype", "wwwauth[]=Basic realm=\"x\"", "wwwauth[]=bEARER a=b"], true),
        (["capability[]=authtype", "wwwauth[]=Basic realm=\"x\""], false), (["wwwauth[]=Bearer"], false), (["capability[]=state"], false),
        (["capability[]=authtype", "capability[]="], false),
    ])
    func bearerNeedsSupportByGitAndTheServer(attributes: [String], isBearer: Bool) async throws {
        try await withToolWorld { server, world in
            let result = await world.ask("git", "get", ["protocol=http", "host=127.0.0.1:\(server.port)"] + attributes)
            let names = result.output.split(separator: "\n").map { String($0.prefix { $0 != "=" }) }
            let bearer = ["capability[]", "authtype", "credential", "ephemeral", "password_expiry_utc"]
            #expect(names == (isBearer ? bearer : ["username", "password", "password_expiry_utc"]))
        }
    }

    @Test func userNameOfTheURLChoosesTheAccount() async throws {
        try await withToolWorld { server, world in
            await server.autoApprove(as: "grace")
            try await world.signIn("sandbox")
            let place = ["protocol=http", "host=127.0.0.1:\(server.port)"]
            let ambiguous = await world.ask("git", "get", place, exits: 64)
            #expect(ambiguous.output == "")
            #expect(ambiguous.errors.contains("sandbox/ada, sandbox/grace"))
            let grace = await world.run("token", "sandbox/grace").output
            #expect(await world.ask("git", "get", place + ["username=grace"]).output.hasPrefix("username=grace\npassword=\(grace)"))
            let lines = (place + [""])
            let named = await world.run(["helper", "git", "sandbox/grace", "get"], user: .init(lines: lines))
            #expect(named.output.hasPrefix("username=oauth2\npassword=\(grace)"))
        }
    }

    /// git send-email asks for its mail server with another protocol, and can send no Bearer token.
    @Test func mailServerGetsTheTokenAsAPassword() async throws {
        try await withToolWorld(more: "resource = \"https://smtp.example.org:587/\"\n") { _, world in
            let request = ["capability[]=authtype", "protocol=smtp", "host=smtp.example.org:587", "username=ada@example.org"]
            let result = await world.ask("git", "get", request)
            let token = await world.run("token", "sandbox").output.dropLast()
            #expect(result.output.hasPrefix("username=ada@example.org\npassword=\(token)\n"), "\(result.errors)")
            let other = await world.ask("git", "get", ["protocol=smtp", "host=smtp.example.org:25"])
            #expect(other.output == "" && other.errors.contains("api_hosts = [\"smtp.example.org:25\"]"), "\(other.errors)")
        }
    }

    @Test func namedSessionIsNotSentToAnotherHost() async throws {
        try await withToolWorld { _, world in
            let result = await world.run(
                ["helper", "git", "sandbox", "get"], user: .init(lines: ["protocol=https", "host=git.example.org", ""]), exits: 8)
            #expect(result.output == "")
            #expect(result.errors.contains("tokens of sandbox are not sent to git.example.org"))
        }
    }

    @Test func missingSessionExitsWith9() async throws {
        try await withToolWorld { server, world in
            #expect(await world.run("logout", "sandbox").status == 0)
            let result = await world.ask("git", "get", "protocol=http", "host=127.0.0.1:\(server.port)", exits: 9)
            #expect(result.output == "")
            #expect(result.errors.hasSuffix("yett: hint: sign in with: yett login sandbox\n"))
        }
    }

    @Test func expiredSessionOpensNoBrowser() async throws {
        try await withToolWorld(SignInTests.honest.with { $0.refreshTokens = .never }) { server, world in
            let opened = world.openedAddresses.count
            world.time.advance(by: .seconds(3600))
            let result = await world.ask("git", "get", "protocol=http", "host=127.0.0.1:\(server.port)", exits: 6)
            #expect(result.output == "")
            #expect(world.openedAddresses.count == opened)
        }
    }

    @Test func refusedTokenIsRenewedOnceAndKeepsTheSession() async throws {
        try await withToolWorld { (server, world) async throws in
            let place = ["protocol=http", "host=127.0.0.1:\(server.port)", "username=oauth2"]
            let old = String(await world.run("token", "sandbox").output.dropLast())
            server.clearRequests()
            for _ in 0..<2 {
                #expect(await world.ask("git", "erase", place + ["password=\(old)"]).status == 0)
            }
            // git waits for the helper, so the provider is asked only when a token is needed again.
            #expect(server.requests.isEmpty)
            let new = String(await world.run("token", "sandbox").output.dropLast())
            #expect(new != old)
            #expect(server.requests.map(\.path) == ["/token"])
            // The refused token is no longer the current one.
            #expect(await world.ask("git", "erase", place + ["password=\(old)"]).status == 0)
            #expect(await world.run("token", "sandbox").output == new + "\n")
            #expect(await world.ask("git", "erase", place).status == 0)
            #expect(try await world.sessions().count == 1)
        }
    }

    @Test(arguments: ["store", "approve", "whatever"])
    func unknownOperationsAreIgnored(operation: String) async throws {
        try await withToolWorld { server, world in
            server.clearRequests()
            let result = await world.ask("git", operation, "protocol=http", "host=127.0.0.1:\(server.port)", "password=x", exits: 0)
            #expect(result.output + result.errors == "")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func capabilitiesAreListed() async throws {
        let result = await (try CommandWorld()).run("helper", "git", "capability", exits: 0)
        #expect(result.output == "version 0\ncapability authtype\n")
    }

    @Test func boundTokenIsNotIssued() async throws {
        let provider = SignInTests.honest.with { $0.proofs = .init(support: .required) }
        try await withToolWorld(provider, more: "dpop = \"required\"\n") { server, world in
            let result = await world.ask("git", "get", "protocol=http", "host=127.0.0.1:\(server.port)", exits: 2)
            #expect(result.output == "")
            #expect(result.errors.contains("are bound to a key"))
        }
    }
}

/// Signs in at a sandbox whose own host may get the tokens.
func withToolWorld(
    _ sandbox: SandboxConfiguration = SignInTests.honest, more: String = "", _ body: (SandboxServer, CommandWorld) async throws -> Void
) async throws {
    try await withEmptyHome(sandbox) { server, world in
        try world.configure(issuer: server.issuer, more: "api_hosts = [\"127.0.0.1:\(server.port)\"]\n" + more)
        try await world.signIn("sandbox")
        try await body(server, world)
    }
}

extension CommandWorld {
    /// Calls a helper as its tool does: the operation is the last argument, the request is on standard input.
    @discardableResult
    func ask(
        _ helper: String, _ operation: String, _ lines: String..., exits status: Int32? = nil, at place: SourceLocation = #_sourceLocation
    ) async -> CommandResult {
        await ask(helper, operation, lines, exits: status, at: place)
    }

    @discardableResult
    func ask(
        _ helper: String, _ operation: String, _ lines: [String], exits status: Int32? = nil, at place: SourceLocation = #_sourceLocation
    ) async -> CommandResult {
        await run(["helper", helper, operation], user: .init(lines: lines), exits: status, at: place)
    }
}
