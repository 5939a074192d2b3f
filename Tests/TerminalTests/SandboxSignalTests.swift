import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Tests that the test providers end when they are asked to. An optimiser may remove what only a debug build keeps for the life of the
/// process, so this holds the release program.
@Suite(.startsPrograms) struct SandboxSignalTests {
    @Test(arguments: ["yett-sandbox", "yett-main"], [SIGINT, SIGTERM, SIGHUP])
    func signalEndsTheProviders(_ program: String, _ signal: Int32) async throws {
        let home = try TemporaryHome()
        let sandbox = try home.program(program, (program == "yett-main" ? ["sandbox"] : []) + ["--request-log"], limit: .seconds(300))
            .start()
        try await sandbox.until { $0.errors.contains("Ctrl-C stops the providers") }
        sandbox.signal(signal)
        let result = await sandbox.finish()
        #expect(result.ending == .exited(0), "\(result)")
    }

    /// A client that keeps its connection, or that never sends its request, does not hold the providers.
    @Test func openConnectionsDoNotKeepTheProviders() async throws {
        let home = try TemporaryHome()
        let sandbox = try home.program("yett-sandbox", ["--vendor", "none"], limit: .seconds(300)).start()
        let notice = try await sandbox.until { $0.errors.contains("Ctrl-C stops the providers") }
        let ports = notice.output.split(separator: "\n").compactMap { line -> Substring? in
            line.hasPrefix("issuer = ") ? line.split(separator: ":").last?.prefix { $0.isNumber } : nil
        }
        let port = try #require(ports.first)
        let client = try Program(
            "/bin/bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); printf 'GET / HTTP/1.1\\r\\n' >&3; echo connected; cat <&3"],
            environment: home.environment, limit: .seconds(300)
        ).start()
        try await client.until { $0.output.contains("connected") }
        sandbox.signal(SIGTERM)
        #expect(await sandbox.finish().ending == .exited(0))
        _ = await client.finish()
    }

    @Test func endOfInputEndsTheProvidersOfAnotherProgram() async throws {
        let home = try TemporaryHome()
        // Its input is empty, so it ends at once.
        let result = try await home.program("yett-sandbox", ["--vendor", "none", "--until-input-ends"], limit: .seconds(300)).run()
        #expect(result.ending == .exited(0), "\(result)")
    }

    /// Among them the number that has no positive counterpart.
    @Test func invalidTimesDoNotEndTheProvidersOfTheDemo() async throws {
        let home = try TemporaryHome()
        let result = try await home.program(
            "yett-sandbox", ["--json", "--until-input-ends", "--demo"],
            input: "-9223372036854775808\n9223372036854775807\nx\n60\n", limit: .seconds(300)
        ).run()
        #expect(result.ending == .exited(0), "\(result)")
    }
}
