import AuthEngine
import AuthModel
import Sandbox
import TestSupport

extension EngineFixture {
    /// Runs `body` with a clock that engine and provider share. It skips waits of at most a second, such as the one before a device code is
    /// requested. Otherwise it stands still, so no deadline passes until a test advances `clock`.
    static func runSkippingSeconds(
        _ configuration: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"),
        surroundings: Surroundings = .desktop, clock: ManualTime = ManualTime(now: SystemTimeSource().now),
        _ body: (EngineFixture) async throws -> Void
    ) async throws {
        let time = HastyTime(over: clock, limit: .seconds(1))
        var configuration = configuration
        configuration.time = time
        try await run(configuration, surroundings: surroundings, time: time, body)
    }

    /// Advances the engine's and the provider's clocks.
    func advance(by duration: Duration) async {
        time.advance(by: duration)
        await sandbox.advance(by: duration)
    }
}
