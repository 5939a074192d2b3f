/// A home in which the built programs run with an agent, signed in at a sandbox.
public struct SignedInHome: Sendable {
    /// The provider.
    public let sandbox: SandboxProvider
    /// The home.
    public let home: TemporaryHome
    private let settings: String

    /// What a command needs to sign in without a user.
    private let variables: [String: String?]

    private static let passphrase = "correct horse"

    /// Starts a sandbox and signs in, which starts the agent.
    ///
    /// - Parameters:
    ///   - more: settings of the provider.
    ///   - seal: how the store is sealed. A passphrase is given only to sign-ins.
    public init(_ more: String = "", seal: String = "key-file", sandbox options: [String] = []) async throws {
        sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"] + options)
        home = try TemporaryHome()
        settings = "[store]\nseal = \"\(seal)\"\n[providers.sandbox]\n\(sandbox.settings)\n\(more)\n"
        variables = [
            "BROWSER": Browser.following, "DISPLAY": ":0",
            "YETT_PASSPHRASE_FILE": seal == "passphrase" ? try home.write(Self.passphrase + "\n", to: "passphrase") : nil,
        ]
        try home.configure(settings)
        try await signIn()
    }

    /// Adds settings to the provider.
    public func configure(_ more: String) throws { try home.configure(settings + more + "\n") }

    /// Signs in, and expects success.
    public func signIn() async throws {
        let login = try await home.yett("login", "sandbox", with: variables)
        guard login.status == 0 else { throw HarnessError("the sign-in: \(login)") }
    }

    /// Ends the agent, and expects that one was running.
    public func stopAgent() async throws {
        let result = try await home.yett("agent", "stop")
        guard result.status == 0 else { throw HarnessError("no agent was stopped: \(result)") }
    }

    /// Runs a built program as the child of another program than this one.
    public func asOther(_ program: String, _ arguments: [String]) async throws -> ProgramResult {
        let timeout = try Product.required("timeout")
        let words = ["60", try Product.program(program)] + arguments
        return try await Program(timeout, words, environment: home.environment, folder: home.path).run()
    }
}
