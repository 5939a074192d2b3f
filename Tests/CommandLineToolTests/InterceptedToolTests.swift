import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Tools below `yett exec --intercept`, none of which is set up for it: each gets something from a server that accepts only requests with the
/// session's token.
@Suite(.startsPrograms) struct InterceptedToolTests {
    /// The Python of Moto, which needs the package `requests`.
    private static let python = RealProvider.tool("python", of: "moto")

    @Test(.enabled(if: RealProvider.tool("pip") != nil, GenuineToolTests.absence)) func pip() async throws {
        let options = "--no-cache-dir --disable-pip-version-check"
        try await use(RealProvider.tool("pip"), "index versions example \(options) --index-url URL/simple/", output: "example (1.5)\n")
    }

    @Test(.enabled(if: RealProvider.tool("uv") != nil, GenuineToolTests.absence)) func uv() async throws {
        let options = "--no-cache --no-python-downloads --no-header --no-annotate"
        try await use(
            RealProvider.tool("uv"), "pip compile \(options) --default-index URL/simple/ wanted.txt", output: "example==1.5\n",
            files: ["wanted.txt": "example\n"])
    }

    @Test(.enabled(if: python != nil, "moto is not installed: see Tests/RealProviders/install")) func requests() async throws {
        let program = "import requests, sys; print(requests.get(sys.argv[1]).json()[\"name\"])"
        try await use(Self.python, "-c '\(program)' URL/example", output: "example\n")
    }

    @Test(.enabled("cargo is not installed, or older than 1.74") { try await GenuineToolTests.cargoHasProviders() })
    func cargo() async throws {
        // With rustup, cargo is a program that looks for the real one in the user's home. It asks for no token that it does not know of.
        let rustup = (Product.environment("HOME") ?? "") + "/.rustup"
        var variables = ["CARGO_REGISTRIES_WORK_TOKEN": "yett"]
        if FileStatus.exists(rustup) { variables["RUSTUP_HOME"] = rustup }
        try await use(
            Product.installed("cargo"), "search --registry work example", output: "example = \"1.5.0\"",
            files: [".cargo/config.toml": "[registries.work]\nindex = \"sparse+URL/\"\n"], variables: variables)
    }

    @Test(.enabled(if: Product.installed("npm") != nil, "npm is not installed")) func npm() async throws {
        try await use(
            Product.installed("npm"), "view --update-notifier=false --registry URL/ example version", output: "1.5.0\n",
            variables: ["PATH": Product.searchPath])
    }

    /// For a service that takes tokens in place of AWS's signatures.
    @Test(.enabled(if: Product.installed("aws") != nil, "aws is not installed: see Tests/RealProviders/install")) func aws() async throws {
        let options = "--no-sign-request --region eu-central-1 --query Owner.ID --output text"
        try await use(
            Product.installed("aws"), "s3api list-buckets \(options) --endpoint-url URL", output: "example\n",
            variables: ["AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": ""])
    }

    @Test func git() async throws {
        try await use("/usr/bin/git", "ls-remote URL/team/example.git", output: "\(Self.commit)\tHEAD\n")
    }

    /// gh does not start without a token, and takes the placeholder for one. Programs in Go use no proxy for an address of this machine.
    @Test(.enabled(if: Product.installed("gh") != nil, GenuineToolTests.absence)) func gh() async throws {
        try await use(
            Product.installed("gh"), "api example --jq .name", output: "example\n", host: "api.github.com",
            variables: ["GH_TOKEN": "yett", "GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1"])
    }

    /// gh sends the token in `GH_TOKEN` in this form (REST API documentation, "Authenticating").
    @Test func requestsOfGH() async throws {
        let fields = ["Authorization: token yett", "Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28"]
        try await use("/usr/bin/curl", "-sSf \(fields.map { "-H '\($0)'" }.joined(separator: " ")) URL/example", output: "\"example\"")
    }

    // MARK: What happens with each

    private static let commit = String(repeating: "1234567890", count: 4)

    /// Lets a tool get something. In its texts, `URL` is the server's origin.
    private func use(
        _ program: String?, _ arguments: String, output: String, host: String? = nil, files: [String: String] = [:],
        variables: [String: String] = [:]
    ) async throws {
        let server = try StandInServer { request in
            guard request.header("Authorization")?.hasPrefix("Bearer ") == true else { return .init(status: 401) }
            return Self.answer(to: request)
        }
        try await InterceptedHome.use(certificate: host == nil ? "good" : "github", port: server.port, host: host) { home in
            func filled(_ text: String) -> String { text.replacing("URL", with: home.secure) }
            for (path, text) in files { try home.world.write(filled(text), to: path) }
            let run = try await home.run("cd; '\(try #require(program))' \(filled(arguments))", with: variables)
            #expect(run.status == 0 && run.output.contains(output), "\(run)")
            let token = String(await home.world.run("token", "sandbox").output.dropLast())
            #expect(!server.requests.isEmpty)
            for request in server.requests {
                let credentials = request.head.split(whereSeparator: \.isNewline).filter { line in
                    ["authorization:", "proxy-", "cookie:"].contains { line.lowercased().hasPrefix($0) }
                }
                let words = credentials.map { $0.split(separator: " ").map(String.init) }
                #expect(words == [["Authorization:", "Bearer", token]], "\(request.target)")
            }
            #expect(!(run.output + run.errors).contains(token) && home.world.files(containing: token) == [])
        }
    }

    private static func answer(to request: StandInServer.Request) -> StandInServer.Answer {
        switch request.target {
        case "/":
            let owner = "<Owner><ID>example</ID></Owner><Buckets></Buckets>"
            return .init(
                headers: ["Content-Type: application/xml"], body: Array("<ListAllMyBucketsResult>\(owner)</ListAllMyBucketsResult>".utf8))
        case _ where request.target.hasPrefix("/team/example.git/info/refs"):
            // gitprotocol-http(5), version 0: lines with their length, in hexadecimal digits.
            let lines = ["# service=git-upload-pack\n", "\(commit) HEAD\0\n"].map { line in
                let size = String(line.utf8.count + 4, radix: 16)
                return String(repeating: "0", count: 4 - size.utf8.count) + size + line
            }
            let type = "Content-Type: application/x-git-upload-pack-advertisement"
            return .init(headers: [type], body: Array((lines[0] + "0000" + lines[1] + "0000").utf8))
        default: return GenuineToolTests.answer(to: request, home: "", scheme: "https")
        }
    }
}
