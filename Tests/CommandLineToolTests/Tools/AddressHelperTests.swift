import AuthModel
import OperatingSystem
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool

/// `yett helper` for the tools that name an address: pip, uv, Bazel, cargo, Terraform, curl and Claude Code.
struct AddressHelperTests {
    private static func token(_ world: CommandWorld) async -> String { String(await world.run("token", "sandbox").output.dropLast()) }

    @Test func keyringAnswersPipAndUv() async throws {
        try await withToolWorld { server, world in
            let token = await Self.token(world)
            let index = "http://127.0.0.1:\(server.port)/simple/"
            #expect(await world.run("helper", "keyring", "get", index, "ada").output == token + "\n")
            // If its URL got nothing, pip asks with the bare host, which does not say whether the token would be encrypted.
            let bare = await world.run("helper", "keyring", "get", "127.0.0.1:\(server.port)", "ada")
            #expect(bare.status == 1 && bare.output == "")
            // uv asks for the user name too, with its options last.
            #expect(await world.run("helper", "keyring", "get", index, "--mode", "creds").output == "oauth2\n\(token)\n")
            #expect(await world.run("helper", "keyring", "--mode", "creds", "get", index).output == "oauth2\n\(token)\n")
            #expect(await world.run("helper", "keyring", "--mode=creds", "get", index, "grace").output == "grace\n\(token)\n")
            let json = try await world.run("helper", "keyring", "--mode=creds", "--output=json", "get", index).json
            #expect(json == .members(("username", "oauth2"), ("password", .string(token))))
            for words in [
                ["set", index, "ada"], ["del", index, "ada"], [], ["get"], ["get", index, "ada", "x"],
                ["--keyring-path", "/x", "get", index],
            ] {
                let result = await world.run(["helper", "keyring"] + words)
                #expect(result.status == 1 && result.output == "", "\(words)")
            }
        }
    }

    /// The address comes from a project: every text is the word of the tool, and none is an option of Yett.
    @Test(arguments: [
        "https://evil.example.org/simple/", "--config=evil.toml", "http://127.0.0.1:1/", "https://127.0.0.1:PORT@evil.example.org/", "",
        "https://evil.example.org/127.0.0.1:PORT", "file:///etc/passwd", "https://user:pass@evil.example.org:PORT/",
    ])
    func foreignAddressGetsNothing(address: String) async throws {
        try await withToolWorld { server, world in
            let token = await Self.token(world)
            let address = address.replacing("PORT", with: String(server.port))
            var results = [
                await world.run("helper", "keyring", "get", address, "ada"),
                await world.run("helper", "keyring", "--mode", "creds", "get", address),
            ]
            results.append(await world.run("helper", "curl", address))
            results.append(await world.run("helper", "headers", with: ["CLAUDE_CODE_MCP_SERVER_URL": address]))
            for result in results {
                #expect(result.status != 0 && result.output == "", "\(result)")
                #expect(!result.errors.contains(token))
            }
            let bazel = await world.run(
                ["helper", "bazel", "get"], user: .init(lines: [JSONValue.members(("uri", .string(address))).text]))
            #expect(bazel.status != 0 || bazel.output == "{\"headers\":{}}\n", "\(bazel)")
            let terraform = await world.run("helper", "terraform", "get", address)
            #expect(terraform.status != 0 || terraform.output == "{}\n", "\(terraform)")
            let cargo = await world.run(["helper", "cargo", "--cargo-plugin"], user: .init(lines: [Self.request(address)]))
            #expect(cargo.output.hasPrefix("{\"v\":[1]}\n{\"Err\":"), "\(cargo)")
            for result in [bazel, terraform, cargo] { #expect(!(result.output + result.errors).contains(token)) }
        }
    }

    /// A resource of another provider, which has no session: the host's session is not for it.
    @Test func addressOfAnotherResourceGetsNothing() async throws {
        try await withToolWorld { server, world in
            let (token, origin) = (await Self.token(world), "http://127.0.0.1:\(server.port)")
            try world.addProvider("beta", resource: origin + "/beta")
            #expect(await world.run("helper", "keyring", "get", origin + "/alpha/simple/", "ada").output == token + "\n")
            let other = await world.run("helper", "keyring", "get", origin + "/beta/simple/", "ada")
            #expect(other.status != 0 && other.output == "" && other.errors.contains("not signed in at beta"), "\(other)")
        }
    }

    @Test func bazelGetsTheHeadersAndTheirEnd() async throws {
        try await withToolWorld { server, world in
            let uri = JSONValue.members(("uri", .string("http://127.0.0.1:\(server.port)/cache/x")))
            let result = await world.run(["helper", "bazel", "get"], user: .init(lines: [uri.text]))
            let answer = try result.json
            #expect(answer["headers"]?["Authorization"]?.strings == ["Bearer \(await Self.token(world))"])
            #expect(try #require(answer["expires"]?.string.flatMap { Timestamp($0) }) > world.time.now)
            #expect(await world.run(["helper", "bazel", "get"], user: .init(lines: ["{}"])).status == 64)
            #expect(await world.run(["helper", "bazel", "store"], user: .init(lines: [uri.text])).status == 64)
        }
    }

    private static func request(_ index: String, kind: String = "get", version: Int64 = 1) -> String {
        JSONValue.members(
            ("v", .number(String(version))), ("registry", .members(("index-url", .string(index)), ("name", "work"))),
            ("kind", .string(kind)),
            ("operation", "read"), ("args", .array([]))
        ).text
    }

    @Test func cargoGetsTheTokenAndItsEnd() async throws {
        try await withToolWorld { server, world in
            let index = "sparse+http://127.0.0.1:\(server.port)/index/"
            let requests = [Self.request(index), Self.request(index, kind: "login"), Self.request(index, version: 2), "nonsense"]
            let result = await world.run(["helper", "cargo", "--cargo-plugin"], user: .init(lines: requests))
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "{\"v\":[1]}")
            let answers = try lines.dropFirst().map { try JSONValue(strict: $0) }
            #expect(answers.count == requests.count, "\(result)")
            let token = await Self.token(world)
            #expect(answers[0]["Ok"]?["kind"] == "get")
            #expect(answers[0]["Ok"]?["token"]?.string == "Bearer \(token)")
            #expect(answers[0]["Ok"]?["cache"] == "expires")
            #expect(answers[0]["Ok"]?["operation_independent"] == true)
            #expect(answers[1] == .members(("Err", .members(("kind", "operation-not-supported")))))
            #expect(answers[2]["Err"]?["kind"] == "other" && answers[3]["Err"]?["kind"] == "other")
            let plain = await world.run(["helper", "cargo", "--plain-token", "--cargo-plugin"], user: .init(lines: [Self.request(index)]))
            #expect(plain.output.contains("\"token\":\"\(token)\""))
            // cargo's own words are only --cargo-plugin; those of the configuration are in the request.
            let request = Self.request(index).replacing("\"args\":[]", with: "\"args\":[\"--plain-token\"]")
            let passed = await world.run(["helper", "cargo", "--cargo-plugin"], user: .init(lines: [request]))
            #expect(passed.output.contains("\"token\":\"\(token)\""), "\(passed)")
        }
    }

    @Test func terraformCurlAndClaudeGetTheToken() async throws {
        try await withToolWorld { server, world in
            let (token, host) = (await Self.token(world), "127.0.0.1:\(server.port)")
            #expect(await world.run("helper", "terraform", "get", host).output == "{\"token\":\"\(token)\"}\n")
            #expect(await world.run("helper", "terraform", "store", host).status == 64)
            let headers = await world.run("helper", "headers", with: ["CLAUDE_CODE_MCP_SERVER_URL": "http://\(host)/mcp"])
            #expect(headers.output == "{\"Authorization\":\"Bearer \(token)\"}\n")
            #expect(await world.run("helper", "headers").status == 64)
            let curl = await world.run("helper", "curl", "http://\(host)/a?b=%22")
            #expect(
                curl.output == "url = \"http://\(host)/a?b=%22\"\nheader = \"Authorization: Bearer \(token)\"\nproto-redir = \"=https\"\n")
        }
    }

    /// A project's settings can set the variable, so the token goes only to hosts of the session's provider.
    @Test func anthropicGetsTheTokenForItsHostsOnly() async throws {
        try await withToolWorld { server, world in
            func ask(_ address: String?) async -> CommandResult {
                await world.run("helper", "anthropic", "sandbox", with: address.map { ["ANTHROPIC_BASE_URL": $0] } ?? [:])
            }
            let token = await Self.token(world)
            for address in ["http://127.0.0.1:\(server.port)", "http://127.0.0.1:\(server.port)/anthropic"] {
                #expect(await ask(address).output == token + "\n")
            }
            for address in ["https://evil.example.org", "http://127.0.0.1:1/", "http://localhost:\(server.port)", "x", "", nil] as [String?]
            {
                let refused = await ask(address)
                #expect(refused.status != 0 && refused.output == "" && !refused.errors.contains(token), "\(refused)")
            }
            #expect(await ask(nil).errors.contains("api.anthropic.com"))
        }
    }

    /// curl itself reads the lines, and sends the token to the one address.
    @Test func curlReadsItsLines() async throws {
        try await withToolWorld { server, world in
            let lines = await world.run("helper", "curl", "\(server.issuer)/userinfo")
            let exchange = try CommandExchange.run(
                "curl", ["--silent", "--config", "-"], environment: world.environment.merging(world.toolEnvironment) { $1 },
                input: Array(lines.output.utf8), limit: 1 << 20, deadline: .seconds(300))
            let claims = try JSONValue(strict: exchange.output)
            #expect(claims["sub"]?.string?.isEmpty == false, "\(String(decoding: exchange.output + exchange.errors, as: UTF8.self))")
        }
    }
}
