import AuthModel
import ProcessHarness
import Testing

@testable import CommandLineTool

/// The configuration that `yett sandbox` prints.
struct SandboxNoticeTests {
    /// The commented-out keys replace the keys above them, and work unchanged.
    @Test(arguments: ["direct", "secure-access"])
    func everyPrintedModeSignsIn(mode: String) async throws {
        let sandbox = try await SandboxProvider(options: ["--vendor", "beyond-identity", "--auto-approve", "ada"])
        let lines = sandbox.configuration.split(separator: "\n").map(String.init)
        let first = lines.firstIndex(of: "# mode = \"\(mode)\"") ?? lines.endIndex
        let keys = lines[first...].prefix { $0.hasPrefix("# ") && $0.contains(" = ") }.map { String($0.dropFirst(2)) }
        let world = try CommandWorld()
        try world.configure((["[providers.bi]", "kind = \"beyond-identity\"", "login_timeout = 60"] + keys).joined(separator: "\n"))
        let result = await world.run("login", "bi")
        #expect(result.status == 0, "\(keys) \(result.errors)")
    }

    @Test func manualStatesTheOpenWebCredentials() async throws {
        let world = try CommandWorld()
        let page = await world.run("help", "sandbox-vendors").output
        for word in ["sandbox.ada.jwt", "sandbox-token-ada", "acme-cloud"] { #expect(page.contains(word)) }
    }
}
