import AuthModel
import TerminalUI
import TestSupport

@testable import TerminalApp

extension Given {
    /// The running app on its first screen, with a session service in memory.
    static func app(_ service: InMemorySessionService, _ outside: RecordingEnvironment) async -> ProgramDriver<TerminalAppRoot> {
        var driver = ProgramDriver(
            TerminalAppRoot.self, state: AppState(Sample.settings, now: Sample.now, presets: Sample.presets),
            now: ClockReading(civilMilliseconds: Sample.now.milliseconds, steady: .zero),
            performer: EffectRunner(service: service, environment: outside.environment))
        await driver.start()
        return driver
    }
}
