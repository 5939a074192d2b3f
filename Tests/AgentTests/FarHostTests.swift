import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import Agent

/// A far host: a program that has nothing but the forwarded socket.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct FarHostTests {
    private let sandbox: SandboxProvider
    private let home: TemporaryHome

    init() async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--access-lifetime", "3600", "--request-log"])
        home = try TemporaryHome()
        try home.configure(
            "[store]\nseal = \"key-file\"\n[agent]\nforward = [\"work\"]\n[providers.work]\n\(sandbox.settings)\n")
        let login = try await home.yett("login", "work", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")
    }

    /// Sends the lines of its input as requests for a token, and prints how many were answered with each status, and the last token.
    private static let program = """
        import http.client, json, socket, sys
        connection = http.client.HTTPConnection("yett")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(sys.argv[1])
        counts, token = {}, None
        for line in open(sys.argv[2]):
            connection.request("POST", "/v1/token", line)
            response = connection.getresponse()
            answer = json.loads(response.read())
            counts[response.status] = counts.get(response.status, 0) + 1
            token = answer.get("token", token)
        print(json.dumps({"counts": counts, "token": token}))
        """

    /// Runs the far host's program with request bodies.
    private func ask(_ bodies: [JSONValue]) async throws -> JSONValue {
        let input = home.path + "/requests"
        try home.write(bodies.map { $0.text + "\n" }.joined(), to: "requests")
        let socket = AgentLocation(environment: home.environment).forwardedSocket
        try await eventually("there is no forwarded socket") { access(socket, F_OK) == 0 }
        let python = try #require(Product.installed("python3"))
        let result = try await Program(python, ["-c", Self.program, socket, input], environment: home.environment).run()
        try #require(result.status == 0, "\(result)")
        return try JSONValue(strict: result.output)
    }

    private func renewals() async throws -> Int {
        let answer = try await Resource.get(sandbox.issuer + "/__log")
        let requests = try #require(answer.json?.array)
        #expect(requests.contains { $0["path"] == "/token" })
        return requests.filter { $0["form"]?.array?.contains(["grant_type", "refresh_token"]) == true }.count
    }

    /// Requests with giant characters and ever new texts fill neither the log nor the agent's memory.
    @Test func floodLeavesTheLogAsItWas() async throws {
        let giant = "e" + String(repeating: "\u{301}", count: 20_000)
        let giants = (0..<5).map { JSONValue.members(("session", "work"), ("destination", .string(giant + "\($0)"))) }
        let plain = (0..<2600).map { JSONValue.members(("session", "work"), ("destination", .string("place \($0)"))) }
        let answer = try await ask(giants + plain)
        #expect((answer["counts"]?["200"]?.integer ?? 0) > 20 && (answer["counts"]?["503"]?.integer ?? 0) > 1000, "\(answer)")
        let log = try #require(home.read("state/yett/activity.jsonl"))
        #expect(log.count < 64 << 10)
        let activity = try JSONValue(strict: try await home.yett("activity", "--limit", "1000", "--json").output)["activity"]?.array ?? []
        #expect(activity.contains { $0["kind"] == "signed_in" })
        #expect(activity.count <= IssuedTokenLog.newLines + 5)
        _ = try await home.yett("agent", "stop")
    }

    /// It gets the session's token, and causes no renewal and no token for another audience.
    @Test func farHostDrivesNoRenewals() async throws {
        let first = try #require(try await ask([["session": "work"]])["token"]?.string)
        let knobs: [JSONValue] = [
            ["session": "work", "min_valid": 86_000], ["session": "work", "refused": .string(first)],
            ["session": "work", "refused": .string(first), "renew": false], ["session": "work", "scopes": ["openid"]],
            ["session": "work", "audience": "https://other.example.org/"],
        ]
        let answer = try await ask((0..<8).flatMap { _ in knobs })
        #expect(answer["counts"]?["200"] == 24 && answer["counts"]?["403"] == 16, "\(answer)")
        #expect(answer["token"]?.string == first)
        #expect(try await renewals() == 0)
        _ = try await home.yett("agent", "stop")
    }
}

/// The last seconds of a token, and a store that replaced another one, as `yett token` of the launcher sees them.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct TokenOfTheLauncherTests {
    private func signedIn(_ home: TemporaryHome, _ sandbox: SandboxProvider) async throws {
        try home.configure("[store]\nseal = \"key-file\"\n[providers.work]\n\(sandbox.settings)\n")
        let login = try await home.yett("login", "work", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")
    }

    @Test func tokenThatExpiresSoonAndCannotBeRenewedHasAWarning() async throws {
        let sandbox = try await SandboxProvider(
            options: ["--auto-approve", "ada", "--access-lifetime", "58", "--refresh-tokens", "never"])
        let home = try TemporaryHome()
        for arguments in [["token", "work"], ["token", "work", "--header"]] {
            try await signedIn(home, sandbox)
            let result = try await home.program("yett", arguments).run()
            #expect(result.status == 0 && result.output.count > 10, "\(result)")
            #expect(result.errors.hasPrefix("yett: warning: the token of work/ada is valid for only "), "\(result)")
        }
        #expect(try await home.program("yett", ["token", "work", "--min-valid", "1"]).run().errors.isEmpty)
        _ = try await home.yett("agent", "stop")
    }

    @Test func tokenIsOfTheStoreThatIsThereNow() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        let (home, other) = (try TemporaryHome(), try TemporaryHome())
        try await signedIn(home, sandbox)
        try await signedIn(other, sandbox)
        #expect(try await other.yett("agent", "stop").status == 0)
        let expected = try await other.yett("--no-agent", "token", "work").output
        let first = try await home.program("yett", ["token", "work"]).run()
        try #require(first.status == 0 && first.output != expected)
        // Without the start of a program between: the agent has the token in its memory, and it must not wait for news of the file.
        let client = AgentClient(location: AgentLocation(environment: home.environment), home: home.agentHome)
        let request = TokenRequest(session: try #require(SessionName("work")))
        for _ in 1...2 { #expect(try await client.token(request).token.reveal() + "\n" == first.output) }
        try #require(rename(home.path + "/data/yett", home.path + "/data/old") == 0)
        try #require(rename(other.path + "/data/yett", home.path + "/data/yett") == 0)
        #expect(try await client.token(request).token.reveal() + "\n" == expected)
        #expect(try await home.program("yett", ["token", "work"]).run().output == expected)
        _ = try await home.yett("agent", "stop")
    }
}
