package import AuthModel
package import TerminalUI

/// The terminal app.
public enum TerminalApp {
    /// Runs the app until the user quits. Blocks the calling thread, which must own `terminal`.
    ///
    /// - Parameter service: the session service, in this process or behind a socket.
    /// - Returns: the remaining work after the terminal is restored; await its ``RemainingWork/finish()``.
    package static func run(on terminal: inout some Terminal, service: any SessionService, environment: TerminalAppEnvironment)
        -> RemainingWork
    {
        let performer = EffectRunner(service: service, environment: environment)
        var program = program(performer: performer, size: terminal.size, glyphs: terminal.glyphs)
        let time = environment.time
        let last = program.run(on: &terminal) { reading(of: time) }
        return RemainingWork(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Runs the app as plain prompts: every flow, with the same texts, line by line.
    ///
    /// - Returns: the remaining work; await its ``RemainingWork/finish()``.
    package static func runPlain(on streams: PlainStreams, service: any SessionService, environment: TerminalAppEnvironment) async
        -> RemainingWork
    {
        let performer = EffectRunner(service: service, environment: environment)
        let program = program(performer: performer, size: PlainPage.size(columns: streams.columns()), glyphs: .ascii, isPlain: true)
        var run = PlainRun(program, streams: streams, time: environment.time)
        let last = await run.run()
        return RemainingWork(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Creates the app's program, for a caller that drives it.
    static func program(performer: EffectRunner, size: Size, glyphs: GlyphSet, isPlain: Bool = false) -> Program<TerminalAppRoot> {
        let environment = performer.environment
        var state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        state.model.usesAgent = environment.usesAgent
        state.model.offersDemo = environment.offersDemo
        state.model.demoAdvice = environment.demoAdvice
        state.opensFirst = environment.opens
        state.model.glyphs = glyphs
        state.model.isPlain = isPlain
        return Program(
            TerminalAppRoot.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// The work that remains after the screen is closed.
    public struct RemainingWork: Sendable {
        let performer: EffectRunner
        /// Whether the user quit to start the demo.
        public let wantsDemo: Bool

        /// Closes the ports of sign-ins in progress, and waits for renewals and sign-outs: interrupting one could lose a session.
        public func finish() async { await performer.close() }
    }
}
