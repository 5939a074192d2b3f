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
        _ = program.run(on: &terminal) { reading(of: time) }
        return Leaving(performer: performer)
    }

    /// The app at work, for a driver of its own.
    static func program(performer: KeeperPerformer, size: Size, glyphs: GlyphSet) -> Program<FrontDoorApp> {
        let environment = performer.environment
        let state = AppState(environment.settings, now: environment.time.now, presets: environment.onboarding?.presets)
        return Program(
            FrontDoorApp.self, state: state, size: size, glyphs: glyphs, now: reading(of: environment.time), performer: performer)
    }

    private static func reading(of time: any TimeSource) -> ClockReading {
        ClockReading(civilMilliseconds: time.now.milliseconds, steady: time.bootTime)
    }

    /// What is left to do after the screen is gone.
    public struct Leaving: Sendable {
        let performer: KeeperPerformer

        /// Closes the ports of sign-ins that were under way, and waits for renewals and sign-outs: half of one could cost a session.
        public func finish() async { await performer.close() }
    }
}
