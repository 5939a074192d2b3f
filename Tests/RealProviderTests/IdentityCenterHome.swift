import AuthModel
import ProcessHarness
import Testing

/// A home signed in at the AWS IAM Identity Center of a sandbox, with the installed aws and with botocore.
struct IdentityCenterHome {
    let sandbox: SandboxProvider
    let vendor: SandboxProvider.Vendor
    let home: TemporaryHome

    /// The distribution's own aws first: version 1, which environments of Python have, cannot print its credentials.
    static let awsProgram = isProgram("/usr/bin/aws") ? "/usr/bin/aws" : Product.installed("aws")
    static let isInstalled = ToolServer.moto.isInstalled && awsProgram != nil
    static let absence: Comment = "moto or aws is not installed: see Tests/RealProviders/install"

    static let credentials = "/federation/credentials"
    static let script = Product.sourceTree + "/Tests/RealProviders/moto/identity-center.py"

    /// Starts the sandbox. Unless it is only for botocore, signs in, which starts an agent.
    ///
    /// - Parameter settings: settings of the sandbox, such as `access_lifetime=3`.
    init(_ settings: [String] = [], isSignedIn: Bool = true) async throws {
        sandbox = try await SandboxProvider(
            options: ["--auto-approve", "ada", "--vendor", "aws-sso", "--request-log"]
                + settings.flatMap { ["--set", "aws-sso." + $0] })
        vendor = try sandbox.vendor("aws-sso")
        home = try TemporaryHome()
        guard isSignedIn else { return }
        // Each page that opens is one more line.
        try home.write("#!/bin/bash\necho opened >>pages\nexec \(Browser.following) \"$1\"\n", to: "bin/browser", permissions: 0o700)
        try home.configure("[store]\nseal = \"key-file\"\n[providers.aws]\n\(vendor.settings)\nsign_in = \"on-demand\"\n")
        let login = try await yett("login", "aws")
        guard login.status == 0 else { throw HarnessError("the sign-in: \(login)") }
    }

    /// The variables in which tools find each other, and aws asks nothing and no other service.
    var variables: [String: String?] {
        [
            "PATH": Product.searchPath, "BROWSER": home.path + "/bin/browser", "DISPLAY": ":0", "AWS_PAGER": "",
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_DEFAULT_REGION": "eu-central-1",
        ]
    }

    /// The number of pages that were opened.
    var pages: Int { String(decoding: home.read("pages") ?? [], as: UTF8.self).split(separator: "\n").count }

    /// Runs `yett`.
    func yett(_ words: String...) async throws -> ProgramResult { try await home.program("yett", words, with: variables).run() }

    /// Starts `yett`.
    func starting(_ words: String...) throws -> RunningProgram {
        try home.program("yett", words, with: variables, limit: .seconds(300)).start()
    }

    /// Runs aws.
    func aws(_ words: String...) async throws -> ProgramResult {
        try await Program(
            #require(Self.awsProgram), words, environment: home.environment(with: variables), folder: home.path
        ).run()
    }

    /// Runs the script of botocore, and returns the documents that it prints.
    func botocore(_ words: String..., input: String = "") async throws -> [JSONValue] {
        let result = try await Program(
            ToolServer.botocore, [Self.script] + words, environment: home.environment(with: variables), folder: home.path, input: input
        ).run()
        guard result.status == 0 else { throw HarnessError("botocore: \(result)") }
        return try result.output.split(separator: "\n").map { try JSONValue(strict: String($0)) }
    }

    /// Expects that aws printed credentials that the emulator accepts; returns their access key.
    func acceptedKey(_ result: ProgramResult) async throws -> String {
        try #require(result.status == 0, "\(result)")
        let checked = try #require(try await botocore("check", vendor.origin, input: result.output).first)
        #expect(checked["accepted"] == true)
        return try #require(checked["key"]?.string)
    }

    /// The number of requests to a path.
    func count(_ path: String) async throws -> Int { try await vendor.requests(at: path).count }

    /// The number of renewals.
    func renewals() async throws -> Int {
        try await vendor.requests(at: "/token").count { $0.body?["grantType"] == "refresh_token" }
    }

    /// The process number of the agent.
    func agent() async throws -> Int32 {
        let status = try JSONValue(strict: try await yett("agent", "status", "--json").output)
        return Int32(try #require(status["process"]?.integer))
    }
}
