package import AuthModel
public import CursesBackend
internal import Localization
internal import OperatingSystem
public import TerminalApp
internal import UserConfiguration

/// The terminal app with everything that it needs to run.
public struct AppLaunch: Sendable {
    /// The session service that the app uses.
    package var service: any SessionService
    /// The app's environment.
    public var environment: TerminalAppEnvironment
    /// The terminal options.
    public var options: CursesOptions
    /// Runs the demo, then the app again; `nil` if the app offers no demo.
    var demo: (@Sendable () async throws -> Void)?

    /// Runs the app on the process's terminal. Throws `.configuration` if the terminal cannot show it.
    static func onTerminal(_ launch: AppLaunch) async throws(AuthFailure) {
        let leaving: TerminalApp.RemainingWork
        do {
            leaving = try await CursesTerminal.run(launch.options) { terminal in
                TerminalApp.run(on: &terminal, service: launch.service, environment: launch.environment)
            }
        } catch let failure as CursesFailure {
            throw AuthFailure(.configuration, text: failure.summary, hint: failure.hint)
        } catch {
            throw AuthFailure(
                .bug, text: "the app ended with an unexpected error", hint: "try yett --plain, which does not use the full screen")
        }
        try await launch.end(leaving)
    }

    private func end(_ leaving: TerminalApp.RemainingWork) async throws(AuthFailure) {
        await leaving.finish()
        if leaving.wantsDemo, let demo { try await Self.run(demo) }
    }

    /// Runs the app as plain prompts. Its output goes to standard error, because it is not a command's result.
    func asPlainPrompts(on context: CommandContext) async throws(AuthFailure) {
        let (streams, console) = (context.edges.streams, context.console)
        let plain = PlainStreams(
            say: { lines in for line in lines { console.note(line) } }, ask: { console.ask($0) }, line: streams.line,
            hiddenLine: { ask in await streams.hiddenLine(ask) },
            interruptions: {
                let (stream, continuation) = AsyncStream.makeStream(of: PlainStreams.Interruption.self)
                let task = Task {
                    for await interruption in context.edges.interruptions() {
                        continuation.yield(interruption == .interrupt ? .interrupt : .end)
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
                return stream
            }, columns: streams.columns)
        try await end(await TerminalApp.runPlain(on: plain, service: service, environment: environment))
    }

    private static func run(_ demo: @Sendable () async throws -> Void) async throws(AuthFailure) {
        do {
            try await demo()
        } catch let failure as AuthFailure {
            throw failure
        } catch {
            throw AuthFailure(
                .bug, text: "the demo ended with an unexpected error", hint: "to run only the test providers, use: yett sandbox")
        }
    }
}
