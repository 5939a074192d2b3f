import AuthModel
import ProcessHarness
import Synchronization
import TestSupport
import Testing

/// A cluster that refuses a token that has not expired: kubectl runs its plugin again, and a running agent renews the token.
struct RefusedClusterTokenTests {
    private func token(in result: ProgramResult) throws -> String {
        try #require(result.status == 0, "\(result)")
        return try #require(try JSONValue(strict: result.output)["status"]?["token"]?.string)
    }

    /// Both built programs: the small one passes its arguments to the agent, and the full one runs the command itself.
    @Test(arguments: [("yett", []), ("yett-main", []), ("yett", ["--access-token"])] as [(String, [String])])
    func secondRequestOfAProgramRenewsOnce(program: String, options: [String]) async throws {
        let signedIn = try await SignedInHome()
        let words = ["helper", "kubectl", "sandbox"] + options
        func ask() async throws -> String { try token(in: try await signedIn.home.program(program, words).run()) }
        func askAsOther() async throws -> String { try token(in: try await signedIn.asOther(program, words)) }

        let first = try await ask()
        // Another program has seen no refusal.
        #expect(try await askAsOther() == first)
        let second = try await ask()
        #expect(second != first)
        // The cluster refuses the new token too: another one would not help.
        #expect(try await ask() == second)
        #expect(try await askAsOther() == second)
        try await signedIn.stopAgent()
    }

    /// A shell runs many commands, and none of them means a refusal.
    @Test func commandsOfAShellRenewNothing() async throws {
        let signedIn = try await SignedInHome()
        let command = "\(try Product.program("yett")) helper kubectl sandbox"
        let script = "\(command); \(command); true"
        let result = try await Program("/bin/bash", ["-c", script], environment: signedIn.home.environment).run()
        let answers = result.output.split(separator: "\n")
        #expect(answers.count == 2 && answers.first == answers.last, "\(result)")
        try await signedIn.stopAgent()
    }

    @Test(.enabled(if: Product.installed("kubectl") != nil, "kubectl is not installed"))
    func kubectlReplacesATokenThatItsClusterRefused() async throws {
        let refused = Mutex("")
        let server = try StandInServer { request in
            let isRefused = refused.withLock { request.header("Authorization") == "Bearer \($0)" }
            return .init(
                status: isRefused ? 401 : 200, headers: ["Content-Type: application/json"],
                body: Array((isRefused ? #"{"kind":"Status","apiVersion":"v1","status":"Failure","code":401}"# : "{}").utf8))
        }
        let authority = try TestAuthority()
        let front = try authority.front("good", to: server.port)
        let signedIn = try await SignedInHome("api_hosts = [\"127.0.0.1:\(front.port)\"]")
        let first = try await signedIn.home.yett("token", "sandbox", "--id-token").output.dropLast()
        refused.withLock { $0 = String(first) }
        let kubeconfig = Kubeconfig(
            server: front.port, authority: authority.rootFile, program: try Product.program("yett"), mode: "Never")
        try signedIn.home.write(kubeconfig.text, to: ".kube/config")
        let kubectl = Program(
            try #require(Product.installed("kubectl")), ["get", "--raw", "/version"], environment: signedIn.home.environment)
        // kubectl sends no request again itself, so the first run fails, unless it asks for the version in a request of its own before.
        _ = try await kubectl.run()
        let result = try await kubectl.run()
        #expect(result.status == 0 && result.output == "{}", "\(result)")
        let sent = server.requests.compactMap { $0.header("Authorization") }
        #expect(sent.first == "Bearer \(first)")
        #expect(sent.last?.hasPrefix("Bearer ") == true && sent.last != sent.first)
        try await signedIn.stopAgent()
    }
}
