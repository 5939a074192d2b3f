import AuthModel
import OAuth
import Sandbox
import Testing

@testable import CommandLineTool

/// `yett helper` for kubectl, docker and mail programs.
struct ToolHelperTests {
    private static func info(_ spec: String = "{\"interactive\":false}", version: String = "v1") -> [String: String] {
        [
            "KUBERNETES_EXEC_INFO":
                "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/\(version)\",\"spec\":\(spec)}"
        ]
    }

    // MARK: kubectl

    @Test(arguments: ["v1", "v1beta1"])
    func kubectlGetsTheIDTokenInTheRequestedVersion(version: String) async throws {
        try await withToolWorld { _, world in
            let result = await world.run("helper", "kubectl", "sandbox", with: Self.info(version: version), exits: 0)
            let credential = try result.json
            #expect(credential["apiVersion"]?.string == "client.authentication.k8s.io/\(version)")
            #expect(credential["kind"] == "ExecCredential")
            #expect(credential["status"]?["token"]?.string == String(await world.run("token", "sandbox", "--id-token").output.dropLast()))
            let end = try #require(credential["status"]?["expirationTimestamp"]?.string.flatMap { Timestamp($0) })
            #expect(end > world.time.now)
            #expect(result.output.split(separator: "\n").count == 1)
        }
    }

    @Test func kubectlCanAskForARenewal() async throws {
        try await withToolWorld { server, world in
            let first = await world.run("helper", "kubectl", "sandbox", "--access-token")
            let second = await world.run("helper", "kubectl", "sandbox", "--access-token", "--force-refresh")
            #expect(first.status == 0 && second.status == 0 && first.output != second.output, "\(second.errors)")
        }
    }

    @Test func kubectlGetsTheAccessTokenOnRequest() async throws {
        try await withToolWorld { _, world in
            let result = await world.run("helper", "kubectl", "sandbox", "--access-token")
            let token = try result.json["status"]?["token"]?.string
            #expect(token == String(await world.run("token", "sandbox").output.dropLast()))
        }
    }

    @Test(arguments: ["nonsense", "[]", "{}", "{\"apiVersion\":\"client.authentication.k8s.io/v1\"}"])
    func invalidExecInfoExitsWith2(text: String) async throws {
        let result = await (try CommandWorld()).run("helper", "kubectl", "sandbox", with: ["KUBERNETES_EXEC_INFO": text], exits: 2)
        #expect(result.output == "")
        #expect(result.errors.hasPrefix("yett: error: KUBERNETES_EXEC_INFO contains no ExecCredential\nyett: hint: "))
    }

    @Test func unknownExecVersionExitsWith2() async throws {
        let result = await (try CommandWorld()).run("helper", "kubectl", "sandbox", with: Self.info(version: "v7"), exits: 2)
        #expect(result.errors.contains("unsupported ExecCredential version"))
    }

    @Test func clusterMustBelongToTheSession() async throws {
        try await withToolWorld { server, world in
            func status(_ address: String) async -> Int32 {
                await world.run("helper", "kubectl", "sandbox", with: Self.info("{\"cluster\":{\"server\":\"\(address)\"}}")).status
            }
            #expect(await status("http://127.0.0.1:\(server.port)") == 0)
            #expect(await status("https://evil.example") == 8)
            #expect(await status("nonsense") == 2)
        }
    }

    // MARK: docker

    @Test(arguments: [["127.0.0.1:PORT\r"], ["127.0.0.1:PORT", "127.0.0.1:PORT"], ["127.0.0.1:PORT\u{7F}"], ["127.0.0.1\t:PORT"]])
    func invalidDockerRequestIsRefused(lines: [String]) async throws {
        try await withToolWorld { server, world in
            let result = await world.ask("docker", "get", lines.map { $0.replacing("PORT", with: String(server.port)) }, exits: 1)
            #expect(result.errors.contains("it must be one line without control characters"))
            #expect(!result.output.contains("Secret"))
        }
    }

    @Test(arguments: ["http://127.0.0.1:1\\r", "http://127.0.0.1:1\",\"server\":\"http://127.0.0.1:1"])
    func clusterServerIsGivenOnceWithoutControlCharacters(server: String) async throws {
        let result = await (try CommandWorld()).run(
            "helper", "kubectl", "sandbox", with: Self.info("{\"cluster\":{\"server\":\"\(server)\"}}"), exits: 2)
        #expect(result.output == "")
    }

    @Test func dockerGetsATokenForItsRegistry() async throws {
        try await withToolWorld { server, world in
            let registry = "127.0.0.1:\(server.port)"
            let result = await world.ask("docker", "get", registry, exits: 0)
            let credential = try result.json
            #expect(credential["ServerURL"]?.string == registry)
            #expect(credential["Username"]?.string == "oauth2")
            #expect(credential["Secret"]?.string == String(await world.run("token", "sandbox").output.dropLast()))
            let named = await world.run(
                ["helper", "docker", "--username", "ada", "sandbox", "get"], user: .init(lines: ["http://\(registry)/v2/"]))
            #expect(try named.json["Username"]?.string == "ada")
            #expect(await world.ask("docker", "list").output == "{\"\(registry)\":\"oauth2\"}\n")
        }
    }

    @Test func otherRegistriesGetDockersNotFoundMessage() async throws {
        try await withToolWorld { server, world in
            let result = await world.ask("docker", "get", "registry.example.org", exits: 1)
            #expect(result.output == "credentials not found in native keychain\n")
            #expect(result.errors == "")
            #expect(await world.run("logout", "sandbox").status == 0)
            let signedOut = await world.ask("docker", "get", "127.0.0.1:\(server.port)", exits: 1)
            #expect(signedOut.output == "credentials not found in native keychain\n")
            #expect(signedOut.errors.contains("yett: hint: sign in with: yett login sandbox"))
        }
    }

    /// A registry that docker is set up for, but which is in api_hosts of no provider: docker goes on without a credential, and the user
    /// reads why.
    @Test func registryThatMayGetNoTokenIsNamed() async throws {
        try await withToolWorld { _, world in
            try world.write("{\"credHelpers\":{\"registry.example.org\":\"yett\"}}", to: ".docker/config.json")
            let result = await world.ask("docker", "get", "registry.example.org", exits: 1)
            #expect(result.output == "credentials not found in native keychain\n")
            #expect(
                result.errors == """
                    yett: error: no token for registry.example.org: it is in api_hosts of no provider
                    yett: hint: if it may get your tokens, run: yett setup docker registry.example.org SESSION

                    """)
        }
    }

    @Test(arguments: [("get", ""), ("get", "a b"), ("store", "{\"ServerURL\":\"a\"}"), ("nonsense", "")])
    func dockerErrorsAreOnStandardOutput(operation: String, line: String) async throws {
        try await withToolWorld { _, world in
            let result = await world.ask("docker", operation, line, exits: 1)
            #expect(result.output.split(separator: "\n").count == 1)
            #expect(result.errors.hasPrefix("yett: error: "))
        }
    }

    @Test func dockerLogoutKeepsTheSession() async throws {
        try await withToolWorld { (server, world) async throws in
            let result = await world.ask("docker", "erase", "127.0.0.1:\(server.port)", exits: 0)
            #expect(result.output == "")
            #expect(try await world.sessions().count == 1)
        }
    }

    // MARK: Mail

    @Test func mailProgramsGetTheirInitialResponse() async throws {
        try await withToolWorld { _, world in
            let token = await world.run("token", "sandbox").output.dropLast()
            func message(_ arguments: String...) async throws -> String {
                let result = await world.run(["helper"] + arguments, exits: 0)
                #expect(result.output.last == "\n")
                let bytes = try #require(Base64.decode(String(result.output.dropLast())))
                return String(decoding: bytes, as: UTF8.self)
            }
            let named = try await message("xoauth2", "sandbox", "--user", "ada@mail.example")
            #expect(named == "user=ada@mail.example\u{1}auth=Bearer \(token)\u{1}\u{1}")
            #expect(try await message("xoauth2", "sandbox").hasPrefix("user=ada@"))
            let whole = try await message("oauthbearer", "sandbox", "--user", "a=b,c", "--host", "imap.example.org", "--port", "993")
            #expect(whole == "n,a=a=3Db=2Cc,\u{1}host=imap.example.org\u{1}port=993\u{1}auth=Bearer \(token)\u{1}\u{1}")
            let short = try await message("oauthbearer", "sandbox", "--user", "ada")
            #expect(short == "n,a=ada,\u{1}auth=Bearer \(token)\u{1}\u{1}")
        }
    }

    @Test(arguments: [
        ["xoauth2", "sandbox", "--user", "a\u{1}b"], ["oauthbearer", "sandbox", "--host", "a\u{1}b"],
        ["oauthbearer", "sandbox", "--host", "a/b"], ["oauthbearer", "sandbox", "--port", "0"], ["docker"], ["git"],
        ["git", "a", "b", "c"],
        ["docker", "--username", "<token>", "get"], ["kubectl"], ["xoauth2"], ["nonsense"], ["aws", "sandbox"],
        ["aws", "sandbox", "--role-arn", "admin"], ["aws", "sandbox", "--duration", "5"],
    ])
    func usageErrorExitsWith64(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(["helper"] + arguments, exits: 64)
        #expect(result.output == "")
    }

    @Test(arguments: [["git", "get"], ["docker", "get"], ["kubectl", "sandbox"], ["xoauth2", "sandbox"], ["oauthbearer", "sandbox"]])
    func tokenIsNotPrintedToATerminal(arguments: [String]) async throws {
        let result = await (try CommandWorld()).run(["helper"] + arguments, user: .init(hasTerminal: true))
        #expect(result.status == (arguments == ["docker", "get"] ? 1 : 64))
        #expect(result.errors.contains("yett: error: a token is not printed to a terminal"))
    }
}
