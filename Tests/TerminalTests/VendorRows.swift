import AuthModel
import ProcessHarness
import Testing

/// The built command and one vendor's system of the built sandbox.
struct VendorRows {
    let home: TemporaryHome
    let sandbox: SandboxProvider
    let vendor: SandboxProvider.Vendor
    private let name: String

    /// - Parameter name: the provider's name in the configuration.
    init(_ kind: String, as name: String) async throws {
        self.name = name
        home = try TemporaryHome()
        sandbox = try await SandboxProvider(options: ["--vendor", kind, "--auto-approve", "ada", "--request-log"])
        vendor = try sandbox.vendor(kind)
        try configure()
    }

    var origin: String { vendor.origin }
    /// Host and port.
    var authority: String { String(origin.split(separator: "/").last ?? "") }

    /// Writes the configuration: the keys that the sandbox states without `keys`, then more lines, then other tables.
    func configure(without keys: [String] = [], _ more: String = "", others: String = "") throws {
        let settings = vendor.settings.split(separator: "\n").filter { line in !keys.contains { line.hasPrefix("\($0) ") } }
        try home.configure(
            """
            [store]
            seal = "key-file"
            [providers.\(name)]
            \(settings.joined(separator: "\n"))
            \(more)
            \(others)
            """)
    }

    /// Runs the command with a browser that follows redirects.
    func run(_ arguments: String...) async throws -> ProgramResult { try await run(arguments) }

    /// Signs in until the deadline, because the callback does not count. The built program has the machine's clock, so the deadline passes
    /// in real time. If the browser came back too late on a busy machine, signs in again with more time.
    func signInUntilTheDeadline(_ arguments: String...) async throws -> ProgramResult {
        var result = try await run(["login"] + arguments + ["--timeout", "1"])
        for seconds in [5, 25] where result.status == 4 {
            result = try await run(["login"] + arguments + ["--timeout", "\(seconds)"])
        }
        return result
    }

    private func run(_ arguments: [String]) async throws -> ProgramResult {
        try await home.program("yett-main", arguments, with: ["BROWSER": Browser.following, "YETT_NO_AGENT": "1"]).run()
    }

    /// Returns the sessions of `yett status --json`.
    func sessions() async throws -> [JSONValue] {
        let result = try await run("status", "--json")
        return try JSONValue(strict: result.output)["sessions"]?.array ?? []
    }

    /// Changes sandbox settings, and clears the request log.
    func turn(_ settings: JSONValue = [:]) async throws {
        try await vendor.turn(JSONValue.object((settings.members ?? []) + [.init("clear_log", true)]).text)
    }
}
