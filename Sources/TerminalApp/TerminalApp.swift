public import AuthModel
public import TerminalUI

/// The terminal app.
public enum TerminalApp {
    /// Runs the app until the person leaves it. Blocks the calling thread, which must own `terminal`.
    ///
    /// - Parameter session service: the engine, in this process or behind a socket.
    /// - Returns: what must still be done when the terminal is given back; await its ``Leaving/finish()``.
    public static func run(on terminal: inout some Terminal, service: any SessionService, environment: TerminalAppEnvironment) -> Leaving {
        let performer = EffectRunner(service: service, environment: environment)
        var program = program(performer: performer, size: terminal.size, glyphs: terminal.glyphs)
        let time = environment.time
        let last = program.run(on: &terminal) { reading(of: time) }
        return Leaving(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Runs the app as plain prompts: every flow, in the same words, one line after the other.
    ///
    /// - Returns: what must still be done; await its ``Leaving/finish()``.
    public static func runPlain(on streams: PlainStreams, service: any SessionService, environment: TerminalAppEnvironment) async -> Leaving
    {
        let performer = EffectRunner(service: service, environment: environment)
        let program = program(performer: performer, size: PlainPage.size(columns: streams.columns()), glyphs: .ascii, isPlain: true)
        var run = PlainRun(program, streams: streams, time: environment.time)
        let last = await run.run()
        return Leaving(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// The app at work, for a driver of its own.
    static func program(performer: EffectRunner, size: Size, glyphs: GlyphSet, isPlain: Bool = false) -> Program<TerminalAppRoot> {
        let environment = performer.environment
        var state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        state.model.offersDemo = environment.offersDemo
        state.model.demoAdvice = environment.demoAdvice
        state.model.glyphs = glyphs
        state.model.isPlain = isPlain
        return Program(
            TerminalAppRoot.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// What is left to do after the screen is gone.
    public struct Leaving: Sendable {
        let performer: EffectRunner
        /// Whether the person left for the demo.
        public let wantsDemo: Bool

        /// Closes the ports of sign-ins that were under way, and waits for renewals and sign-outs: half of one could cost a session.
        public func finish() async { await performer.close() }
    }
}
