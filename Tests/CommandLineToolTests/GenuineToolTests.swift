import AuthModel
import OAuth
import ProcessHarness
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The tools that run a token command of Yett, themselves: set up by Yett, each gets something from a server that accepts only the session's
/// token. Bazel, Claude Code and Codex are compared with their documents in ``ClientDocumentTests``.
@Suite(.startsPrograms) struct GenuineToolTests {
    /// A tool. In its texts, `HOST` is the server's host and port, and `URL` its origin.
    private struct Tool {
        /// The words after `yett setup`.
        let setup: [String]
        /// The path of the program.
        let program: String?
        let arguments: [String]
        /// The credential of each request that succeeds.
        var credential: @Sendable (String) -> String = { "Bearer \($0)" }
        /// What the tool prints.
        let output: String
        /// The files before the setup, which are the same after its removal.
        var files: [(path: String, text: String)] = []
        var variables: [String: String] = [:]
        var usesTLS = false
    }

    private static func password(_ token: String) -> String { "Basic " + Base64.encode(Array("oauth2:\(token)".utf8)) }

    static let absence: Comment = "not installed: see Tests/RealProviders/install tools"

    @Test(.enabled(if: RealProvider.tool("pip") != nil, absence), arguments: ["URL/simple/", "http://oauth2@HOST/simple/"])
    func pip(index: String) async throws {
        try await use(
            Tool(
                setup: ["pip", "HOST"], program: RealProvider.tool("pip"),
                arguments: ["index", "versions", "example", "--no-cache-dir", "--disable-pip-version-check", "--index-url", index],
                credential: Self.password, output: "example (1.5)\n", files: [(".config/pip/pip.conf", "[install]\nuser = true\n")]))
    }

    @Test(.enabled(if: RealProvider.tool("uv") != nil, absence), arguments: [false, true]) func uv(isNamed: Bool) async throws {
        let index = "\n[[index]]\nname = \"work\"\nurl = \"\(isNamed ? "http://oauth2@HOST" : "URL")/simple/\"\ndefault = true\n"
        let settings = index + (isNamed ? "" : "authenticate = \"always\"\n")
        try await use(
            Tool(
                setup: ["uv", "HOST"], program: RealProvider.tool("uv"),
                arguments: ["pip", "compile", "--no-cache", "--no-python-downloads", "--no-header", "--no-annotate", "wanted.txt"],
                credential: Self.password, output: "example==1.5\n", files: [(".config/uv/uv.toml", settings), ("wanted.txt", "example\n")])
        )
    }

    @Test(.enabled(if: Product.installed("rclone") != nil, absence)) func rclone() async throws {
        try await use(
            Tool(
                setup: ["rclone", "files"], program: Product.installed("rclone"), arguments: ["lsf", "--retries", "1", "files:"],
                output: "example.txt\n",
                files: [(".config/rclone/rclone.conf", "[other]\ntype = local\n\n[files]\ntype = webdav\nurl = URL/dav\n")]))
    }

    /// Whether cargo knows credential providers, as from 1.74 on.
    static func cargoHasProviders() async throws -> Bool {
        guard let cargo = Product.installed("cargo") else { return false }
        // rustup's cargo looks for the real one there.
        let environment = ["HOME": Product.environment("HOME") ?? ""]
        let output = try await Program(cargo, ["--version"], environment: environment).run().output
        let version = output.split { " .".contains($0) }.compactMap { Int($0) }
        return version.count >= 2 && (version[0] > 1 || version[1] >= 74)
    }

    @Test(.enabled("cargo is not installed, or older than 1.74") { try await cargoHasProviders() }) func cargo() async throws {
        // With rustup, cargo is a program that looks for the real one in the user's home.
        let rustup = (Product.environment("HOME") ?? "") + "/.rustup"
        try await use(
            Tool(
                setup: ["cargo", "work"], program: Product.installed("cargo"), arguments: ["search", "--registry", "work", "example"],
                output: "example = \"1.5.0\"", files: [(".cargo/config.toml", "[registries.work]\nindex = \"sparse+URL/\"\n")],
                variables: FileStatus.exists(rustup) ? ["RUSTUP_HOME": rustup] : [:]))
    }

    @Test(.enabled(if: Product.installed("terraform") != nil, "terraform is not installed")) func terraform() async throws {
        try await use(
            Tool(
                setup: ["terraform", "HOST"], program: Product.installed("terraform"), arguments: ["-chdir=module", "get", "-update"],
                output: "Downloading HOST/team/example/local 1.5.0 for example",
                files: [
                    (".terraformrc", "disable_checkpoint = true\n"), ("source/main.tf", "output \"answer\" {\n  value = 42\n}\n"),
                    ("module/main.tf", "module \"example\" {\n  source = \"HOST/team/example/local\"\n  version = \"1.5.0\"\n}\n"),
                ], usesTLS: true))
    }

    /// The one command of docker that asks a registry itself, without a daemon.
    @Test(.enabled(if: Product.installed("docker") != nil, "docker is not installed")) func docker() async throws {
        try await use(
            Tool(
                setup: ["docker", "HOST"], program: Product.installed("docker"),
                arguments: ["manifest", "inspect", "HOST/team/image:1"], credential: Self.password,
                output: "\"mediaType\": \"application/vnd.docker.distribution.manifest.v2+json\"",
                files: [(".docker/config.json", "{\n\t\"psFormat\": \"table\"\n}")], usesTLS: true))
    }

    // MARK: What happens with each

    /// Sets a tool up, lets it get something, and removes the setup.
    private func use(_ tool: Tool) async throws {
        try await withSetupWorld { _, world in
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let wanted = tool.credential(token)
            let server = try StandInServer { request in
                request.header("Authorization") == wanted
                    ? Self.answer(to: request, home: world.home)
                    : .init(status: 401, headers: ["WWW-Authenticate: \(wanted.hasPrefix("Basic") ? "Basic" : "Bearer") realm=\"work\""])
            }
            let authority = try tool.usesTLS ? TestAuthority() : nil
            let front = try authority?.front("good", to: server.port)
            func filled(_ text: String) -> String {
                text.replacing("HOST", with: "127.0.0.1:\(front?.port ?? server.port)").replacing("URL", with: server.origin)
            }
            var variables = world.environment.merging(world.toolEnvironment) { $1 }.merging(tool.variables) { $1 }
            variables["SSL_CERT_FILE"] = authority?.rootFile
            let program = try Program(
                #require(tool.program), tool.arguments.map(filled), environment: variables, folder: world.home)
            for file in tool.files { try world.write(filled(file.text), to: file.path) }

            let setup = await world.run(["setup"] + tool.setup.map(filled) + ["sandbox", "--yes"], with: variables, exits: 0)
            let result = try await program.run()
            #expect(result.status == 0 && result.output.contains(filled(tool.output)), "\(result)")
            let accepted = server.requests.filter { $0.header("Authorization") == wanted }
            #expect(!accepted.isEmpty)
            // No request has another credential: at most the user name, before the tool asks for the password.
            let others = server.requests.compactMap { $0.header("Authorization") }.filter { $0 != wanted }
            #expect(others.allSatisfy { $0 == "Basic " + Base64.encode(Array("oauth2:".utf8)) }, "\(others.count)")
            #expect(!(setup.output + setup.errors + result.output + result.errors).contains(token))
            #expect(world.files(containing: token) == [] && world.files(containing: wanted) == [])

            await world.run(["setup"] + tool.setup.map(filled) + ["--remove", "--yes"], with: variables, exits: 0)
            for file in tool.files { #expect(try world.content(file.path) == filled(file.text), "\(file.path)") }
            #expect(try await program.run().status != 0)
            #expect(server.requests.filter { $0.header("Authorization") == wanted }.count == accepted.count)
        }
    }

    /// A package index, a WebDAV server, a registry of crates, one of modules, and one of images.
    static func answer(to request: StandInServer.Request, home: String, scheme: String = "http") -> StandInServer.Answer {
        func answer(_ text: String, _ type: String = "application/json", status: Int = 200, _ more: String...) -> StandInServer.Answer {
            .init(status: status, headers: ["Content-Type: \(type)"] + more, body: Array(text.utf8))
        }
        let address = scheme + "://" + (request.header("Host") ?? "")
        switch request.target {
        case "/simple/example/":
            let file = "example-1.5-py3-none-any.whl"
            return answer("<!DOCTYPE html><a href=\"/\(file)\" data-core-metadata=\"true\">\(file)</a>", "text/html")
        case "/example-1.5-py3-none-any.whl.metadata": return answer("Metadata-Version: 2.1\nName: example\nVersion: 1.5\n", "text/plain")
        case "/dav/":
            let properties = "<d:propstat><d:prop><d:getcontentlength>5</d:getcontentlength></d:prop><d:status>HTTP/1.1 200 OK</d:status>"
            let file = "<d:response><d:href>/dav/example.txt</d:href>\(properties)</d:propstat></d:response>"
            return answer("<d:multistatus xmlns:d=\"DAV:\">\(file)</d:multistatus>", "application/xml", status: 207)
        case "/config.json": return answer("{\"dl\":\"\(address)/dl\",\"api\":\"\(address)\",\"auth-required\":true}")
        case _ where request.target.hasPrefix("/api/v1/crates?"):
            return answer("{\"crates\":[{\"name\":\"example\",\"max_version\":\"1.5.0\"}],\"meta\":{\"total\":1}}")
        case "/.well-known/terraform.json": return answer("{\"modules.v1\":\"/modules/\"}")
        case "/modules/team/example/local/versions": return answer("{\"modules\":[{\"versions\":[{\"version\":\"1.5.0\"}]}]}")
        case "/modules/team/example/local/1.5.0/download": return answer("", status: 204, "X-Terraform-Get: file://\(home)/source")
        case "/v2/": return answer("{}")
        case "/v2/team/image/manifests/1":
            let type = "application/vnd.docker.distribution.manifest.v2+json"
            let digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
            let settings = "{\"mediaType\":\"application/vnd.docker.container.image.v1+json\",\"size\":2,\"digest\":\"\(digest)\"}"
            return answer("{\"schemaVersion\":2,\"mediaType\":\"\(type)\",\"config\":\(settings),\"layers\":[]}", type)
        case _ where request.target.contains("/blobs/"): return answer("{}", "application/octet-stream")
        case "/example":
            return answer("{\"name\":\"example\",\"dist-tags\":{\"latest\":\"1.5.0\"},\"versions\":{\"1.5.0\":{\"version\":\"1.5.0\"}}}")
        default: return .init(status: 404)
        }
    }

    // MARK: Tools that read a variable

    /// npm has no credential helper. Its settings name a variable, which only npm gets.
    @Test(.enabled(if: Product.installed("npm") != nil, "npm is not installed")) func npm() async throws {
        try await withSetupWorld { _, world in
            let token = String(await world.run("token", "sandbox").output.dropLast())
            let server = try StandInServer { request in
                request.header("Authorization") == "Bearer \(token)" ? Self.answer(to: request, home: "") : .init(status: 401)
            }
            try world.write("registry=\(server.origin)/\n//127.0.0.1:\(server.port)/:_authToken=${NPM_TOKEN}\n", to: ".npmrc")
            let variables = world.environment.merging(world.toolEnvironment) { $1 }
            let view = ["view", "--update-notifier=false", "example", "version"]
            let npm = try #require(Product.installed("npm"))
            let result = try await Program(
                Product.program("yett"), ["exec", "sandbox", "--env", "NPM_TOKEN", "--", npm] + view, environment: variables,
                folder: world.home
            ).run()
            #expect(result.status == 0 && result.output == "1.5.0\n", "\(result)")
            #expect(try await Program(npm, view, environment: variables, folder: world.home).run().status != 0)
            #expect(world.files(containing: token) == [])
        }
    }

    /// gh takes its token from a variable; the program here prints the names of its variables.
    @Test func ghGetsItsVariable() async throws {
        try await withSetupWorld { _, world in
            try world.writeProgram("gh", "compgen -e\n")
            let names = try world.tool("yett", "exec", "sandbox", "--env", "GH_TOKEN", "--", "gh").split(separator: "\n")
            #expect(names.contains("GH_TOKEN"))
            #expect(!names.contains { $0.contains("YETT_ACCESS_TOKEN") || $0 == "GITHUB_TOKEN" }, "\(names)")
            #expect(try !world.tool("gh").split(separator: "\n").contains("GH_TOKEN"))
        }
    }
}
