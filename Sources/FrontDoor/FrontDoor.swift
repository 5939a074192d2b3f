public import AuthModel
public import TerminalUI

/// The terminal app.
public enum FrontDoor {
    /// Runs the app until the person leaves it. Blocks the calling thread, which must own `terminal`.
    ///
    /// - Parameter keeper: the engine, in this process or behind a socket.
    /// - Returns: what must still be done when the terminal is given back; await its ``Leaving/finish()``.
    public static func run(on terminal: inout some Terminal, keeper: any Keeper, environment: FrontDoorEnvironment) -> Leaving {
        let performer = KeeperPerformer(keeper: keeper, environment: environment)
        var program = program(performer: performer, size: terminal.size, glyphs: terminal.glyphs)
        let time = environment.time
        let last = program.run(on: &terminal) { reading(of: time) }
        return Leaving(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// Runs the app as plain prompts: every flow, in the same words, one line after the other.
    ///
    /// - Returns: what must still be done; await its ``Leaving/finish()``.
    public static func runPlain(on streams: PlainStreams, keeper: any Keeper, environment: FrontDoorEnvironment) async -> Leaving {
        let performer = KeeperPerformer(keeper: keeper, environment: environment)
        let program = program(performer: performer, size: PlainPage.size(columns: streams.columns()), glyphs: .ascii, isPlain: true)
        var run = PlainRun(program, streams: streams, time: environment.time)
        let last = await run.run()
        return Leaving(performer: performer, wantsDemo: last.wantsDemo)
    }

    /// The app at work, for a driver of its own.
    static func program(performer: KeeperPerformer, size: Size, glyphs: GlyphSet, isPlain: Bool = false) -> Program<FrontDoorApp> {
        let environment = performer.environment
        var state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        state.world.offersDemo = environment.offersDemo
        state.world.demoAdvice = environment.demoAdvice
        state.world.glyphs = glyphs
        state.world.isPlain = isPlain
        return Program(
            FrontDoorApp.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// What is left to do after the screen is gone.
    public struct Leaving: Sendable {
        let performer: KeeperPerformer
        /// Whether the person left for the demo.
        public let wantsDemo: Bool

        /// Closes the ports of sign-ins that were under way, and waits for renewals and sign-outs: half of one could cost a session.
        public func finish() async { await performer.close() }
    }
}
