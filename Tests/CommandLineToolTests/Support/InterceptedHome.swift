import AuthModel
import Glibc
import ProcessHarness
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// A home with a session whose API host is a server that speaks TLS, for commands below `yett exec --intercept`.
struct InterceptedHome {
    let world: CommandWorld
    let server: SandboxServer
    /// The API host: a server's address by TLS.
    let secure: String

    /// Runs `body` in such a home.
    ///
    /// - Parameters:
    ///   - certificate: the name of the server's certificate, as in ``TestAuthority``.
    ///   - port: the port of the server behind TLS; the sandbox's if `nil`.
    ///   - host: the name of the API host, for programs that use no proxy for an address of this machine; its address if `nil`.
    static func use(
        certificate: String = "good", port: Int? = nil, host: String? = nil, _ body: (InterceptedHome) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        try await SandboxServer.running(SignInTests.honest) { server in
            let front = try authority.front(certificate, to: port ?? server.port)
            let world = try CommandWorld(localPorts: host.map { [$0: front.port] } ?? [:])
            let place = host ?? "127.0.0.1:\(front.port)"
            try world.configure(
                issuer: server.issuer, more: "api_hosts = [\"\(place)\"]\nca_file = \"\(authority.rootFile)\"\n")
            try await world.signIn("sandbox")
            server.clearRequests()
            try await body(InterceptedHome(world: world, server: server, secure: "https://\(place)"))
            withExtendedLifetime(front) {}
        }
    }

    /// Returns options with which root, too, may isolate a command of root.
    static func allowed(_ options: [String], asRoot: Bool = geteuid() == 0) -> [String] {
        let own = options.prefix { $0 != "--" }
        return asRoot && own.contains("--isolated") && !own.contains("--user") ? ["--user", "root"] + options : options
    }

    /// Runs a script below `yett exec --intercept`. Returns its status, what it wrote, and what Yett wrote.
    func run(
        _ script: String, _ options: [String] = [], with variables: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        // Another user can write to it, too.
        let folder = try TestFolder()
        chmod(folder.path, 0o755)
        try folder.write("output", "", mode: 0o666)
        let command = ["sh", "-c", "exec >>'\(folder.file("output"))' 2>&1\n\(script)"]
        let result = await world.run(["exec", "sandbox", "--intercept"] + Self.allowed(options) + ["--"] + command, with: variables)
        return (result.status, try #require(folder.read("output")), result.errors)
    }

    /// Sends two requests below `yett exec --intercept`, with the policy `ask`. Returns what Yett wrote.
    ///
    /// - Parameters:
    ///   - answer: what the user types at the terminal.
    ///   - presence: the terminal of the command.
    func run(asking answer: String, at presence: UserPresence, _ options: [String] = []) async throws -> String {
        try world.configure(try world.text(world.configurationPath) + "policy = \"ask\"\n")
        let recorder = StreamRecorder(told: nil)
        var edges = world.edges(user: .init(lines: [answer]), into: recorder)
        edges.userPresence = { presence }
        let script = "for n in 1 2; do curl -sS \(secure)/api/hello; done >/dev/null 2>&1"
        let words = ["exec", "sandbox", "--intercept"] + Self.allowed(options) + ["--", "sh", "-c", script]
        return recorder.result(await Program.run(words, edges: edges)).errors
    }

    /// The built program in this home, without an agent, with these arguments after `exec sandbox --intercept`.
    func program(_ arguments: [String], below others: [String] = []) throws -> ProcessHarness.Program {
        let options = Self.allowed(arguments, asRoot: geteuid() == 0 || others.contains("/usr/bin/unshare"))
        let words = others + [try Product.program("yett-main"), "exec", "sandbox", "--intercept"] + options
        let variables = world.environment.merging(world.toolEnvironment) { $1 }
        return ProcessHarness.Program(words[0], Array(words.dropFirst()), environment: variables, folder: world.home)
    }

    /// Runs a script in the built program, which first waits for `change`. Returns what it wrote.
    func run(_ script: String, _ options: [String] = [], after change: () throws -> Void) async throws -> String {
        let path = world.home + "/go"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let pipe = open(path, O_RDWR | O_CLOEXEC)
        defer { close(pipe) }
        let running = try program(options + ["--", "sh", "-c", "echo ready; read line <\"$HOME/go\"; \(script)"]).start()
        try await running.until { $0.output.contains("ready\n") }
        try change()
        try #require(write(pipe, "go\n", 3) == 3)
        let result = await running.finish()
        #expect(result.status == 0, "\(result)")
        return String(result.output.dropFirst("ready\n".count))
    }

    /// Has Yett keep a token in a file of this home.
    func list(tokenFile path: String) throws {
        let state = world.home + "/.local/state/yett"
        try PrivateFile.makeDirectory(state, isPrivate: true)
        let entry: JSONValue = ["path": .string("\(world.home)/\(path)"), "session": "sandbox/ada", "kind": "access", "scopes": []]
        let list: JSONValue = ["version": 1, "files": [entry]]
        try PrivateFile.replace(state + "/token-files.json", with: Array(list.text.utf8))
    }

    /// The values of a field in the sandbox's requests to a path.
    func fields(_ name: String, of path: String = "/api/hello") -> [String?] {
        server.requests.filter { $0.path == path }.map { $0.header(name) }
    }
}
