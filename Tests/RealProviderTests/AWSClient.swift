import AuthModel
import ProcessHarness
import Testing

/// aws in a home, and Moto in place of AWS.
struct AWSClient {
    let home: TemporaryHome
    let server: StartedServer

    static let isInstalled = ToolServer.moto.isInstalled && Product.installed("aws") != nil
    static let absence: Comment = "moto or aws is not installed: see Tests/RealProviders/install"

    /// The account of Moto.
    private static let account = "123456789012"
    static func role(_ name: String) -> String { "arn:aws:iam::\(account):role/\(name)" }

    /// Host and port of Moto.
    var host: String { String(server.address.dropFirst("http://".count)) }

    /// `PATH`, with the built programs first.
    var path: String { Product.searchPath }

    /// The variables of aws in which it asks nothing and no other service.
    var variables: [String: String?] {
        ["PATH": path, "AWS_PAGER": "", "AWS_EC2_METADATA_DISABLED": "true", "AWS_DEFAULT_REGION": "eu-central-1"]
    }

    /// Makes the profile `dev` get credentials of a role from Yett, as `yett setup aws` does for a session.
    func setUp(role: String = "dev") throws {
        let words = [try Product.program("yett"), "helper", "aws", "sandbox", "--role-arn", Self.role(role), "--endpoint", server.address]
        try home.write("[profile dev]\ncredential_process = \(words.joined(separator: " "))\n", to: ".aws/config")
    }

    /// Runs `yett` as the user does.
    func yett(_ words: String...) async throws -> ProgramResult {
        try await home.program("yett-main", words, with: ["PATH": path]).run()
    }

    /// Runs aws with the profile `dev`, without a terminal.
    func aws(_ words: [String], profile: String? = "dev", with extra: [String: String] = [:]) async throws -> ProgramResult {
        let all = words + ["--endpoint-url", server.address] + (profile.map { ["--profile", $0] } ?? [])
        let environment = home.environment(with: variables).merging(extra) { $1 }
        return try await Program(#require(Product.installed("aws")), all, environment: environment, folder: home.path).run()
    }

    /// Asks whose credentials aws has.
    func identity(with extra: [String: String] = [:]) async throws -> ProgramResult {
        try await aws(["sts", "get-caller-identity"], with: extra)
    }

    /// Expects that aws has credentials of a role, of which Moto knows the key.
    func expectIdentity(role: String = "dev", with extra: [String: String] = [:]) async throws {
        let result = try await identity(with: extra)
        #expect(result.status == 0, "\(result)")
        #expect(try JSONValue(strict: result.output)["Arn"]?.string == "arn:aws:sts::\(Self.account):assumed-role/\(role)/ada", "\(result)")
    }

    /// Expects that aws gets no credentials, that the user reads why and what to do, and that Moto gets no request.
    ///
    /// - Parameter hint: the beginning of the hint.
    func expectNoCredentials(_ error: String, hint: String) async throws {
        let before = requests
        let result = try await identity()
        #expect(result.status == 255 && result.output == "", "\(result)")
        #expect(
            result.errors.contains(
                "Error when retrieving credentials from custom-process: yett: error: \(error)\nyett: hint: \(hint)"), "\(result)")
        #expect(requests == before)
    }

    /// Returns the credentials that aws gets from Yett for the role `dev`.
    func credentials() async throws -> (key: String, secret: String, token: String) {
        let words = ["helper", "aws", "sandbox", "--role-arn", Self.role("dev"), "--endpoint", server.address]
        let answer = try JSONValue(strict: try await home.program("yett", words).run().output)
        return (
            try #require(answer["AccessKeyId"]?.string), try #require(answer["SecretAccessKey"]?.string),
            try #require(answer["SessionToken"]?.string)
        )
    }

    /// Whether this aws reads the service's address from the environment: since 1.29.0 and 2.13.0.
    func readsEndpointFromEnvironment() async throws -> Bool {
        let version = try await aws(["--version"], profile: nil).output
        let numbers = (version.split(separator: " ").first?.split(separator: "/").last ?? "").split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2 else { throw HarnessError("not a version of aws: \(version)") }
        return numbers[1] >= (numbers[0] == 1 ? 29 : 13)
    }

    /// Creates a role that may use S3, and nothing else.
    func createRole(_ name: String) async throws {
        let administrator = ["AWS_ACCESS_KEY_ID": "administrator", "AWS_SECRET_ACCESS_KEY": "administrator"]
        for words in [
            ["create-role", "--assume-role-policy-document", #"{"Version":"2012-10-17","Statement":[]}"#],
            [
                "put-role-policy", "--policy-name", "s3", "--policy-document",
                #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}"#,
            ],
        ] {
            let result = try await aws(["iam"] + words + ["--role-name", name], profile: nil, with: administrator)
            #expect(result.status == 0, "\(result)")
        }
    }

    /// Makes Moto check the signature of every request and the rights of its role, or no longer. No credentials are issued meanwhile.
    func checkSignatures(_ isOn: Bool = true) async throws {
        let answer = try await Resource.post(isOn ? "0" : "1000000", to: server.address + "/moto-api/reset-auth")
        guard answer.status == 200 else { throw HarnessError("moto does not change its checks: \(answer)") }
    }

    /// The number of requests to Moto so far.
    var requests: Int {
        server.log.split(separator: "\n").count { $0.contains(" HTTP/1.1\"") && !$0.contains("/moto-api/") }
    }
}
